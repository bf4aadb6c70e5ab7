"""The order of a tournament's entrants, and what put each where it is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from itertools import combinations

from arena.elo import MAX_QUARTERS
from arena.tournament.pairings import Outcome, Pairing


class TieBreak(Enum):
    """What orders entrants with equal points, in this order; and how a knockout orders those who are out."""

    HEAD_TO_HEAD = "head-to-head"
    BUCHHOLZ_CUT_1 = "Buchholz cut-1"
    SONNEBORN_BERGER = "Sonneborn-Berger"
    ROUND_REACHED = "round reached"
    SEED = "seed"

    @property
    def words(self) -> str:
        """What it measures, for a reader."""
        return _WORDS[self]


_WORDS = {
    TieBreak.HEAD_TO_HEAD: "Points against each other; it counts when all who are tied have met.",
    TieBreak.BUCHHOLZ_CUT_1: "The points of all opponents but the one with the fewest.",
    TieBreak.SONNEBORN_BERGER: "The points of each opponent, times the share of the points taken from it.",
    TieBreak.ROUND_REACHED: "How late it went out.",
    TieBreak.SEED: "The better seed.",
}


class Status(Enum):
    """Whether an entrant is still of the party."""

    PLAYING = "playing"
    WITHDRAWN = "withdrawn"
    DISQUALIFIED = "disqualified"


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the standings."""

    rank: int
    """From 1. Those who went out of a knockout in the same round share one."""
    entrant: int
    seed: int
    """From 1."""
    status: Status
    points: Fraction
    """Matches won: a quarter for each quarter, byes and walkovers included."""
    played: int
    """Matches with a result."""
    won: int
    """Pairings settled so, as the next two."""
    level: int
    lost: int
    byes: int
    """Rounds that gave it points without an opponent."""
    tiebreaks: Mapping[TieBreak, Fraction]
    """What orders it among equals, in points; without head-to-head where that does not count."""
    decided_by: TieBreak | None
    """What puts it behind the line above. None where points, a disqualification or a void do, or a shared rank."""
    out_in: int | None
    """The round in which it went out of a knockout."""


@dataclass(slots=True)
class _Row:
    """What an entrant did, in quarters."""

    quarters: int = 0
    played: int = 0
    won: int = 0
    level: int = 0
    lost: int = 0
    byes: int = 0
    meetings: list[tuple[int, int]] = field(default_factory=list)
    """Opponents, each with the quarters taken from it."""


def points_standings(
    entrants: Sequence[int],
    pairings: Iterable[Pairing],
    *,
    matches: int,
    byes: Mapping[int, int],
    statuses: Mapping[int, Status],
    last: Collection[int],
    out_in: Mapping[int, int] | None = None,
) -> tuple[Standing, ...]:
    """Standings by points, of entrants in seed order; `last` are behind all others whatever they scored.

    Order on equal points: head-to-head when all who are tied have met, Buchholz cut-1, Sonneborn-Berger, seed.
    For Buchholz a bye counts as an opponent with one's own points; for Sonneborn-Berger it counts nothing.
    """
    rows = _rows(entrants, pairings, byes, matches)
    seeds = {entrant: seed for seed, entrant in enumerate(entrants, start=1)}
    tied: dict[tuple[bool, int], list[int]] = defaultdict(list)
    for entrant in entrants:
        tied[entrant in last, rows[entrant].quarters].append(entrant)
    head_to_head = {entrant: value for group in tied.values() for entrant, value in _head_to_head(group, rows).items()}
    breaks = {}
    for entrant in entrants:
        breaks[entrant] = {
            **({TieBreak.HEAD_TO_HEAD: head_to_head[entrant]} if entrant in head_to_head else {}),
            TieBreak.BUCHHOLZ_CUT_1: _buchholz_cut_1(entrant, rows),
            TieBreak.SONNEBORN_BERGER: _sonneborn_berger(entrant, rows, matches),
            TieBreak.SEED: Fraction(seeds[entrant]),
        }

    def key(entrant: int) -> tuple[bool, int, list[Fraction]]:
        better = [value for kind, value in breaks[entrant].items() if kind is not TieBreak.SEED]
        return entrant in last, -rows[entrant].quarters, [*(-value for value in better), Fraction(seeds[entrant])]

    order = sorted(entrants, key=key)
    lines: list[Standing] = []
    for rank, entrant in enumerate(order, start=1):
        above = order[rank - 2] if rank > 1 else None
        decided = None
        if above is not None and key(above)[:2] == key(entrant)[:2]:
            decided = next(kind for kind, value in breaks[entrant].items() if breaks[above][kind] != value)
        lines.append(
            _line(rank, entrant, seeds, statuses, rows[entrant], breaks[entrant], decided, (out_in or {}).get(entrant))
        )
    return tuple(lines)


