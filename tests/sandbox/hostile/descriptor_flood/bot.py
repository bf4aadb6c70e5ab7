"""Opens files until there are no more descriptors."""

import os

from player import *


def try_everything():
    hoard = []
    try:
        while len(hoard) < 1000:
            hoard.append(open(os.__file__, "rb"))
    except OSError:
        return
    raise Escaped("a thousand descriptors")


try_everything()


class Hostile(Plays):
    has_tried = False

    def choose_discard(self, view):
        if not self.has_tried:
            self.has_tried = True
            try_everything()
        return super().choose_discard(view)
