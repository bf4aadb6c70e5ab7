"""Prints what no file and no database likes to store."""

from player import *


class Hostile(Plays):
    def choose_draw(self, view):
        print("\ud800 \0 \x1b[2J", end="\r")
        return super().choose_draw(view)
