"""What to tell of a tournament when it is over."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from arena.elo import expected_score
from arena.tournament import Outcome, Pairing, Tournament
from tournaments.presentation import Entrant, Facts, score

MOST_UPSETS = 6
UPSET_BELOW = 1 / 3
"""A winner whose rating let it expect less than this share of the points."""
PLAYED_OUT = (Outcome.SCORE, Outcome.POINTS, Outcome.EXTRA)


@dataclass(frozen=True, slots=True)
class Upset:
    """A pairing won by the one that was expected to lose it."""

    winner: Entrant
    loser: Entrant
    winner_seed: int
    loser_seed: int
    expected: float | None
    """The share of the points, from 0 to 1, that the ratings gave the winner; None where one of them is unknown."""
    result: str
    round_name: str
    url: str


@dataclass(frozen=True, slots=True)
class Place:
    """One of the best."""

    rank: int
    entrant: Entrant
    seed: int


@dataclass(frozen=True, slots=True)
class Highlight:
    """Something worth opening: the longest game, a hand."""

    title: str
    words: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """A finished tournament in short."""

    champion: Entrant | None
    """None if everybody was disqualified."""
    podium: tuple[Place, ...]
    """The ranks 1 to 3, or 4 of them where two share the third; empty where that says nothing."""
    upsets: tuple[Upset, ...]
    """The least expected first."""
    highlights: tuple[Highlight, ...]
    hands: tuple[Highlight, ...]
    """The most-played ones, the most moves first."""
    entrants: int
    rounds: int
    pairings: int
    """Those that were played."""
    matches: int


def final_report(
    cup: Tournament, facts: Facts, highlights: Iterable[Highlight] = (), hands: Iterable[Highlight] = ()
) -> Report | None:
    """The report of a tournament; None until it is over."""
    if not cup.is_over:
        return None
    pairings = [pairing for one in cup.rounds for pairing in one.pairings]
    podium = [line for line in cup.standings if line.rank <= 3]
    return Report(
        champion=None if cup.champion is None else facts.entrants[cup.champion],
        podium=tuple(Place(line.rank, facts.entrants[line.entrant], line.seed) for line in podium[:4]),
        upsets=upsets(cup, facts, pairings),
        highlights=tuple(highlights),
        hands=tuple(hands),
        entrants=len(cup.entrants),
        rounds=len(cup.rounds),
        pairings=sum(bool(pairing.results) for pairing in pairings),
        matches=sum(len(pairing.results) for pairing in pairings),
    )


def upsets(cup: Tournament, facts: Facts, pairings: Sequence[Pairing]) -> tuple[Upset, ...]:
    """The pairings that went most against the ratings or, where these are unknown, against the seeds."""
    seeds = {entrant: seed for seed, entrant in enumerate(cup.entrants, start=1)}
    names = {one.number: one.name.replace("'", "\N{RIGHT SINGLE QUOTATION MARK}") for one in cup.rounds}
    found: list[tuple[float, int, Upset]] = []
    for pairing in pairings:
        winner, loser = pairing.winner, pairing.loser
        if winner is None or loser is None or pairing.outcome not in PLAYED_OUT:
            continue
        apart = seeds[winner] - seeds[loser]
        expected = _expected(facts.entrants[winner], facts.entrants[loser])
        if expected is None and apart < max(2, len(cup.entrants) // 3):
            continue
        if expected is not None and expected >= UPSET_BELOW:
            continue
        own, other = pairing.quarters if winner == pairing.first else pairing.quarters[::-1]
        upset = Upset(
            facts.entrants[winner],
            facts.entrants[loser],
            seeds[winner],
            seeds[loser],
            expected,
            f"{score(own)}\N{EN DASH}{score(other)}",
            names[pairing.round],
            facts.pairing_url(pairing),
        )
        found.append((0.5 if expected is None else expected, -apart, upset))
    found.sort(key=lambda one: one[:2])
    return tuple(upset for _, _, upset in found[:MOST_UPSETS])


def _expected(winner: Entrant, loser: Entrant) -> float | None:
    if winner.milli is None or loser.milli is None:
        return None
    return expected_score(winner.milli, loser.milli)
