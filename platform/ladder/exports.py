"""A ladder as a table for other programs: its ratings, its matches or its rating changes, row by row.

Nothing is held in memory, so a million matches pass as well as ten. Only what the pages show goes out.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from django.db.models import QuerySet

from ladder.models import Ladder, Match, Rating, RatingChange, Seat

CHUNK = 5000
MILLI = frozenset({"elo", "start", "bradley_terry", "low", "high", "before", "change"})
"""Columns that the tables hold in thousandths of a point."""

RATINGS = {
    "bot": "version__bot__slug",
    "author": "version__bot__owner__username",
    "version": "version__number",
    "elo": "milli",
    "start": "start_milli",
    "matches": "matches",
    "wins": "wins",
    "draws": "draws",
    "losses": "losses",
    "bradley_terry": "strength__milli",
    "low": "strength__low_milli",
    "high": "strength__high_milli",
}
MATCHES = {
    "sequence": "match__sequence",
    "match": "match",
    "finished_at": "match__finished_at",
    "is_rated": "match__is_rated",
    "bot": "version__bot__slug",
    "version": "version__number",
    "against": "match__seats__version__bot__slug",
    "against_version": "match__seats__version__number",
    "quarters": "score_quarters",
    "games_won": "games_won",
    "games_lost": "match__seats__games_won",
    "points": "points",
    "points_against": "match__seats__points",
}
CHANGES = {
    "sequence": "sequence",
    "match": "match",
    "bot": "rating__version__bot__slug",
    "version": "rating__version__number",
    "before": "before_milli",
    "change": "delta_milli",
    "matches_before": "matches_before",
}
TABLES = {"ratings": RATINGS, "matches": MATCHES, "changes": CHANGES}
"""By name: the columns, and where each comes from."""


def rows(ladder: Ladder, table: str) -> Iterator[dict[str, Any]]:
    """The rows of one of TABLES; ratings best first, the others in the order in which the matches finished."""
    columns = TABLES[table]
    found = _rows(ladder, table).values_list(*columns.values())
    for values in found.iterator(chunk_size=CHUNK):
        row = dict(zip(columns, values, strict=True))
        yield {"ladder": ladder.slug} | {key: _points(key, value) for key, value in row.items()}


class Writable(Protocol):
    """What takes text: a file, or what a command of Django's prints to."""

    def write(self, text: str, /) -> object:
        """Takes it."""


def write_csv(table: str, found: Iterable[dict[str, Any]], out: Writable) -> None:
    """With a line of headings; what is not known is empty."""
    writer = csv.DictWriter(out, ["ladder", *TABLES[table]], lineterminator="\n")
    writer.writeheader()
    for row in found:
        writer.writerow(
            {key: value.isoformat() if hasattr(value, "isoformat") else value for key, value in row.items()}
        )


def write_json(table: str, found: Iterable[dict[str, Any]], out: Writable) -> None:
    """One list, with a row on each line."""
    out.write("[")
    separator = "\n"
    for row in found:
        out.write(separator + json.dumps(row, default=lambda moment: moment.isoformat()))
        separator = ",\n"
    out.write("\n]\n")


WRITERS = {"csv": write_csv, "json": write_json}


def _rows(ladder: Ladder, table: str) -> QuerySet[Any]:
    if table == "ratings":
        return Rating.objects.filter(ladder=ladder).order_by("-milli", "pk")
    if table == "changes":
        return RatingChange.objects.filter(rating__ladder=ladder).order_by("sequence", "rating")
    # Seat 0 with seat 1 beside it, so that a match is one row.
    finished = Seat.objects.filter(index=0, match__ladder=ladder, match__state=Match.State.FINISHED)
    finished = finished.filter(match__is_private=False)
    return finished.filter(match__seats__index=1).order_by("match__sequence")


def _points(column: str, value: Any) -> Any:
    return value / 1000 if column in MILLI and value is not None else value
