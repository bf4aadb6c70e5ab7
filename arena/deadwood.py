"""The points of hands: how little deadwood melding can leave, before and after a discard.

Every card's deadwood is positive, so within one suit the best runs are simply the maximal blocks of three or more
consecutive cards: tables with an entry for each of the 8192 holdings of a suit answer for them. What is left to try is
which sets to make (`SetChoices`), and only where three of a rank meet a run.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from arena.cards import CLUBS, DECK, DIAMONDS, HEARTS, RANK_MASKS, RANK_POINTS, SPADES, SUIT_MASK, Card, cards_of

if TYPE_CHECKING:
    from collections.abc import Iterator

Suits = tuple[int, int, int, int]
"""A hand as thirteen bits for each suit."""


def _point_table() -> list[int]:
    table = [0]
    for points in RANK_POINTS:
        table += [total + points for total in table]
    return table


def _block_table() -> list[int]:
    lows = [mask & mask >> 1 & mask >> 2 for mask in range(SUIT_MASK + 1)]
    return [low | low << 1 | low << 2 for low in lows]


_POINTS = _point_table()
"""The points of a suit's cards, by its thirteen bits."""
RUN_CARDS = _block_table()
"""The cards of a suit's best runs, those in blocks of three or more consecutive ranks, by its thirteen bits."""
DEAD = [_POINTS[mask ^ runs] for mask, runs in enumerate(RUN_CARDS)]
"""The points that a suit's best runs leave, by its thirteen bits."""


class _Drops(dict[int, tuple[tuple[Card, int], ...]]):
    """By the cards of one suit as a 52-bit mask: each, with how much deadwood in the suit changes when it goes."""

    def __missing__(self, mask: int) -> tuple[tuple[Card, int], ...]:
        shift = DECK[(mask & -mask).bit_length() - 1].suit * 13 if mask else 0
        suit = mask >> shift
        drops = tuple((card, DEAD[suit ^ card.mask >> shift] - DEAD[suit]) for card in cards_of(mask))
        self[mask] = drops
        return drops


_DROPS = _Drops()


def suits_of(mask: int) -> Suits:
    """Return a 52-bit mask as thirteen bits for each suit."""
    return mask & SUIT_MASK, mask >> 13 & SUIT_MASK, mask >> 26 & SUIT_MASK, mask >> 39


def points_of(mask: int) -> int:
    """Return the sum of the deadwood values of all cards of a 52-bit mask."""
    return (
        _POINTS[mask & SUIT_MASK]
        + _POINTS[mask >> 13 & SUIT_MASK]
        + _POINTS[mask >> 26 & SUIT_MASK]
        + _POINTS[mask >> 39]
    )


@lru_cache(maxsize=1 << 15)
def least_deadwood(mask: int) -> int:
    """Return the least deadwood, in points, that melding the cards of a 52-bit mask can leave."""
    # Written out, as is `_least`, because everything from the knock check to a bot's search waits for it.
    clubs = mask & SUIT_MASK
    hearts = mask >> 13 & SUIT_MASK
    spades = mask >> 26 & SUIT_MASK
    diamonds = mask >> 39
    ranks = clubs & hearts & (spades | diamonds) | spades & diamonds & (clubs | hearts)
    if ranks:
        certain = ranks & ~(RUN_CARDS[clubs] | RUN_CARDS[hearts] | RUN_CARDS[spades] | RUN_CARDS[diamonds])
        rest = ~certain
        return _least(clubs & rest, hearts & rest, spades & rest, diamonds & rest, ranks & rest)
    return DEAD[clubs] + DEAD[hearts] + DEAD[spades] + DEAD[diamonds]


def _least(clubs: int, hearts: int, spades: int, diamonds: int, ranks: int) -> int:
    """The least deadwood when sets are made of some of these ranks, all held three or four times, or of none."""
    least = DEAD[clubs] + DEAD[hearts] + DEAD[spades] + DEAD[diamonds]
    while ranks:
        rank = ranks & -ranks
        ranks ^= rank
        c, h, s, d = clubs & ~rank, hearts & ~rank, spades & ~rank, diamonds & ~rank
        points = _least(c, h, s, d, ranks)
        if points < least:
            least = points
        if clubs & hearts & spades & diamonds & rank:  # one of the four may serve a run
            least = min(
                least,
                _least(clubs, h, s, d, ranks),
                _least(c, hearts, s, d, ranks),
                _least(c, h, spades, d, ranks),
                _least(c, h, s, diamonds, ranks),
            )
    return least


