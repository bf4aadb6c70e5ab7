"""How points come about, as sums that a reader can follow: of a hand, and of a game's end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.cards import Card
from arena.events import HandEnding
from arena.rules import Rules

MINUS = "\N{MINUS SIGN}"
TIMES = "\N{MULTIPLICATION SIGN}"


def hand_sums(showdown: dict[str, Any], names: tuple[str, str], rules: Rules) -> list[str]:
    """How a hand was scored; `showdown` is that of `arena.steps.Showdown.to_dict`, `names` are by seat."""
    knocker, winner, points = showdown["knocker"], showdown["winner"], showdown["points"]
    if knocker is None or winner is None:
        return [showdown["words"]]
    attacker, defender = names[knocker], names[1 - knocker]
    own, left = showdown["knocker_points"], showdown["defender_points"]
    if showdown["ending"] in (HandEnding.GIN, HandEnding.BIG_GIN):
        bonus = rules.gin_bonus if showdown["ending"] == HandEnding.GIN else rules.big_gin_bonus or 0
        said = f"{'Gin' if showdown['ending'] == HandEnding.GIN else 'Big gin'}! {defender} is left with {left}."
        terms, total = f"{left} + {bonus}", left + bonus
    elif showdown["ending"] == HandEnding.UNDERCUT:
        said = f"Undercut! {defender} has {left} deadwood against {attacker}'s {own}."
        terms, total = f"{own} {MINUS} {left} + {rules.undercut_bonus}", own - left + rules.undercut_bonus
    else:
        said = f"{defender} is left with {left} deadwood against {attacker}'s {own}."
        terms, total = f"{left} {MINUS} {own}", left - own
    doubled = "" if points == total else f", doubled for the spade: {points}"
    return [said, f"{terms} = {total}{doubled} points for {names[winner]}."]


def hand_terms(rules: Rules, first_upcard: Card) -> str:
    """What the first upcard makes of a hand: what a knock needs, and whether the hand counts double."""
    limit = rules.limit_for(first_upcard)
    knock = f"knock at {limit} or less" if limit else "only gin ends it"
    return f"{knock}, counts double" if rules.multiplier_for(first_upcard) > 1 else knock


def game_sums(
    rules: Rules, names: tuple[str, str], scores: Sequence[int], boxes: Sequence[int], winner: int | None
) -> list[str]:
    """What the end of a game adds to each score, the winner's first; nothing under rules without such bonuses.

    `scores` are the points of the hands and `boxes` the hands won, by seat.
    """
    sums = []
    for seat in (0, 1) if winner is None else (winner, 1 - winner):
        terms, total = [str(scores[seat])], scores[seat]
        if seat == winner:
            bonus, why = (rules.game_bonus, "game") if boxes[1 - seat] else (rules.shutout_bonus, "shutout")
            if bonus:
                terms.append(f"{bonus} for the {why}")
                total += bonus
        if rules.box_bonus and boxes[seat]:
            terms.append(f"{boxes[seat]} {TIMES} {rules.box_bonus} for hands won")
            total += boxes[seat] * rules.box_bonus
        if len(terms) > 1:
            sums.append(f"{names[seat]}: {' + '.join(terms)} = {total}.")
    return sums
