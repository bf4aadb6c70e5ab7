"""Starts processes that start processes."""

import os
import subprocess
import sys

from player import *


def try_everything():
    for _ in range(1000):
        must_fail("fork", os.fork)
    must_fail("posix_spawn", os.posix_spawn, sys.executable or "/usr/bin/python3", ["python3"], {})
    must_fail("subprocess", subprocess.run, ["/bin/true"])
    must_fail("forkpty", os.forkpty)


try_everything()


class Hostile(Plays):
    has_tried = False

    def choose_discard(self, view):
        if not self.has_tried:
            self.has_tried = True
            try_everything()
        return super().choose_discard(view)
