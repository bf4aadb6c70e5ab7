"""Who scored what against whom."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from arena.tournament import GroupsThenKnockout, Outcome, Pairing, RoundRobin, Standing, Swiss, TieBreak, Tournament
from tournaments.presentation import Entrant, Facts, score
from tournaments.tables import value

MOST, MOST_MEETINGS = 36, 600
"""A table of more entrants, or of more meetings on both sides, is left out: its page would be above 150 kB."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """A pairing as one of its sides sees it."""

    text: str
    url: str
    label: str
    """In full, but for the names: the headings have them, and a table has this a thousand times."""
    state: str
    """A class: `won`, `level`, `lost`, `live`, `open` or `void`."""


@dataclass(frozen=True, slots=True)
class Row:
    """An entrant and its cells, in the order of the rows."""

    place: int
    """From 1, as the columns are headed."""
    entrant: Entrant
    points: str
    cells: tuple[tuple[Meeting, ...] | None, ...]
    """The meetings with each entrant; None with itself."""


@dataclass(frozen=True, slots=True)
class CrossTable:
    """A table of all against all."""

    name: str
    rows: tuple[Row, ...]


def cross_tables(cup: Tournament, facts: Facts) -> tuple[CrossTable, ...]:
    """One table of a round robin or a Swiss, one for each group; none of a knockout, nor of what is too large."""
    pairings = [pairing for one in cup.rounds for pairing in one.pairings]
    if isinstance(cup.format, RoundRobin | Swiss):
        is_too_large = len(cup.entrants) > MOST or 2 * len(pairings) > MOST_MEETINGS
        return () if is_too_large else (_cross_table("Cross table", cup.standings, pairings, facts),)
    if isinstance(cup.format, GroupsThenKnockout):
        return tuple(
            _cross_table(f"Group {group.name}", group.standings, [one for one in pairings if one.group == index], facts)
            for index, group in enumerate(cup.groups)
        )
    return ()


def _cross_table(name: str, standings: Sequence[Standing], pairings: Iterable[Pairing], facts: Facts) -> CrossTable:
    meetings: dict[tuple[int, int], list[Meeting]] = defaultdict(list)
    places = {line.entrant: place for place, line in enumerate(standings, start=1)}
    for pairing in pairings:
        for index, (side, other) in enumerate(((pairing.first, pairing.second), (pairing.second, pairing.first))):
            where = f"{places[side]} against {places[other]}, round {pairing.round}"
            meetings[side, other].append(_meeting(pairing, index, where, facts))
    return CrossTable(
        name,
        tuple(
            Row(
                place,
                facts.entrants[line.entrant],
                value(TieBreak.HEAD_TO_HEAD, line.points),
                tuple(
                    None if other.entrant == line.entrant else tuple(meetings[line.entrant, other.entrant])
                    for other in standings
                ),
            )
            for place, line in enumerate(standings, start=1)
        ),
    )


def _meeting(pairing: Pairing, index: int, where: str, facts: Facts) -> Meeting:
    sides = pairing.first, pairing.second
    won, lost = score(pairing.quarters[index]), score(pairing.quarters[1 - index])
    url = facts.pairing_url(pairing)
    if pairing.outcome is Outcome.VOID:
        return Meeting("\N{EN DASH}", url, f"{where}: does not count", "void")
    if pairing.outcome is not None:
        state = "level" if pairing.winner is None else "won" if pairing.winner == sides[index] else "lost"
        how = ", walkover" if pairing.outcome is Outcome.WALKOVER else ""
        return Meeting(won, url, f"{where}: {won} to {lost}{how}", state)
    if facts.is_live(pairing):
        return Meeting(won if pairing.results else "\N{BLACK CIRCLE}", url, f"{where}: playing now", "live")
    if pairing.results:
        return Meeting(won, url, f"{where}: {won} to {lost} so far", "open")
    return Meeting("\N{MIDDLE DOT}", "", f"{where}: to be played", "open")
