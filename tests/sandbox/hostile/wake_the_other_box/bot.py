"""Waits and wakes on a page of the C library, which all boxes share: the kernel takes it for one and the same lock."""

import ctypes
import errno
import os
import platform

from player import *

LIBC = ctypes.CDLL(None, use_errno=True)


def refused(name, number, *arguments):
    if platform.machine() != "x86_64":
        return
    if LIBC.syscall(number, *arguments) != -1:
        raise Escaped(f"{name} worked")
    if ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS, errno.EACCES):
        raise Escaped(f"{name} reached the kernel: {errno.errorcode[ctypes.get_errno()]}")


def try_everything():
    page = ctypes.cast(LIBC.malloc, ctypes.c_void_p)
    word = ctypes.c_uint32.from_address(page.value & ~3)
    refused("to wake others", 202, ctypes.byref(word), 1, 1, None, None, 0)
    refused("to wait for others", 202, ctypes.byref(word), 0, word.value + 1, None, None, 0)
    refused("to wake some others", 202, ctypes.byref(word), 10, 1, None, None, -1)


try_everything()


class Hostile(Plays):
    has_tried = False

    def choose_discard(self, view):
        if not self.has_tried:
            self.has_tried = True
            try_everything()
        return super().choose_discard(view)
