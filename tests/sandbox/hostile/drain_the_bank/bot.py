"""Stays below the limit of a decision, and spends the game's time on few of them."""

import time

from player import *


class Hostile(Plays):
    def choose_discard(self, view):
        end = time.process_time() + 0.3
        while time.process_time() < end:
            pass
        return super().choose_discard(view)
