"""The end of a hand: what its two seats lay out, and what it scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.actions import Arrange, BrokenRule, Defend, IllegalAction
from arena.cards import DECK, Card
from arena.deadwood import least_deadwood
from arena.events import HandEnding
from arena.layoffs import (
    Defence,
    LayOffError,
    best_defence,
    best_layoffs,
    check_defence,
    knocker_arrangement,
    least_left,
)
from arena.legal import Phase
from arena.melds import Arrangement, arrange, best_arrangement, best_melds
from arena.value import Value

if TYPE_CHECKING:
    from arena.position import Position
    from arena.rules import Rules

Cards = tuple[Card, ...]


class HandResult(Value):
    """How a hand ended and what it scored."""

    ending: HandEnding
    winner: int | None
    """The seat that scores; None when the hand is void."""
    points: int
    """What the winner scores, bonuses of the hand included."""
    hands: tuple[Cards, Cards]
    """The final cards by seat, layoffs still with the defender."""
    knocker: int | None = None
    knocker_arrangement: Arrangement | None = None
    defence: Defence | None = None
    """The defender's arrangement; without layoffs after gin. None when the hand is void."""


def shown(action: Arrange, cards: Cards, defender_cards: Cards, limit: int) -> Arrangement:
    """Return what a knocker of these cards shows. Raises IllegalAction, naming the rule."""
    if action.melds is None:
        return knocker_arrangement(cards, defender_cards)
    try:
        arrangement = arrange(cards, action.melds)
    except ValueError as error:
        raise IllegalAction(BrokenRule.MELD, str(error)) from None
    if arrangement.points > limit:
        raise IllegalAction(
            BrokenRule.KNOCK, f"A knock needs at most {limit} deadwood; these melds leave {arrangement.points}."
        )
    return arrangement


def defended(action: Defend, knocker: Arrangement, cards: Cards) -> Defence:
    """Return what a defender of these cards makes of them. Raises IllegalAction, naming the rule."""
    melds, layoffs = action.melds, action.layoffs
    try:
        if layoffs is None:
            if melds is None:
                return best_defence(knocker.melds, cards)
            layoffs = best_layoffs(knocker.melds, cards, melds)
        return check_defence(knocker.melds, cards, melds, layoffs)
    except LayOffError as error:
        raise IllegalAction(BrokenRule.LAYOFF, str(error)) from None
    except ValueError as error:
        raise IllegalAction(BrokenRule.MELD, str(error)) from None


def void(ending: HandEnding, hands: tuple[Cards, Cards]) -> HandResult:
    """Return the result of a hand in which nobody knocked."""
    return HandResult(ending, None, 0, hands)


def unanswered(
    rules: Rules, first_upcard: Card, hands: tuple[Cards, Cards], knocker: int, laid_out: Arrangement, *, big: bool
) -> HandResult:
    """Return the result of gin, with eleven cards if it is big: the defender lays nothing off."""
    defence = Defence(best_arrangement(hands[1 - knocker]), ())
    ending, points = _gin(rules, first_upcard, defence.points, big=big)
    return HandResult(ending, knocker, points, hands, knocker, laid_out, defence)


def answered(
    rules: Rules, first_upcard: Card, hands: tuple[Cards, Cards], knocker: int, laid_out: Arrangement, defence: Defence
) -> HandResult:
    """Return the result of a knock: an undercut when the defender has no more deadwood left than the knocker."""
    ending, points = _knock(rules, first_upcard, laid_out.points, defence.points)
    winner = knocker if ending is HandEnding.KNOCK else 1 - knocker
    return HandResult(ending, winner, points, hands, knocker, laid_out, defence)


def outcome(position: Position) -> tuple[HandEnding, int | None, int]:
    """Return how a position that is over scores when both seats lay out their best: ending, winner and points.

    It is what a `HandResult` would say, found sooner, for hands that are played out by the thousand. Raises ValueError
    when play is not over.
    """
    if position.ending is not None:
        return position.ending, None, 0
    if position.phase is not Phase.ARRANGE:
        raise ValueError("A position scores once play is over; it still has legal moves.")
    rules, knocker = position.rules, position.turn
    first_upcard = DECK[position.deck[20]]
    hand, defender = position.mask(knocker), position.mask(1 - knocker)
    own = least_deadwood(hand)
    if own == 0:
        ending, points = _gin(rules, first_upcard, least_deadwood(defender), big=len(position.held[knocker]) == 11)
        return ending, knocker, points
    left = max([least_left(melds, defender) for melds in best_melds(hand)])
    ending, points = _knock(rules, first_upcard, own, left)
    return ending, knocker if ending is HandEnding.KNOCK else 1 - knocker, points


def _gin(rules: Rules, first_upcard: Card, left: int, *, big: bool) -> tuple[HandEnding, int]:
    ending, bonus = (HandEnding.BIG_GIN, rules.big_gin_bonus or 0) if big else (HandEnding.GIN, rules.gin_bonus)
    return ending, rules.multiplier_for(first_upcard) * (left + bonus)


def _knock(rules: Rules, first_upcard: Card, own: int, left: int) -> tuple[HandEnding, int]:
    if left > own:
        return HandEnding.KNOCK, rules.multiplier_for(first_upcard) * (left - own)
    return HandEnding.UNDERCUT, rules.multiplier_for(first_upcard) * (own - left + rules.undercut_bonus)
