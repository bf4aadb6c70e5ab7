"""Answers with a discard that is one thing when it is checked and another when it is written down."""

from arena import DECK
from player import *


class Chameleon:
    looks = 0

    def __init__(self, held, stranger):
        self.held, self.stranger = held, stranger

    __class__ = property(lambda self: Discard)
    __eq__ = lambda self, other: True
    __hash__ = lambda self: 0
    knock = False

    @property
    def card(self):
        self.looks += 1
        return self.held if self.looks < 2 else self.stranger


class Hostile(Plays):
    def choose_discard(self, view):
        honest = super().choose_discard(view)
        return Chameleon(honest.card, next(card for card in DECK if card not in view.hand))
