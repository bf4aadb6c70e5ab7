"""The points of hands: how little deadwood melding can leave, before and after a discard.

Every card's deadwood is positive, so within one suit the best runs are simply the maximal blocks of three or more
consecutive cards: tables with an entry for each of the 8192 holdings of a suit answer for them. What is left to try is
which sets to make (`set_choices`), and only where three of a rank meet a run.
"""

from __future__ import annotations

from functools import lru_cache

from arena.cards import DECK, RANK_MASKS, RANK_POINTS, SUIT_MASK, Card, cards_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Suits = tuple[int, int, int, int]
"""A hand as thirteen bits for each suit."""


# The tables are made by what is written in C: every box makes them anew. Rank by rank the holdings without the new rank
# are followed by those with it, which are in quarters by the two ranks below: neither, the lower, the upper, both held.


_VALUES = bytes(256) + bytes(range(256)) + bytes(256)


def _plus(points: int) -> bytes:
    """For bytes.translate: so many more points, or fewer; out of range becomes 0."""
    return _VALUES[256 + points : 512 + points]


def _point_table() -> list[int]:
    table = b"\0"
    for points in RANK_POINTS:
        table += table.translate(_plus(points))
    return list(table)


def _run_table() -> list[int]:
    table = [0, 0, 0, 0]
    for rank in range(2, len(RANK_POINTS)):
        # With the next rank a run ends where both ranks below it are held.
        both = 3 * len(table) // 4
        table += table[:both] + list(map((7 << rank - 2).__or__, table[both:]))
    return table


def _dead_table() -> list[int]:
    table = bytes([*POINTS[:7], 0])  # of three ranks only all together are a run
    for below, above, points in zip(RANK_POINTS[1:], RANK_POINTS[2:], RANK_POINTS[3:], strict=False):
        # With the third rank of a run the two below it are alive too; with a fourth they were.
        both, run = 3 * len(table) // 4, 7 * len(table) // 8
        table += table[:both].translate(_plus(points)) + table[both:run].translate(_plus(-below - above)) + table[run:]
    return list(table)


POINTS = _point_table()
"""The points of a suit's cards, by its thirteen bits."""
RUN_CARDS = _run_table()
"""The cards of a suit's best runs, those in blocks of three or more consecutive ranks, by its thirteen bits."""
DEAD = _dead_table()
"""The points that a suit's best runs leave, by its thirteen bits."""


class _Drops(dict[int, tuple[tuple[Card, int], ...]]):
    """By the cards of one suit as a 52-bit mask: each, with how much deadwood in the suit changes when it goes."""

    def __missing__(self, mask: int) -> tuple[tuple[Card, int], ...]:
        shift = DECK[(mask & -mask).bit_length() - 1].suit * 13 if mask else 0
        suit = mask >> shift
        drops = tuple([(card, DEAD[suit ^ card.mask >> shift] - DEAD[suit]) for card in cards_of(mask)])
        self[mask] = drops
        return drops


_DROPS = _Drops()


def suits_of(mask: int) -> Suits:
    """Return a 52-bit mask as thirteen bits for each suit."""
    return mask & SUIT_MASK, mask >> 13 & SUIT_MASK, mask >> 26 & SUIT_MASK, mask >> 39


def mask_of_suits(suits: Sequence[int]) -> int:
    """Return the 52-bit mask of thirteen bits for each suit."""
    clubs, hearts, spades, diamonds = suits
    return clubs | hearts << 13 | spades << 26 | diamonds << 39


def points_of(mask: int) -> int:
    """Return the sum of the deadwood values of all cards of a 52-bit mask."""
    return (
        POINTS[mask & SUIT_MASK] + POINTS[mask >> 13 & SUIT_MASK] + POINTS[mask >> 26 & SUIT_MASK] + POINTS[mask >> 39]
    )


class _Least(dict[int, int]):
    """The least deadwood of the hands met of late, by mask. To start afresh costs less than to drop the oldest one."""

    def __missing__(self, mask: int) -> int:
        if len(self) >= 1024:
            self.clear()
        self[mask] = points = least_of_suits(
            mask & SUIT_MASK, mask >> 13 & SUIT_MASK, mask >> 26 & SUIT_MASK, mask >> 39
        )
        return points


_LEAST = _Least()


def least_deadwood(mask: int) -> int:
    """Return the least deadwood, in points, that melding the cards of a 52-bit mask can leave."""
    return _LEAST[mask]


def least_of_suits(clubs: int, hearts: int, spades: int, diamonds: int) -> int:
    """Return the least deadwood of a hand given as thirteen bits for each suit; nothing is remembered."""
    # Written out, as is `_least`, because everything from the knock check to a bot's search waits for it.
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


