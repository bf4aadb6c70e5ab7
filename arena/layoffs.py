"""The showdown: the defender's joint choice of melds and layoffs, and what the knocker shows against it.

The cards laid off are chosen first, among everything that can be (few: what extends at most three melds); what they
leave is then melded best. Trying every choice makes the optimum joint: a meld is broken where laying its cards off
leaves less.
"""

from __future__ import annotations

from functools import lru_cache

from arena.cards import Card, cards_of, mask_of
from arena.deadwood import least_deadwood, points_of
from arena.melds import Arrangement, MeldKind, arrange, best_arrangement, best_arrangements
from arena.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arena.melds import Meld


class LayOff(Value):
    """A card the defender adds to the knocker's meld of that index (from 0)."""

    card: Card
    meld_index: int


class Defence(Value):
    """What the defender makes of its hand at the showdown."""

    arrangement: Arrangement
    """The hand without the cards laid off."""
    layoffs: tuple[LayOff, ...]
    """In an order in which each fits when its turn comes."""

    @property
    def points(self) -> int:
        """The deadwood left over."""
        return self.arrangement.points


class LayOffError(ValueError):
    """A card that does not fit the knocker's meld, or is not the defender's to lay off."""


def best_defence(knocker_melds: Iterable[Meld], defender_cards: Iterable[Card]) -> Defence:
    """Return the defender's melds and layoffs with the least deadwood left over, the fewest layoffs first."""
    melds = tuple(knocker_melds)
    hand = mask_of(defender_cards)
    choices = _choices(_masks(melds), hand)
    laid = min(choices, key=lambda laid: (least_deadwood(hand & ~laid), laid.bit_count(), laid))
    return Defence(best_arrangement(cards_of(hand & ~laid)), _placed(melds, laid))


def best_layoffs(
    knocker_melds: Iterable[Meld], defender_cards: Iterable[Card], own_melds: Iterable[Meld]
) -> tuple[LayOff, ...]:
    """Return the layoffs that leave the defender least when it keeps these melds of its own.

    Raises ValueError as `arena.melds.arrange` does.
    """
    melds = tuple(knocker_melds)
    loose = mask_of(arrange(defender_cards, own_melds).deadwood)
    return _placed(melds, max(_choices(_masks(melds), loose), key=points_of))


def check_defence(
    knocker_melds: Sequence[Meld],
    defender_cards: Iterable[Card],
    own_melds: Iterable[Meld] | None,
    layoffs: Iterable[LayOff],
) -> Defence:
    """Return the defence of these layoffs and melds; with None for the melds, the best of what the layoffs leave.

    Raises LayOffError when a layoff breaks a rule, and ValueError as `arena.melds.arrange` does.
    """
    layoffs = tuple(layoffs)
    hand = mask_of(defender_cards)
    shown = [meld.mask for meld in knocker_melds]
    laid = 0
    for layoff in layoffs:
        bit = 1 << layoff.card
        if not bit & hand & ~laid:
            why = "was laid off already" if bit & laid else "is not in the defender's hand"
            raise LayOffError(f"{layoff.card} cannot be laid off: it {why}.")
        if not 0 <= layoff.meld_index < len(shown):
            raise LayOffError(f"The knocker shows {len(shown)} melds: there is no meld {layoff.meld_index}.")
        kind = knocker_melds[layoff.meld_index].kind
        if not bit & _fitting(shown[layoff.meld_index]):
            meld = "".join(map(str, cards_of(shown[layoff.meld_index])))
            raise LayOffError(f"{layoff.card} does not extend the {kind} {meld}.")
        shown[layoff.meld_index] |= bit
        laid |= bit
    rest = cards_of(hand & ~laid)
    return Defence(best_arrangement(rest) if own_melds is None else arrange(rest, own_melds), layoffs)


def knocker_arrangement(cards: Iterable[Card], defender_cards: Iterable[Card]) -> Arrangement:
    """Return the knocker's best arrangement: least deadwood, then what leaves a best defence most."""
    arrangements = best_arrangements(cards)
    if len(arrangements) == 1:
        return arrangements[0]
    defender = mask_of(defender_cards)
    return max(arrangements, key=lambda arrangement: least_left(_masks(arrangement.melds), defender))


def least_left(melds: Iterable[int], hand: int) -> int:
    """Return the deadwood that a best defence leaves of a hand against these melds, all as 52-bit masks."""
    return min([least_deadwood(hand & ~laid) for laid in _choices(melds, hand)])


def _masks(melds: Iterable[Meld]) -> list[int]:
    return [meld.mask for meld in melds]


def _fitting(mask: int) -> int:
    """The cards that extend a meld by one, all as 52-bit masks."""
    return sum([chain[0] for chain in _extensions(mask) if chain])


@lru_cache(maxsize=1 << 12)
def _extensions(mask: int) -> tuple[tuple[int, ...], ...]:
    """The cards that may join a meld, as chains: a card of a chain needs those before it."""
    low, high = (mask & -mask).bit_length() - 1, mask.bit_length() - 1
    if low // 13 != high // 13:
        return tuple((1 << card,) for card in range(low % 13, 52, 13) if not mask >> card & 1)
    start = low - low % 13
    below, above = range(low - 1, start - 1, -1), range(high + 1, start + 13)
    return tuple(1 << card for card in below), tuple(1 << card for card in above)


def _choices(melds: Iterable[int], hand: int) -> set[int]:
    """Every set of the hand's cards that can be laid off on the melds, all as 52-bit masks; the empty one too."""
    choices = {0}
    for meld in melds:
        for chain in _extensions(meld):
            laid = 0
            grown = choices
            for bit in chain:
                if not bit & hand:
                    break
                laid |= bit
                grown = grown | {choice | laid for choice in choices}
            choices = grown
    return choices


def _placed(melds: tuple[Meld, ...], laid: int) -> tuple[LayOff, ...]:
    """Say where each card of a choice goes: on a run as far as it reaches, what is then left on a set."""
    layoffs = []
    for index, meld in sorted(enumerate(melds), key=lambda place: place[1].kind is MeldKind.SET):
        for chain in _extensions(meld.mask):
            for bit in chain:
                if not bit & laid:
                    break
                laid ^= bit
                layoffs.append(LayOff(Card(bit.bit_length() - 1), index))
    return tuple(layoffs)
