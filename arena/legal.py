"""What a hand waits for, and what the rules let the seat to act do about it."""

from __future__ import annotations

from enum import Enum

from arena.actions import BIG_GIN, DISCARDS, KNOCKS, Action, BrokenRule, Draw, IllegalAction
from arena.cards import Card, cards_of
from arena.deadwood import deadwood_without, least_deadwood

TYPE_CHECKING = False
if TYPE_CHECKING:
    from arena.rules import Rules


class Phase(Enum):
    """What the hand waits for."""

    OFFER = "offer"
    """The first upcard is offered: take it or pass."""
    DRAW = "draw"
    """A turn begins: the upcard or the stock."""
    DISCARD = "discard"
    """The seat holds eleven cards."""
    ARRANGE = "arrange"
    """The knocker shows its melds."""
    DEFEND = "defend"
    """The defender arranges its hand and lays off."""
    OVER = "over"
    """The hand has a result."""


_OFFER, _DRAW = Phase.OFFER, Phase.DRAW
_ANY_DRAW = (Draw.UPCARD, Draw.STOCK)
_ONLY_STOCK = (Draw.STOCK,)
_ANSWERS = (Draw.UPCARD, Draw.PASS)
_WAITS = {
    Phase.OFFER: "the upcard to be taken or passed (Draw)",
    Phase.DRAW: "a draw (Draw)",
    Phase.DISCARD: "a discard (Discard)",
    Phase.ARRANGE: "the knocker's melds (Arrange)",
    Phase.DEFEND: "the defender's melds and layoffs (Defend)",
}


def wrong_phase(kind: str, phase: Phase) -> IllegalAction:
    """Return the error that refuses an action of a kind that the hand does not wait for."""
    if phase is Phase.OVER:
        return IllegalAction(BrokenRule.OVER, "The hand is over.")
    return IllegalAction(BrokenRule.PHASE, f"{kind} is not an answer here: the hand waits for {_WAITS[phase]}.")


def legal_draws(phase: Phase, *, must_draw_stock: bool) -> tuple[Draw, ...]:
    """Return the draws open in a phase; none where the hand does not wait for one."""
    if phase is _DRAW:
        return _ONLY_STOCK if must_draw_stock else _ANY_DRAW
    return _ANSWERS if phase is _OFFER else ()


def legal_discards(mask: int, taken: Card | None, rules: Rules) -> tuple[Card, ...]:
    """Return the cards of an eleven-card hand that may be discarded, ascending."""
    return cards_of(_open(mask, taken, rules))


def legal_knocks(mask: int, taken: Card | None, rules: Rules, limit: int) -> dict[Card, int]:
    """Return the discards of an eleven-card hand that allow a knock, ascending, with the deadwood each leaves."""
    if least_deadwood(mask) > limit + 10:  # a discard takes at most ten points away
        return {}
    may_go = _open(mask, taken, rules)
    return {card: points for card, points in deadwood_without(mask).items() if points <= limit and may_go >> card & 1}


def legal_discard_actions(mask: int, taken: Card | None, rules: Rules, limit: int) -> tuple[Action, ...]:
    """Return every action open to an eleven-card hand: the discards, the knocks, big gin."""
    actions: list[Action] = [DISCARDS[card] for card in legal_discards(mask, taken, rules)]
    actions += [KNOCKS[card] for card in legal_knocks(mask, taken, rules, limit)]
    if rules.big_gin_bonus is not None and not least_deadwood(mask):
        actions.append(BIG_GIN)
    return tuple(actions)


def _open(mask: int, taken: Card | None, rules: Rules) -> int:
    """The cards of the hand that may go to the discard pile, as a mask."""
    return mask if taken is None or rules.may_discard_taken else mask & ~(1 << taken)
