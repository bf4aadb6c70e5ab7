"""Plays well, then computes for ever instead of ending the game."""

from player import *


class Hostile(Plays):
    def end_game(self, end):
        while True:
            pass
