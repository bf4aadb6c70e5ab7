"""Takes memory as a stack that grows, which is not counted as data."""

import mmap

from player import *


def try_everything():
    must_fail("a stack", mmap.mmap, -1, 64 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x100)


try_everything()


class Hostile(Plays):
    has_tried = False

    def choose_discard(self, view):
        if not self.has_tried:
            self.has_tried = True
            try_everything()
        return super().choose_discard(view)
