"""A tournament's results as tables for other programs."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from typing import Any, TextIO

from arena import tournament as pure
from tournaments import queries
from tournaments.models import Entry, Tournament

COLUMNS = (
    "round",
    "round_name",
    "number",
    "bot",
    "version",
    "against",
    "against_version",
    "quarters",
    "quarters_against",
    "points",
    "points_against",
    "match",
    "counts",
)


def summary(tournament: Tournament) -> dict[str, Any]:
    """All of it: what was chosen, the standings with their tie-breaks, every match with a result."""
    cup = queries.cup(tournament)
    entries = {entry.pk: entry for entry in queries.entries_of(tournament)}
    champion = entries.get(cup.champion or 0) if cup is not None else None
    return {
        "tournament": tournament.slug,
        "name": tournament.name,
        "state": tournament.state,
        "format": tournament.format,
        "rules": tournament.ladder.rule_set,
        "is_rated": tournament.is_rated,
        "starts_at": tournament.starts_at.isoformat(),
        "finished_at": tournament.finished_at.isoformat() if tournament.finished_at else None,
        "champion": champion.bot.slug if champion else None,
        "standings": standings(cup, entries),
        "matches": rows(tournament, cup, entries),
    }


def rows(tournament: Tournament, cup: pure.Tournament | None, entries: dict[int, Entry]) -> list[dict[str, Any]]:
    """A row a finished match, in the order of the rounds. `counts` is false for one that was played again, or whose
    pairing the results do not ask for any more; a match that the house could not play has no number."""
    if cup is None:
        return []
    names = {one.number: one.name for one in cup.rounds}
    unused = {result.key for result in cup.unused}
    counted = {queries.slot_of(fixture): fixture.match_id for fixture in queries.finished(tournament)}
    found = [_row(result, entries, names, counted.get(result.key), result.key not in unused) for result in cup.results]
    for fixture in queries.with_seats(queries.set_aside(tournament)):
        first, second = fixture.match.seats.all()
        result = pure.Result(
            fixture.round,
            fixture.first_id,
            fixture.second_id,
            fixture.number,
            (first.score_quarters or 0, second.score_quarters or 0),
            (first.points, second.points),
        )
        found.append(_row(result, entries, names, fixture.match_id, counts=False))
    return sorted(found, key=lambda row: (row["round"], row["match"] or 0))


def _row(
    result: pure.Result, entries: dict[int, Entry], names: dict[int, str], match: int | None, counts: bool
) -> dict[str, Any]:
    first, second = entries[result.first], entries[result.second]
    values = (
        result.round,
        names.get(result.round, ""),
        result.number,
        first.bot.slug,
        first.version.number if first.version else None,
        second.bot.slug,
        second.version.number if second.version else None,
        *result.quarters,
        *result.points,
        match,
        counts,
    )
    return dict(zip(COLUMNS, values, strict=True))


def standings(cup: pure.Tournament | None, entries: Mapping[int, Entry]) -> list[dict[str, Any]]:
    """A row an entrant, the best first; none before entries are closed."""
    return [_standing(line, entries[line.entrant]) for line in cup.standings] if cup is not None else []


def _standing(line: pure.Standing, entry: Entry) -> dict[str, Any]:
    return {
        "rank": line.rank,
        "bot": entry.bot.slug,
        "version": entry.version.number if entry.version else None,
        "seed": line.seed,
        "status": line.status.value,
        "points": float(line.points),
        "played": line.played,
        "won": line.won,
        "level": line.level,
        "lost": line.lost,
        "byes": line.byes,
        "tiebreaks": {kind.value: float(value) for kind, value in line.tiebreaks.items()},
        "decided_by": line.decided_by.value if line.decided_by else None,
    }


def write_csv(tournament: Tournament, out: TextIO) -> None:
    """The matches, with a line of headings."""
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(summary(tournament)["matches"])