def deadwood_bound(mask: int) -> int:
    """Return a number of points that the least deadwood of a 52-bit mask is never below, found sooner than it."""
    clubs = mask & SUIT_MASK
    hearts = mask >> 13 & SUIT_MASK
    spades = mask >> 26 & SUIT_MASK
    diamonds = mask >> 39
    ranks = clubs & hearts & (spades | diamonds) | spades & diamonds & (clubs | hearts)
    return DEAD[clubs] + DEAD[hearts] + DEAD[spades] + DEAD[diamonds] - 4 * _POINTS[ranks]


class SetChoices:
    """Which sets a hand can make: those it surely makes, and every choice among those that compete with runs.

    A rank held three or four times of which no card is in a run is melded by every best arrangement, whole.
    """

    __slots__ = ("certain", "rests")

    certain: int
    """The cards of the sets that are made in any case, as a 52-bit mask."""
    rests: list[Suits]
    """What each choice of other sets leaves, the choice of none first."""

    def __init__(self, mask: int) -> None:
        clubs, hearts, spades, diamonds = suits_of(mask)
        ranks = clubs & hearts & (spades | diamonds) | spades & diamonds & (clubs | hearts)
        certain = ranks & ~(RUN_CARDS[clubs] | RUN_CARDS[hearts] | RUN_CARDS[spades] | RUN_CARDS[diamonds])
        rest = ~certain
        self.certain = mask & (certain | certain << 13 | certain << 26 | certain << 39)
        self.rests = [(clubs & rest, hearts & rest, spades & rest, diamonds & rest)]
        ranks ^= certain
        while ranks:
            rank = ranks & -ranks
            ranks ^= rank
            self._try(rank, four=bool(clubs & hearts & spades & diamonds & rank))

    def _try(self, rank: int, *, four: bool) -> None:
        gone = ~rank
        for c, h, s, d in self.rests[:]:
            self.rests.append((c & gone, h & gone, s & gone, d & gone))
            if four:
                self.rests.append((c, h & gone, s & gone, d & gone))
                self.rests.append((c & gone, h, s & gone, d & gone))
                self.rests.append((c & gone, h & gone, s, d & gone))
                self.rests.append((c & gone, h & gone, s & gone, d))


def deadwood_after_discard(mask: int) -> dict[Card, int]:
    """Return, for each card of a 52-bit mask, ascending, the least deadwood that the other cards can leave."""
    clubs, hearts, spades, diamonds = suits_of(mask)
    if not clubs & hearts & (spades | diamonds) | spades & diamonds & (clubs | hearts):
        total = DEAD[clubs] + DEAD[hearts] + DEAD[spades] + DEAD[diamonds]
        drops = _DROPS[mask & CLUBS] + _DROPS[mask & HEARTS] + _DROPS[mask & SPADES] + _DROPS[mask & DIAMONDS]
        return {card: total + change for card, change in drops}
    least = dict.fromkeys(cards_of(mask), 1000)
    choices = SetChoices(mask)
    lowest = 1000
    for c, h, s, d in choices.rests:
        total = DEAD[c] + DEAD[h] + DEAD[s] + DEAD[d]
        lowest = min(lowest, total)
        for card, change in _DROPS[c] + _DROPS[h << 13] + _DROPS[s << 26] + _DROPS[d << 39]:
            if total + change < least[card]:
                least[card] = total + change
    for group in rank_groups(choices.certain):
        # A set of four stands without any of its cards; of three, the other two become deadwood.
        cards = cards_of(group)
        after = lowest if len(cards) == 4 else lowest + 2 * cards[0].points
        least |= dict.fromkeys(cards, after)
    return least


def rank_groups(mask: int) -> Iterator[int]:
    """Yield the cards of a 52-bit mask by rank, as 52-bit masks."""
    while mask:
        group = mask & RANK_MASKS[((mask & -mask).bit_length() - 1) % 13]
        yield group
        mask ^= group


def makes_meld(mask: int, card: Card) -> bool:
    """Whether the card, with cards of a 52-bit mask, is part of a meld, wanted by the best arrangement or not."""
    mask |= 1 << card
    suit, rank = divmod(card, 13)
    if (mask & RANK_MASKS[rank]).bit_count() >= 3:
        return True
    return bool(RUN_CARDS[mask >> 13 * suit & SUIT_MASK] >> rank & 1)
