"""Calls the kernel as a program of 32 bits would, with other numbers for the same calls."""

import ctypes
import mmap
import os

from player import *


class Hostile(Plays):
    def choose_discard(self, view):
        code = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS,
                         prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        # mov eax, 20 (getpid); int 0x80; ret - on other machines an illegal instruction
        code.write(bytes.fromhex("b814000000cd80c3"))
        address = ctypes.addressof(ctypes.c_char.from_buffer(code))
        if ctypes.CFUNCTYPE(ctypes.c_int)(address)() == os.getpid():
            raise Escaped("the other instruction set works")
        os.abort()
