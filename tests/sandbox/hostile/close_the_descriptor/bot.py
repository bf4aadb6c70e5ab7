"""Closes every descriptor it has."""

import os

from player import *


class Hostile(Plays):
    def choose_discard(self, view):
        os.closerange(0, 64)
        return super().choose_discard(view)
