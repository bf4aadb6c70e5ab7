"""Melds, and hands divided into melds and deadwood."""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache

from arena.cards import Card, cards_of, format_cards, mask_of, parse_cards
from arena.deadwood import DEAD, RUN_CARDS, least_deadwood, points_of, rank_groups, set_choices, suits_of
from arena.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class MeldKind(StrEnum):
    """A set is three or four cards of a rank; a run is three or more consecutive cards of a suit, the ace low."""

    SET = "set"
    RUN = "run"


class Meld(Value):
    """A set or a run. Make one with `Meld.of`, which refuses what is neither."""

    mask: int
    """The cards as a 52-bit mask."""
    kind: MeldKind
    cards: tuple[Card, ...]
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
        return cls.of(parse_cards(text))

    @property
    def points(self) -> int:
        """The sum of the cards' deadwood values."""
        return points_of(self.mask)

    def __str__(self) -> str:
        return format_cards(self.cards)

    def __repr__(self) -> str:
        return f"Meld({str(self)!r})"

    def __len__(self) -> int:
        return len(self.cards)


class Arrangement(Value):
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


def best_arrangements(cards: Iterable[Card]) -> tuple[Arrangement, ...]:
    """Return every arrangement with the least deadwood, those with fewer melds first.

    Long runs are not split: where 3-4-5-6-7-8 of a suit is melded it is one run, to which the same cards can be
    laid off as to its parts.
    """
    return _best_arrangements(mask_of(cards))


def best_arrangement(cards: Iterable[Card]) -> Arrangement:
    """Return the first of `best_arrangements`."""
    return _best_arrangements(mask_of(cards))[0]


def arrange(cards: Iterable[Card], melds: Iterable[Meld]) -> Arrangement:
    """Return the hand divided into these melds and deadwood.

    Raises ValueError, naming the rule, when a meld is none, holds a card not in the hand, or shares one with another.
    """
    melds = tuple(Meld.of(meld.cards) for meld in melds)
    hand = left = mask_of(cards)
    for meld in melds:
        if missing := meld.mask & ~hand:
            raise ValueError(f"The meld {meld} holds {cards_of(missing)[0]}, which is not in the hand.")
        if shared := meld.mask & ~left:
            raise ValueError(f"{cards_of(shared)[0]} is in two melds: a card belongs to one.")
        left ^= meld.mask
    return Arrangement(melds, cards_of(left), points_of(left))


def best_melds(mask: int) -> list[tuple[int, ...]]:
    """Return the melds of every best arrangement of a 52-bit mask, as masks themselves, the fewest melds first."""
    least = least_deadwood(mask)
    _, rests = set_choices(suits_of(mask))
    found = []
    for clubs, hearts, spades, diamonds in rests:
        if DEAD[clubs] + DEAD[hearts] + DEAD[spades] + DEAD[diamonds] == least:
            melds = list(rank_groups(mask ^ (clubs | hearts << 13 | spades << 26 | diamonds << 39)))
            for base, suit in ((0, clubs), (13, hearts), (26, spades), (39, diamonds)):
                block = RUN_CARDS[suit]
                while block:
                    run = block & ~(block + (block & -block))
                    melds.append(run << base)
                    block ^= run
            found.append(tuple(melds))
    found.sort(key=len)
    return found


@lru_cache(maxsize=1 << 12)
def _best_arrangements(mask: int) -> tuple[Arrangement, ...]:
    found = []
    for masks in best_melds(mask):
        dead = mask & ~sum(masks)
        melds = tuple([_meld(meld) for meld in sorted(masks, key=lambda meld: meld & -meld)])
        found.append(Arrangement(melds, cards_of(dead), points_of(dead)))
    return tuple(found)
