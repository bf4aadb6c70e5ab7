"""Replaces itself by another program."""

import os
import sys

from player import *


def try_everything():
    for path in ("/bin/sh", "/usr/bin/python3", "/usr/local/bin/python3", sys.executable or "/bin/true"):
        must_fail(path, os.execv, path, [path, "-c", ""])
        must_fail(path, os.execve, path, [path], {})


try_everything()


class Hostile(Plays):
    has_tried = False

    def choose_discard(self, view):
        if not self.has_tried:
            self.has_tried = True
            try_everything()
        return super().choose_discard(view)
