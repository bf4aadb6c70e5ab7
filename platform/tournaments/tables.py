"""Standings as tables, with what put each entrant behind the one above it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from arena.elo import MAX_QUARTERS
from arena.tournament import GroupsThenKnockout, Round, Standing, Status, TieBreak, Tournament
from tournaments.presentation import Entrant, Facts, score

POINTS_BREAKS = (TieBreak.HEAD_TO_HEAD, TieBreak.BUCHHOLZ_CUT_1, TieBreak.SONNEBORN_BERGER)
BADGES = {Status.PLAYING: "", Status.WITHDRAWN: "withdrawn", Status.DISQUALIFIED: "disqualified"}


@dataclass(frozen=True, slots=True)
class Break:
    """One measure of an entrant."""

    kind: TieBreak
    text: str
    """Its value; a dash where it does not count."""


@dataclass(frozen=True, slots=True)
class Why:
    """What put an entrant behind the one above it, of the same points."""

    above: Entrant
    kind: TieBreak
    own: str
    other: str
    """The value of the one above."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the standings."""

    rank: int
    number: int
    """The tournament's number for the entrant."""
    entrant: Entrant
    seed: int
    badge: str
    """Whether it left or was made to; else empty."""
    points: str
    played: int
    won: int
    level: int
    lost: int
    byes: int
    breaks: tuple[Break, ...]
    """One for each of the table's `breaks`."""
    why: Why | None
    reached: str
    """How far it came in a knockout."""
    is_champion: bool
    goes_on: bool
    """Whether it stands where a group's entrants go on to the knockout."""


@dataclass(frozen=True, slots=True)
class Table:
    """Standings ready to show."""

    name: str
    rows: tuple[Row, ...]
    breaks: tuple[TieBreak, ...]
    """The measures that have a column; none in a knockout, whose order is how far each came."""
    has_byes: bool
    is_decided: bool
    """Whether those who go on are certain to."""


def standings(cup: Tournament, facts: Facts) -> Table:
    """The standings of the whole tournament."""
    knockout = cup.bracket is not None or isinstance(cup.format, GroupsThenKnockout)
    breaks = () if knockout else POINTS_BREAKS
    champion = () if cup.champion is None else (cup.champion,)
    reached = {line.entrant: _reached(line, cup) for line in cup.standings} if knockout else {}
    return _table("Standings", cup.standings, facts, breaks, reached=reached, champions=champion)


def groups(cup: Tournament, facts: Facts) -> tuple[Table, ...]:
    """The standings of each group; empty without groups."""
    if not isinstance(cup.format, GroupsThenKnockout):
        return ()
    found = []
    for group in cup.groups:
        ahead = [line.entrant for line in group.standings[: cup.format.qualifiers]]
        on = ahead if cup.bracket is None else [entrant for entrant in group.entrants if entrant in cup.bracket.seeds]
        found.append(
            _table(
                f"Group {group.name}",
                group.standings,
                facts,
                POINTS_BREAKS,
                going_on=on,
                is_decided=cup.bracket is not None,
            )
        )
    return tuple(found)


def paged(tables: Sequence[Table], most: int) -> tuple[tuple[Table, ...], ...]:
    """The tables with at most so many rows on a page, in order; one that fits a page is parted only if it must be."""
    if not tables:
        return ()
    pages: list[list[Table]] = [[]]
    room = most
    for table in tables:
        if room < len(table.rows) <= most:
            pages.append([])
            room = most
        rows = table.rows
        while len(rows) > room:
            pages[-1].append(replace(table, rows=rows[:room]))
            rows, room = rows[room:], most
            pages.append([])
        pages[-1].append(replace(table, rows=rows))
        room -= len(rows)
    return tuple(tuple(page) for page in pages)


def _table(
    name: str,
    lines: Sequence[Standing],
    facts: Facts,
    breaks: tuple[TieBreak, ...],
    *,
    reached: dict[int, str] | None = None,
    champions: Collection[int] = (),
    going_on: Collection[int] = (),
    is_decided: bool = False,
) -> Table:
    rows = tuple(
        Row(
            rank=line.rank,
            number=line.entrant,
            entrant=facts.entrants[line.entrant],
            seed=line.seed,
            badge=BADGES[line.status],
            points=value(TieBreak.HEAD_TO_HEAD, line.points),
            played=line.played,
            won=line.won,
            level=line.level,
            lost=line.lost,
            byes=line.byes,
            breaks=tuple(Break(kind, value(kind, line.tiebreaks.get(kind))) for kind in breaks),
            why=None if index == 0 else _why(line, lines[index - 1], facts),
            reached=(reached or {}).get(line.entrant, ""),
            is_champion=line.entrant in champions,
            goes_on=line.entrant in going_on,
        )
        for index, line in enumerate(lines)
    )
    return Table(name, rows, breaks, any(line.byes for line in lines), is_decided)


def value(kind: TieBreak, measured: Fraction | None) -> str:
    """A measure's value: points as people write scores, weighed points as a decimal, a seed as a number."""
    if measured is None:
        return "\N{EN DASH}"
    if kind is TieBreak.SONNEBORN_BERGER:
        return f"{float(measured):.2f}"
    if kind is TieBreak.SEED:
        return str(measured)
    return score(int(measured * MAX_QUARTERS))


def _why(line: Standing, above: Standing, facts: Facts) -> Why | None:
    kind = line.decided_by
    if kind is None or kind is TieBreak.ROUND_REACHED:
        return None
    own, other = value(kind, line.tiebreaks.get(kind)), value(kind, above.tiebreaks.get(kind))
    return Why(facts.entrants[above.entrant], kind, own, other)


def _reached(line: Standing, cup: Tournament) -> str:
    if line.entrant == cup.champion:
        return "Champion"
    if line.out_in is not None:
        return f"Out in: {_named(cup.rounds, line.out_in)}"
    if cup.bracket is None:
        return "In the groups"
    if line.entrant not in cup.bracket.seeds:
        return "Out in the groups"
    return "" if cup.is_over else "Still in"


def _named(rounds: Sequence[Round], number: int) -> str:
    return next(
        (one.name.replace("'", "\N{RIGHT SINGLE QUOTATION MARK}") for one in rounds if one.number == number), ""
    )
