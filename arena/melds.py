"""Melds and the least deadwood of a hand.

Within one suit the best runs are simply the maximal blocks of three or more consecutive cards, because every card's
deadwood is positive. So a hand is arranged best by trying every choice of sets (few: only ranks held three or four
times can make one) and melding, in each suit, the maximal blocks of what the sets leave.
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

from arena.cards import DECK, RANK_POINTS, SUIT_MASK, Card, cards_of, format_cards, mask_of, parse_cards
from arena.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_Suits = tuple[int, int, int, int]
"""Thirteen bits for each suit."""


def _point_table() -> list[int]:
    table = [0]
    for points in RANK_POINTS:
        table += [total + points for total in table]
    return table


def _block_table() -> list[int]:
    """The cards of a suit that lie in blocks of three or more consecutive ranks."""
    lows = [mask & mask >> 1 & mask >> 2 for mask in range(SUIT_MASK + 1)]
    return [low | low << 1 | low << 2 for low in lows]


_POINTS = _point_table()
"""The points of a suit's cards, by its thirteen bits."""
_BLOCKS = _block_table()
"""The cards of a suit's best runs, by its thirteen bits."""
_DEAD = [_POINTS[mask ^ block] for mask, block in enumerate(_BLOCKS)]
"""The points that a suit's best runs leave, by its thirteen bits."""


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


def points_of(mask: int) -> int:
    """Return the sum of the deadwood values of all cards of a 52-bit mask."""
    return (
        _POINTS[mask & SUIT_MASK]
        + _POINTS[mask >> 13 & SUIT_MASK]
        + _POINTS[mask >> 26 & SUIT_MASK]
        + _POINTS[mask >> 39]
    )


def least_deadwood(mask: int) -> int:
    """Return the least deadwood, in points, that melding the cards of a 52-bit mask can leave."""
    clubs = mask & SUIT_MASK
    hearts = mask >> 13 & SUIT_MASK
    spades = mask >> 26 & SUIT_MASK
    diamonds = mask >> 39
    if clubs & hearts & (spades | diamonds) | spades & diamonds & (clubs | hearts):
        return _least_with_sets(mask)
    return _DEAD[clubs] + _DEAD[hearts] + _DEAD[spades] + _DEAD[diamonds]


def deadwood_after_discard(mask: int) -> dict[Card, int]:
    """Return, for each card of a 52-bit mask, the least deadwood that the other cards can leave."""
    least = dict.fromkeys(cards_of(mask), 1000)
    for rest in _rests(_suits(mask)):
        total = sum([_DEAD[suit] for suit in rest])
        for base, suit in zip((0, 13, 26, 39), rest, strict=True):
            others = total - _DEAD[suit]
            left = suit
            while left:
                bit = left & -left
                left ^= bit
                card = DECK[base + bit.bit_length() - 1]
                points = others + _DEAD[suit ^ bit]
                if points < least[card]:
                    least[card] = points
    return least


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


def makes_meld(mask: int, card: Card) -> bool:
    """Whether the card, with cards of a 52-bit mask, is part of a meld, wanted by the best arrangement or not."""
    mask |= 1 << card
    rank, suit = card % 13, card // 13
    if sum([mask >> other & 1 for other in (rank, rank + 13, rank + 26, rank + 39)]) >= 3:
        return True
    return bool(_BLOCKS[mask >> suit * 13 & SUIT_MASK] >> rank & 1)


def _suits(mask: int) -> _Suits:
    return mask & SUIT_MASK, mask >> 13 & SUIT_MASK, mask >> 26 & SUIT_MASK, mask >> 39


def _rests(suits: _Suits) -> list[_Suits]:
    """What every choice of sets leaves of the hand, the choice of none first."""
    rests = [suits]
    clubs, hearts, spades, diamonds = suits
    ranks = clubs & hearts & (spades | diamonds) | spades & diamonds & (clubs | hearts)
    while ranks:
        bit = ranks & -ranks
        ranks ^= bit
        gone = ~bit
        grown = []
        four = clubs & hearts & spades & diamonds & bit
        for c, h, s, d in rests:
            grown.append((c & gone, h & gone, s & gone, d & gone))
            if four:
                grown.append((c, h & gone, s & gone, d & gone))
                grown.append((c & gone, h, s & gone, d & gone))
                grown.append((c & gone, h & gone, s, d & gone))
                grown.append((c & gone, h & gone, s & gone, d))
        rests += grown
    return rests


@lru_cache(maxsize=1 << 16)
def _least_with_sets(mask: int) -> int:
    return min([_DEAD[c] + _DEAD[h] + _DEAD[s] + _DEAD[d] for c, h, s, d in _rests(_suits(mask))])


@lru_cache(maxsize=1 << 12)
def _best_arrangements(mask: int) -> tuple[Arrangement, ...]:
    least = least_deadwood(mask)
    found = []
    for rest in _rests(_suits(mask)):
        if sum([_DEAD[suit] for suit in rest]) != least:
            continue
        left = rest[0] | rest[1] << 13 | rest[2] << 26 | rest[3] << 39
        runs = [run for base, suit in zip((0, 13, 26, 39), rest, strict=True) for run in _runs(base, suit)]
        sets = list(_rank_groups(mask ^ left))
        dead = left & ~sum(runs)
        melds = tuple(_meld(meld) for meld in sorted(sets + runs, key=lambda meld: meld & -meld))
        found.append(Arrangement(melds, cards_of(dead), least))
    return tuple(sorted(found, key=lambda arrangement: len(arrangement.melds)))


def _runs(base: int, suit: int) -> Iterator[int]:
    """The best runs of a suit as 52-bit masks."""
    block = _BLOCKS[suit]
    while block:
        low = block & -block
        run = block & ~(block + low)
        yield run << base
        block ^= run


def _rank_groups(mask: int) -> Iterator[int]:
    """The cards of a mask by rank, as 52-bit masks."""
    while mask:
        rank = ((mask & -mask).bit_length() - 1) % 13
        group = mask & (0x8004002001 << rank)
        yield group
        mask ^= group
