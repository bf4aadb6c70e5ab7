"""Reads the memory of the process that started it."""

import ctypes
import errno
import os
import time

from player import *


def try_everything():
    libc = ctypes.CDLL(None, use_errno=True)
    must_fail("/proc/PPID/mem", open, f"/proc/{os.getppid()}/mem", "rb")
    must_fail("/proc/1/mem", open, "/proc/1/mem", "rb")
    if libc.ptrace(16, os.getppid(), 0, 0) != -1:
        raise Escaped("the runner can be traced")
    must_fail("the clock of another process", time.clock_gettime, ~os.getppid() << 3 | 2)
    must_fail("the clock of process 1", time.clock_gettime, ~1 << 3 | 2)
    must_fail("whether there is process 1", time.clock_getres, ~1 << 3 | 2)
    # Not to wait until a time long past, but to learn by it whether the runner has used so much.
    if libc.clock_nanosleep(~os.getppid() << 3 | 2, 1, bytes(16), None) not in (errno.EPERM, errno.EINVAL):
        raise Escaped("the clock of the runner can be waited for")


try_everything()


class Hostile(Plays):
    has_tried = False

    def choose_discard(self, view):
        if not self.has_tried:
            self.has_tried = True
            try_everything()
        return super().choose_discard(view)
