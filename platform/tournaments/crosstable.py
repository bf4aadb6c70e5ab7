"""Who scored what against whom: each against each, or of a Swiss round by round; a large table in blocks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isqrt

from arena.elo import MAX_QUARTERS
from arena.tournament import GroupsThenKnockout, Outcome, Pairing, RoundRobin, Standing, Swiss, TieBreak, Tournament
from tournaments.presentation import Entrant, Facts, score
from tournaments.tables import value

MOST_CELLS = 500
"""Meetings in a table on one page: with more of them the page could be above 150 kB."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """A pairing as one of its sides sees it."""

    text: str
    url: str
    label: str
    """What the cell and its headings do not say: a table has this a thousand times."""
    state: str
    """A class: `won`, `level`, `lost`, `live`, `open` or `void`."""
    opponent: str = ""
    """Its place, or `bye`, where no heading names it."""


@dataclass(frozen=True, slots=True)
class Head:
    """What stands above a column."""

    number: int
    """The place of an entrant, or a round."""
    name: str


@dataclass(frozen=True, slots=True)
class Row:
    """An entrant and its cells, in the order of the heads."""

    place: int
    """From 1, as the columns are headed."""
    entrant: Entrant
    points: str
    cells: tuple[tuple[Meeting, ...] | None, ...]
    """The meetings with each entrant, or in each round; None with itself."""


@dataclass(frozen=True, slots=True)
class CrossTable:
    """Entrants against entrants, or against the rounds of a Swiss."""

    name: str
    heads: tuple[Head, ...]
    rows: tuple[Row, ...]
    is_by_round: bool = False

    @property
    def names_columns(self) -> bool:
        """Whether the columns are entrants that the rows do not name: a number alone would not say who."""
        return not self.is_by_round and [head.number for head in self.heads] != [row.place for row in self.rows]


@dataclass(frozen=True, slots=True)
class Blocks:
    """How a cross table is cut into such as fit a page: the places of the rows and the columns of each."""

    down: tuple[range, ...] = ()
    across: tuple[range, ...] = ()

    @property
    def are_one(self) -> bool:
        """Whether the table fits a page whole."""
        return len(self.down) == len(self.across) == 1

    @property
    def down_names(self) -> list[str]:
        """The places as people write them."""
        return [_range_name(one) for one in self.down]

    @property
    def across_names(self) -> list[str]:
        """The places of the columns."""
        return [_range_name(one) for one in self.across]


def blocks(cup: Tournament) -> Blocks:
    """The blocks of the one cross table that a round robin or a Swiss has; none of a knockout, nor of groups."""
    count = len(cup.entrants)
    if cup.rounds and isinstance(cup.format, RoundRobin):
        cut = _cut(count, isqrt(MOST_CELLS // cup.format.legs))
        return Blocks(cut, cut)
    if cup.rounds and isinstance(cup.format, Swiss):
        # By the rounds that are planned: the blocks stay as they are while it goes on.
        return Blocks(_cut(count, MOST_CELLS // cup.format.rounds_for(count)), (range(1, len(cup.rounds) + 1),))
    return Blocks()


def block(cup: Tournament, facts: Facts, rows: range, columns: range) -> CrossTable:
    """One of these."""
    pairings = [pairing for one in cup.rounds for pairing in one.pairings]
    if isinstance(cup.format, Swiss):
        return _by_round(cup, pairings, facts, rows)
    return _each_against_each("Cross table", cup.standings, pairings, facts, rows, columns)


def cross_tables(cup: Tournament, facts: Facts) -> tuple[CrossTable, ...]:
    """The table of a round robin or a Swiss if it fits a page, one for each group; none of a knockout."""
    if isinstance(cup.format, GroupsThenKnockout):
        pairings = [pairing for one in cup.rounds for pairing in one.pairings]
        return tuple(
            _each_against_each(
                f"Group {group.name}",
                group.standings,
                [one for one in pairings if one.group == index],
                facts,
                *[range(1, len(group.standings) + 1)] * 2,
            )
            for index, group in enumerate(cup.groups)
        )
    cut = blocks(cup)
    return (block(cup, facts, *cut.down, *cut.across),) if cut.are_one else ()


def _cut(count: int, most: int) -> tuple[range, ...]:
    """The places from 1 to `count` in as few equal ranges as have no more than `most` each."""
    parts = -(-count // most)
    return tuple(range(1 + count * part // parts, 1 + count * (part + 1) // parts) for part in range(parts))


def _range_name(places: range) -> str:
    return f"{places[0]}\N{EN DASH}{places[-1]}" if len(places) > 1 else str(places[0])


def _each_against_each(
    name: str,
    standings: Sequence[Standing],
    pairings: Iterable[Pairing],
    facts: Facts,
    rows: range,
    columns: range,
) -> CrossTable:
    places = {line.entrant: place for place, line in enumerate(standings, start=1)}
    meetings: dict[tuple[int, int], list[Meeting]] = defaultdict(list)
    for pairing in pairings:
        for index, (side, other) in enumerate(_sides(pairing)):
            if places[side] in rows and places[other] in columns:
                where = f"{places[side]} against {places[other]}, round {pairing.round}: "
                meetings[places[side], places[other]].append(_meeting(pairing, index, where, facts))
    return CrossTable(
        name,
        tuple(Head(place, facts.entrants[standings[place - 1].entrant].name) for place in columns),
        tuple(
            _row(
                place,
                standings[place - 1],
                facts,
                (None if place == other else tuple(meetings[place, other]) for other in columns),
            )
            for place in rows
        ),
    )


def _by_round(cup: Tournament, pairings: Iterable[Pairing], facts: Facts, rows: range) -> CrossTable:
    places = {line.entrant: place for place, line in enumerate(cup.standings, start=1)}
    meetings: dict[tuple[int, int], Meeting] = {}
    for one in cup.rounds:
        for entrant in one.byes:
            full = score(cup.format.matches * MAX_QUARTERS)
            meetings[places[entrant], one.number] = Meeting(full, "", "no opponent", "level", "bye")
    for pairing in pairings:
        for index, (side, other) in enumerate(_sides(pairing)):
            if places[side] in rows:
                meetings[places[side], pairing.round] = _meeting(pairing, index, "", facts, str(places[other]))
    numbers = [one.number for one in cup.rounds]
    return CrossTable(
        "Cross table",
        tuple(Head(one.number, one.name) for one in cup.rounds),
        tuple(
            _row(
                place,
                cup.standings[place - 1],
                facts,
                ((meetings[place, number],) if (place, number) in meetings else () for number in numbers),
            )
            for place in rows
        ),
        is_by_round=True,
    )


def _row(place: int, line: Standing, facts: Facts, cells: Iterable[tuple[Meeting, ...] | None]) -> Row:
    points = value(TieBreak.HEAD_TO_HEAD, line.points)
    return Row(place, facts.entrants[line.entrant], points, tuple(cells))


def _sides(pairing: Pairing) -> tuple[tuple[int, int], tuple[int, int]]:
    return (pairing.first, pairing.second), (pairing.second, pairing.first)


def _meeting(pairing: Pairing, index: int, where: str, facts: Facts, opponent: str = "") -> Meeting:
    sides = pairing.first, pairing.second
    won, lost = score(pairing.quarters[index]), score(pairing.quarters[1 - index])
    url = facts.pairing_url(pairing)
    if pairing.outcome is Outcome.VOID:
        return Meeting("\N{EN DASH}", url, f"{where}does not count", "void", opponent)
    if pairing.outcome is not None:
        state = "level" if pairing.winner is None else "won" if pairing.winner == sides[index] else "lost"
        how = ", walkover" if pairing.outcome is Outcome.WALKOVER else ""
        # Where no place is told, the heading has the round, and the other side's score is what is left.
        return Meeting(won, url, f"{where}{won} to {lost}{how}" if where or how else "", state, opponent)
    if facts.is_live(pairing):
        return Meeting(won if pairing.results else "\N{BLACK CIRCLE}", url, f"{where}playing now", "live", opponent)
    if pairing.results:
        return Meeting(won, url, f"{where}{won} to {lost} so far", "open", opponent)
    return Meeting("\N{MIDDLE DOT}", "", f"{where}to be played", "open", opponent)
