"""Chooses which pages of files are in memory, and asks which are: the next game reads them faster or slower."""

import ctypes
import errno
import mmap
import os
import platform

from player import *

LIBC = ctypes.CDLL(None, use_errno=True)
LIBRARY = open(os.__file__, "rb")
PAGES = mmap.mmap(LIBRARY.fileno(), 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ)


def refused(name, number, *arguments):
    if platform.machine() != "x86_64":
        return
    if LIBC.syscall(number, *arguments) != -1:
        raise Escaped(f"{name} worked")
    if ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS, errno.EACCES):
        raise Escaped(f"{name} reached the kernel: {errno.errorcode[ctypes.get_errno()]}")


def try_everything():
    number = LIBRARY.fileno()
    for advice in range(6):
        must_fail(f"fadvise {advice}", os.posix_fadvise, number, 0, 0, advice)
    refused("readahead", 187, number, 0, 4096)
    refused("preadv2", 327, number, 0, 0, 0, 8)
    refused("cachestat", 451, number, 0, 0, 0)
    refused("sync_file_range", 277, number, 0, 4096, 0)
    for advice in (0, 1, 2, 3, 9, 10, 12, 14, 16, 20, 21, 22, 23, 25):
        must_fail(f"madvise {advice}", PAGES.madvise, advice)
    refused("mincore", 27, 0, 4096, 0)
    must_fail("statvfs", os.statvfs, os.__file__)
    must_fail("fstatvfs", os.fstatvfs, number)


try_everything()


class Hostile(Plays):
    has_tried = False

    def choose_discard(self, view):
        if not self.has_tried:
            self.has_tried = True
            try_everything()
        return super().choose_discard(view)
