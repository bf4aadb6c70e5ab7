"""Takes memory until there is no more."""

from player import *


class Hostile(Plays):
    def choose_discard(self, view):
        hoard = []
        while True:
            hoard.append(bytearray(8 * 1024 * 1024))
        return super().choose_discard(view)
