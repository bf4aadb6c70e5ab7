"""Computes for ever over its first discard."""

from player import *


class Hostile(Plays):
    def choose_discard(self, view):
        while True:
            pass
        return super().choose_discard(view)
