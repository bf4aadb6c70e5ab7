"""Plays a card it does not hold, after teaching its own copy of the arena that all is legal."""

import arena.session

from arena import Card
from player import *


class Hostile(Plays):
    def choose_discard(self, view):
        stranger = next(Card(number) for number in range(52) if Card(number) not in view.hand)
        for name in dir(arena.session):
            if name.startswith("_check") or name.startswith("_legal"):
                setattr(arena.session, name, lambda *args, **kwargs: None)
        return Discard(stranger)
