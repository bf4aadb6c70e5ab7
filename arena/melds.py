"""Melds and the least deadwood of a hand.

Within one suit the best runs are simply the maximal blocks of three or more consecutive cards, because every card's
deadwood is positive. So a hand is arranged best by trying every choice of sets (few: only ranks held three or four
times can make one) and melding, in each suit, the maximal blocks of what the sets leave.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

from arena.cards import RANK_POINTS, SUIT_MASK, Card, cards_of, format_cards, mask_of

if TYPE_CHECKING:
    from collections.abc import Iterable


class MeldKind(StrEnum):
    """A set is three or four cards of a rank; a run is three or more consecutive cards of a suit, the ace low."""

    SET = "set"
    RUN = "run"


@dataclass(frozen=True, slots=True)
class Meld:
    """A set or a run. Make one with `Meld.of`, which refuses what is neither."""

    mask: int
    """The cards as a 52-bit mask."""
    kind: MeldKind = field(compare=False)
    cards: tuple[Card, ...] = field(compare=False, repr=False)
    """The cards in ascending order."""

    @classmethod
    def of(cls, cards: Iterable[Card]) -> Meld:
        """Return the meld of these cards.

        Raises ValueError, naming the rule, when they are neither a set nor a run.
        """
        cards = tuple(cards)
        mask = mask_of(cards)
        if mask.bit_count() != len(cards):
            raise ValueError(f"{format_cards(cards)} is not a meld: it names a card twice.")
        return _meld(mask)

    @classmethod
    def parse(cls, text: str) -> Meld:
        """Return the meld written as its cards, such as ``"3s4s5s"``. Raises ValueError as `of` does."""
        from arena.cards import parse_cards

        return cls.of(parse_cards(text))

    @property
    def points(self) -> int:
        """The sum of the cards' deadwood values."""
        return points_of(self.mask)

    def __str__(self) -> str:
        return format_cards(self.cards)

    def __len__(self) -> int:
        return len(self.cards)


@dataclass(frozen=True, slots=True)
class Arrangement:
    """A hand divided into melds and deadwood."""

    melds: tuple[Meld, ...]
    deadwood: tuple[Card, ...]
    """The unmelded cards in ascending order."""
    points: int
    """The sum of the deadwood's values."""


@lru_cache(maxsize=512)
def _meld(mask: int) -> Meld:
    cards = cards_of(mask)
    text = format_cards(cards)
    if len(cards) < 3:
        raise ValueError(f"{text or 'Nothing'} is not a meld: a meld has at least three cards.")
    if len({card.rank for card in cards}) == 1:
        return Meld(mask, MeldKind.SET, cards)
    if cards[0].suit != cards[-1].suit:
        raise ValueError(f"{text} is not a meld: the cards are neither of one rank nor of one suit.")
    if cards[-1] - cards[0] != len(cards) - 1:
        raise ValueError(f"{text} is not a meld: the ranks of a run are consecutive, the ace below the two.")
    return Meld(mask, MeldKind.RUN, cards)
