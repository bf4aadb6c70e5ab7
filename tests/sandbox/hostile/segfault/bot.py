"""Reads from address zero."""

import ctypes

from player import *


class Hostile(Plays):
    def choose_discard(self, view):
        ctypes.string_at(0)
        return super().choose_discard(view)
