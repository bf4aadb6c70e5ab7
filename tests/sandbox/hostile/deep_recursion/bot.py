"""Recurses without end."""

import sys

from player import *


class Hostile(Plays):
    def choose_discard(self, view):
        sys.setrecursionlimit(10**9)
        descend = lambda: descend()
        descend()
        return super().choose_discard(view)
