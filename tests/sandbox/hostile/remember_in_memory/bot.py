"""Leaves a note for the second game in everything that a process can hold."""

import builtins
import os
import sys
import arena
import player
from player import *

PLACES = (builtins, sys, os, arena, arena.Card, arena.Bot, player, Plays, arena.melds if hasattr(arena, "melds") else os)

if any(hasattr(place, "note_to_self") for place in PLACES) or "NOTE" in os.environ or "note" in sys.modules:
    raise Escaped("the note of another game was found")
if any(getattr(arena.Card.parse("As"), "note", None) for _ in (1,)):
    raise Escaped("a card was marked")


class Hostile(Plays):
    note_to_self = None

    def start_game(self, start):
        if type(self).note_to_self is not None:
            raise Escaped("the class remembers")
        type(self).note_to_self = "game one"

    def choose_draw(self, view):
        for place in PLACES:
            place.note_to_self = "game one"
        os.environ["NOTE"] = "game one"
        sys.modules["note"] = sys
        return super().choose_draw(view)

    def end_game(self, end):
        sys.modules["note"] = sys
