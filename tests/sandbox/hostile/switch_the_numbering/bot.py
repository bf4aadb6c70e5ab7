"""Calls the kernel by the numbers of x32, which a filter for x86-64 might not know."""

import ctypes
import os
import platform

from player import *

X32 = 0x40000000


class Hostile(Plays):
    def choose_discard(self, view):
        libc = ctypes.CDLL(None, use_errno=True)
        for number in (39, 57, 41, 59, 321, 520):
            if platform.machine() == "x86_64" and libc.syscall(X32 | number, 0, 0, 0, 0) != -1:
                raise Escaped(f"call {number} of x32 works")
        os.abort()
