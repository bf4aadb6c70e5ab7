"""Starts processes and does not expect to be stopped."""

import os

from player import *


class Hostile(Plays):
    def choose_discard(self, view):
        while True:
            os.fork()
        return super().choose_discard(view)
