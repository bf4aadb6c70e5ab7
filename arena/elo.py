"""Elo from mirrored pairs. Ratings are whole milli-Elo, so that refolding a ladder gives the same integers.

A pair is scored in quarters, the points difference deciding between 1-1 results: with the decks shared, it
carries 1.4 to 2.6 times the information of two independent games.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

START_MILLI = 1_500_000
"""The rating of a bot without a predecessor, in thousandths of an Elo point."""
MAX_QUARTERS = 4
"""The score of a won pair."""

K_FIRST = 150.0
K_LEAST = 4.0
K_MATCHES = 6.0
SCALE = 400.0
"""The difference, in Elo points, that means an expected score of 10 to 1."""


@dataclass(frozen=True, slots=True)
class GameScore:
    """One game of a pair, as sides A (0) and B (1) see it, whatever seats they had."""

    winner: int | None
    """The side that won, or None for a draw."""
    points: tuple[int, int]
    """Final points of A and of B."""
    forfeits: frozenset[int] = frozenset()
    """The sides that failed in this game."""


def quarters(games: Sequence[GameScore]) -> int:
    """Side A's score of a mirrored pair, in quarters from 0 to 4.

    A win counts 1 and a draw 1/2. Both games won: 4; none: 0; one and a half: 3; half a game: 1. One game in
    all is decided by the points of both games together: more 3, equal 2, fewer 1. If only one side failed
    in the pair, it counts as the one with fewer points. Raises ValueError unless there are two games.
    """
    if len(games) != 2:
        raise ValueError(f"A pair has two games, not {len(games)}.")
    halves = sum(1 if game.winner is None else 2 * (game.winner == 0) for game in games)
    if halves != 2:
        return halves
    failed = games[0].forfeits | games[1].forfeits
    if len(failed) == 1:
        return 1 if 0 in failed else 3
    lead = sum(game.points[0] - game.points[1] for game in games)
    return 3 if lead > 0 else 2 if lead == 0 else 1


def k_factor(matches: int) -> float:
    """How far, in Elo points, one match can move a bot that has played so many: max(4, 150/(1+n/6))."""
    if matches < 0:
        raise ValueError(f"A number of matches is not negative, as {matches} is.")
    return max(K_LEAST, K_FIRST / (1 + matches / K_MATCHES))


def expected_score(a_milli: int, b_milli: int) -> float:
    """The score, from 0 to 1, that a rating of A predicts against B: 1/(1+10^((Rb-Ra)/400))."""
    exponent = (b_milli - a_milli) / 1000 / SCALE
    return 1 / (1 + math.pow(10, max(-300.0, min(300.0, exponent))))


def rate(a_milli: int, a_matches: int, b_milli: int, b_matches: int, score_quarters: int) -> tuple[int, int]:
    """How far a rated match moves A and B, in milli-Elo, given A's score in quarters.

    Each moves by its own K-factor, so the two changes do not sum to zero unless both have played as much.
    Raises ValueError when the score is not from 0 to 4.
    """
    if not 0 <= score_quarters <= MAX_QUARTERS:
        raise ValueError(f"A pair's score is 0 to {MAX_QUARTERS} quarters, not {score_quarters}.")
    surprise = score_quarters / MAX_QUARTERS - expected_score(a_milli, b_milli)
    return round(1000 * k_factor(a_matches) * surprise), round(-1000 * k_factor(b_matches) * surprise)
