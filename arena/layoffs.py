"""The showdown: the defender's joint choice of melds and layoffs, and what the knocker shows against it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.cards import Card
    from arena.melds import Arrangement


@dataclass(frozen=True, slots=True)
class LayOff:
    """A card the defender adds to the knocker's meld of that index (from 0)."""

    card: Card
    meld_index: int


@dataclass(frozen=True, slots=True)
class Defence:
    """What the defender makes of its hand at the showdown."""

    arrangement: Arrangement
    """The hand without the cards laid off."""
    layoffs: tuple[LayOff, ...]
    """In an order in which each fits when its turn comes."""

    @property
    def points(self) -> int:
        """The deadwood left over."""
        return self.arrangement.points
