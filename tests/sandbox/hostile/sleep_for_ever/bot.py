"""Sleeps: uses no CPU time and holds up the match."""

import time

from player import *


class Hostile(Plays):
    def choose_discard(self, view):
        time.sleep(10**6)
        return super().choose_discard(view)
