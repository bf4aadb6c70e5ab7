"""Hangs up and computes on, so that its process must be ended by force."""

import os

from player import *


class Hostile(Plays):
    def choose_discard(self, view):
        os.close(CHANNEL)
        while True:
            pass
        return super().choose_discard(view)
