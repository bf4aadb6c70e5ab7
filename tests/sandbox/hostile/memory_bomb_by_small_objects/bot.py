"""Takes memory in crumbs, so that even the report of its failure finds none."""

from player import *


class Hostile(Plays):
    def choose_discard(self, view):
        hoard = []
        while True:
            hoard = [hoard, hoard[:1]]
        return super().choose_discard(view)
