"""Takes terabytes that are never written, so that what fills up is the kernel's own tables of them."""

import mmap

from player import *


def try_everything():
    for size in (1 << 40, 1 << 34):
        must_fail(f"{size} bytes", mmap.mmap, -1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ)


try_everything()


class Hostile(Plays):
    has_tried = False

    def choose_discard(self, view):
        if not self.has_tried:
            self.has_tried = True
            try_everything()
        return super().choose_discard(view)
