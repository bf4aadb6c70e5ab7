"""Searches all of its process's memory for the game itself."""

import gc

from player import *


def try_everything():
    for thing in gc.get_objects():
        module, name = type(thing).__module__, type(thing).__name__
        if (module, name) in {("arena.game", "Game"), ("arena.hand", "Hand")}:
            raise Escaped(f"the bot's process holds {thing!r}")


try_everything()


class Hostile(Plays):
    has_tried = False

    def choose_discard(self, view):
        if not self.has_tried:
            self.has_tried = True
            try_everything()
        return super().choose_discard(view)
