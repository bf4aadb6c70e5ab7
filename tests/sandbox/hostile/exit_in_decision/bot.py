"""Ends its process without a word."""

import os

from player import *


class Hostile(Plays):
    def choose_discard(self, view):
        os._exit(0)
        return super().choose_discard(view)
