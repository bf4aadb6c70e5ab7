"""Takes shared memory, which a limit on a process's own data would not count."""

import mmap

from player import *


def try_everything():
    must_fail("shared memory", mmap.mmap, -1, 1 << 20)


try_everything()


class Hostile(Plays):
    has_tried = False

    def choose_discard(self, view):
        if not self.has_tried:
            self.has_tried = True
            try_everything()
        return super().choose_discard(view)
