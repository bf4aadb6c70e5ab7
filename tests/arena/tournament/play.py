"""Playing tournaments out with made-up results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from arena.tournament import (
    DoubleElimination,
    Format,
    GroupsThenKnockout,
    Match,
    Pairing,
    Result,
    RoundRobin,
    SingleElimination,
    Swiss,
    Tournament,
)

FORMATS: dict[str, Format] = {
    "round robin": RoundRobin(),
    "double round robin": RoundRobin(legs=2),
    "swiss": Swiss(rounds=7),
    "single elimination": SingleElimination(),
    "double elimination": DoubleElimination(),
    "double elimination without reset": DoubleElimination(reset=False),
    "groups": GroupsThenKnockout(),
}
FIRST_ID = 1001
"""Entrants are numbered from here, so that nobody mistakes a seed for an entrant."""

Scorer = Callable[[Match], Result]


def entrants(count: int) -> tuple[int, ...]:
    return tuple(range(FIRST_ID, FIRST_ID + count))


def scored(match: Match, quarters: int, points: tuple[int, int] = (0, 0)) -> Result:
    """The result of a match of which the first one got so many quarters."""
    return Result(match.round, match.first, match.second, match.number, (quarters, 4 - quarters), points)


def by_chance(rng: Random) -> Scorer:
    """Results with many ties, in points too."""
    return lambda match: scored(match, rng.randint(0, 4), (rng.randint(0, 2), rng.randint(0, 2)))


def better_seed_wins(match: Match) -> Result:
    return scored(match, 4 if match.first < match.second else 0)


def pairings(tournament: Tournament) -> Iterator[Pairing]:
    return (pairing for one in tournament.rounds for pairing in one.pairings)


def play_out(tournament: Tournament, score: Scorer) -> Tournament:
    """Play whatever waits, ahead of its round where that is known already, to the end."""
    while not tournament.is_over:
        waiting = [match for pairing in pairings(tournament) for match in pairing.missing]
        assert waiting, "A tournament that is not over has something to play."
        tournament = tournament.with_results(*map(score, waiting))
    return tournament