def set_choices(suits: Suits) -> tuple[int, list[Suits]]:
    """Return which sets a hand surely makes, and what each choice among the others leaves of it.

    A rank held three or four times of which no card is in a run is melded by every best arrangement, whole: these come
    first, a bit for each rank. Every other set competes with runs, so each choice of such sets is tried: what it and
    the sure sets leave comes second, the choice of none first.
    """
    clubs, hearts, spades, diamonds = suits
    ranks = clubs & hearts & (spades | diamonds) | spades & diamonds & (clubs | hearts)
    if not ranks:
        return 0, [suits]
    sure = ranks & ~(RUN_CARDS[clubs] | RUN_CARDS[hearts] | RUN_CARDS[spades] | RUN_CARDS[diamonds])
    rests = [(clubs & ~sure, hearts & ~sure, spades & ~sure, diamonds & ~sure)]
    ranks ^= sure
    while ranks:
        rank = ranks & -ranks
        ranks ^= rank
        four = clubs & hearts & spades & diamonds & rank
        for c, h, s, d in rests[:]:
            rests.append((c & ~rank, h & ~rank, s & ~rank, d & ~rank))
            if four:  # one of the four may serve a run
                rests.append((c, h & ~rank, s & ~rank, d & ~rank))
                rests.append((c & ~rank, h, s & ~rank, d & ~rank))
                rests.append((c & ~rank, h & ~rank, s, d & ~rank))
                rests.append((c & ~rank, h & ~rank, s & ~rank, d))
    return sure, rests


def deadwood_after_discard(mask: int) -> dict[Card, int]:
    """Return, for each card of a 52-bit mask, ascending, the least deadwood that the other cards can leave."""
    return dict(deadwood_without(mask))


@lru_cache(maxsize=256)
def deadwood_without(mask: int) -> Mapping[Card, int]:
    """The same as `deadwood_after_discard`, remembered for the hands met of late and so not to be changed."""
    sure, rests = set_choices(suits_of(mask))
    least = dict(_drops(rests[0])) if not sure else dict.fromkeys(cards_of(mask), 1000) | dict(_drops(rests[0]))
    for rest in rests[1:]:
        for card, points in _drops(rest):
            if points < least[card]:
                least[card] = points
    for group in rank_groups(mask & RANK_MASKS[0] * sure):
        # A set of four stands without any of its cards; of three, the other two become deadwood.
        cards = cards_of(group)
        after = least_deadwood(mask) + (0 if len(cards) == 4 else 2 * cards[0].points)
        for card in cards:
            least[card] = after
    return least


def _drops(rest: Suits) -> list[tuple[Card, int]]:
    """Each card, with the deadwood that the best runs of the others leave."""
    clubs, hearts, spades, diamonds = rest
    total = DEAD[clubs] + DEAD[hearts] + DEAD[spades] + DEAD[diamonds]
    drops = _DROPS[clubs] + _DROPS[hearts << 13] + _DROPS[spades << 26] + _DROPS[diamonds << 39]
    return [(card, total + change) for card, change in drops]


def best_discard(suits: Sequence[int], keep: int | None = None) -> tuple[int, int]:
    """Return the least deadwood that a discard from a hand can leave, and the id of a card that leaves it.

    The hand is given as thirteen bits for each suit; the card to keep, an id too, is not discarded. Raises ValueError
    when the hand holds no other.
    """
    clubs, hearts, spades, diamonds = suits
    ranks = clubs & hearts & (spades | diamonds) | spades & diamonds & (clubs | hearts)
    rests = set_choices((clubs, hearts, spades, diamonds))[1] if ranks else (suits,)
    least, best = 1000, 0
    for clubs, hearts, spades, diamonds in rests:
        c, h = clubs ^ RUN_CARDS[clubs], hearts ^ RUN_CARDS[hearts]
        s, d = spades ^ RUN_CARDS[spades], diamonds ^ RUN_CARDS[diamonds]
        if keep is not None:
            c, h, s, d = suits_of((c | h << 13 | s << 26 | d << 39) & ~(1 << keep))
        loose = c | h | s | d
        if not loose:
            break
        # The dearest loose card goes: to break a meld is never better.
        rank = loose.bit_length() - 1
        points = DEAD[clubs] + DEAD[hearts] + DEAD[spades] + DEAD[diamonds] - RANK_POINTS[rank]
        if points < least:
            least = points
            best = rank if c >> rank else rank + 13 if h >> rank else rank + 26 if s >> rank else rank + 39
    else:
        return least, best
    after = deadwood_without(mask_of_suits(suits))
    return min((points, int(card)) for card, points in after.items() if card != keep)


def rank_groups(mask: int) -> Iterator[int]:
    """Yield the cards of a 52-bit mask by rank, as 52-bit masks."""
    while mask:
        group = mask & RANK_MASKS[((mask & -mask).bit_length() - 1) % 13]
        yield group
        mask ^= group


def makes_meld(mask: int, card: Card) -> bool:
    """Whether the card, with cards of a 52-bit mask, is part of a meld, wanted by the best arrangement or not."""
    return melds_with(suits_of(mask), card)


def melds_with(suits: Sequence[int], card: int) -> bool:
    """Whether the card is part of a meld with a hand given as thirteen bits for each suit; the hand may hold it."""
    suit = card // 13
    rank = 1 << card - 13 * suit
    held = suits[suit]
    if RUN_CARDS[held | rank] & rank:
        return True
    clubs, hearts, spades, diamonds = suits
    others = (clubs & rank) + (hearts & rank) + (spades & rank) + (diamonds & rank) - (held & rank)
    return others >= 2 * rank