def knockout_standings(
    entrants: Sequence[int],
    pairings: Iterable[Pairing],
    *,
    statuses: Mapping[int, Status],
    reached: Mapping[int, int],
    out_in: Mapping[int, int],
) -> tuple[Standing, ...]:
    """Standings by how far each came, `reached` being higher for the better; those who came as far share a rank.

    They stand in the order of their seeds. The disqualified are behind all others.
    """
    rows = _rows(entrants, pairings, {}, 1)
    seeds = {entrant: seed for seed, entrant in enumerate(entrants, start=1)}

    def key(entrant: int) -> tuple[bool, int]:
        return statuses.get(entrant) is Status.DISQUALIFIED, -reached[entrant]

    order = sorted(entrants, key=lambda entrant: (*key(entrant), seeds[entrant]))
    lines: list[Standing] = []
    for index, entrant in enumerate(order):
        shared = index > 0 and key(order[index - 1]) == key(entrant)
        rank = lines[-1].rank if shared else index + 1
        behind = index > 0 and not shared and key(order[index - 1])[0] == key(entrant)[0]
        decided = TieBreak.ROUND_REACHED if behind else None
        breaks = {TieBreak.SEED: Fraction(seeds[entrant])}
        lines.append(_line(rank, entrant, seeds, statuses, rows[entrant], breaks, decided, out_in.get(entrant)))
    return tuple(lines)


def _line(
    rank: int,
    entrant: int,
    seeds: Mapping[int, int],
    statuses: Mapping[int, Status],
    row: _Row,
    breaks: Mapping[TieBreak, Fraction],
    decided: TieBreak | None,
    out_in: int | None,
) -> Standing:
    return Standing(
        rank=rank,
        entrant=entrant,
        seed=seeds[entrant],
        status=statuses.get(entrant, Status.PLAYING),
        points=Fraction(row.quarters, MAX_QUARTERS),
        played=row.played,
        won=row.won,
        level=row.level,
        lost=row.lost,
        byes=row.byes,
        tiebreaks=breaks,
        decided_by=decided,
        out_in=out_in,
    )


def _rows(
    entrants: Iterable[int], pairings: Iterable[Pairing], byes: Mapping[int, int], matches: int
) -> dict[int, _Row]:
    rows = {entrant: _Row() for entrant in entrants}
    for pairing in pairings:
        if pairing.outcome is Outcome.VOID or not (pairing.results or pairing.is_settled):
            continue
        sides = pairing.first, pairing.second
        for side, opponent, quarters in zip(sides, reversed(sides), pairing.quarters, strict=True):
            row = rows[side]
            row.quarters += quarters
            row.played += len(pairing.results)
            row.meetings.append((opponent, quarters))
            if pairing.winner is not None:
                row.won += pairing.winner == side
                row.lost += pairing.winner == opponent
            elif pairing.is_settled:
                row.level += 1
    for entrant, count in byes.items():
        rows[entrant].byes += count
        rows[entrant].quarters += count * matches * MAX_QUARTERS
    return rows


def _head_to_head(group: Sequence[int], rows: Mapping[int, _Row]) -> dict[int, Fraction]:
    """The points of each among the tied; nothing unless all of them, two or more, have met."""
    members = set(group)
    met = {frozenset((entrant, other)) for entrant in group for other, _ in rows[entrant].meetings}
    if len(group) < 2 or not all(frozenset(pair) in met for pair in combinations(group, 2)):
        return {}
    return {
        entrant: Fraction(sum(quarters for other, quarters in rows[entrant].meetings if other in members), MAX_QUARTERS)
        for entrant in group
    }


def _buchholz_cut_1(entrant: int, rows: Mapping[int, _Row]) -> Fraction:
    row = rows[entrant]
    opponents = [rows[other].quarters for other, _ in row.meetings] + [row.quarters] * row.byes
    return Fraction(sum(opponents) - min(opponents, default=0), MAX_QUARTERS)


def _sonneborn_berger(entrant: int, rows: Mapping[int, _Row], matches: int) -> Fraction:
    row = rows[entrant]
    weighed = sum(rows[other].quarters * quarters for other, quarters in row.meetings)
    return Fraction(weighed, matches * MAX_QUARTERS * MAX_QUARTERS)
