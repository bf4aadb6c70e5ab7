"""Discards a card that it does not hold."""

from arena import DECK, Discard
from player import *


class Hostile(Plays):
    def choose_discard(self, view):
        return Discard(next(card for card in DECK if card not in view.hand))
