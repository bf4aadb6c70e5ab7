"""Who plays whom on a ladder: newcomers sooner, then the opponent from whom the match tells most."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from arena.elo import expected_score

NEWCOMER_WEIGHT = 4.0
NEWCOMER_MATCHES = 6.0
CLOSENESS = 16


@dataclass(frozen=True, slots=True)
class Candidate:
    """A bot that could play."""

    id: int
    owner: int | None
    """Bots of one owner never meet; house bots have none and may meet each other."""
    rating_milli: int
    games: int
    """Rated matches it has finished."""
    running: int = 0
    """Its matches now queued or running."""


def pair_key(first: int, second: int) -> tuple[int, int]:
    """The key of two bots in a table of meetings, the same in either order."""
    return (first, second) if first <= second else (second, first)


def choose_pair(
    candidates: Sequence[Candidate],
    meetings: Mapping[tuple[int, int], int],
    rng: Random,
    *,
    max_share: float = 0.25,
) -> tuple[int, int] | None:
    """The ids of the next two bots to play each other, or None when no two may.

    The first is drawn with weight 1+4/(1+n/6) for n finished matches, the second with (4E(1-E))^16/(1+m) for
    an expected score E and m earlier meetings (by `pair_key`). No bot gets more than `max_share` of the running
    matches, or than an even share where that is more; one match is always allowed.
    """
    free = _below_share(candidates, max_share)
    while len(free) > 1:
        first = rng.choices(free, [_eagerness(candidate) for candidate in free])[0]
        opponents = [other for other in free if _may_meet(first, other)]
        if opponents:
            second = rng.choices(opponents, _interest(first, opponents, meetings))[0]
            return first.id, second.id
        free.remove(first)
    return None


def _below_share(candidates: Sequence[Candidate], max_share: float) -> list[Candidate]:
    if not candidates:
        return []
    matches = sum(candidate.running for candidate in candidates) / 2 + 1
    most = max(1, math.ceil(matches * max(max_share, 2 / len(candidates))))
    return [candidate for candidate in candidates if candidate.running < most]


def _eagerness(candidate: Candidate) -> float:
    return 1 + NEWCOMER_WEIGHT / (1 + candidate.games / NEWCOMER_MATCHES)


def _may_meet(first: Candidate, other: Candidate) -> bool:
    return first.id != other.id and (first.owner is None or first.owner != other.owner)


def _interest(first: Candidate, opponents: Sequence[Candidate], meetings: Mapping[tuple[int, int], int]) -> list[float]:
    """The opponents' weights; in logarithms, for the power of a far opponent's underflows."""
    logs = []
    for other in opponents:
        expected = expected_score(first.rating_milli, other.rating_milli)
        closeness = math.log(4 * expected) + math.log(expected_score(other.rating_milli, first.rating_milli))
        logs.append(CLOSENESS * closeness - math.log(1 + meetings.get(pair_key(first.id, other.id), 0)))
    best = max(logs)
    return [math.exp(log - best) for log in logs]
