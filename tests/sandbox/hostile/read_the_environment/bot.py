"""Looks for secrets in its own environment and in everybody else's."""

import ctypes
import os

from player import *


def try_everything():
    if os.environ:
        raise Escaped(f"the environment holds {dict(os.environ)}")
    libc = ctypes.CDLL(None)
    block = ctypes.POINTER(ctypes.c_char_p).in_dll(libc, "environ")
    for number in range(2) if block else ():
        if block[number] is None:
            break
        # The same for everybody: what numpy's library is told about threads.
        if block[number] != b"OPENBLAS_NUM_THREADS=1":
            raise Escaped(f"the C environment holds {block[number]!r}")
    for process in ("self", "1", str(os.getppid()), *range(2, 50)):
        for name in ("environ", "cmdline", "maps", "mem", "status", "fd", "root", "cwd"):
            path = f"/proc/{process}/{name}"
            must_fail(path, os.listdir if name in ("fd", "root", "cwd") else lambda file: open(file, "rb").read(), path)


try_everything()


class Hostile(Plays):
    has_tried = False

    def choose_discard(self, view):
        if not self.has_tried:
            self.has_tried = True
            try_everything()
        return super().choose_discard(view)
