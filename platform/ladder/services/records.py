"""Stored records held against the results that are stored of their matches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from django.db.models import Model, Prefetch

from arena.record import RecordError
from ladder.models import Game, Ladder, Match, Seat
from ladder.replay import match_record
from ladder.services.results import SCORES, fault_rows, game_row, score

CHUNK = 100
"""Matches looked up at once."""
GAME = ("number", "seat0_index", "ending", "winner", "score_a", "score_b", "hands")
FAULT = ("seat", "kind", "message", "step")
"""What stands in a public record too; the rest is for owners alone."""


def verify_records(*, ladder: Ladder, most: int | None = None) -> Iterator[tuple[int, str]]:
    """Plays the records of the ladder's finished matches again: all of them, or at most so many chosen at random.

    Yields the number of each match and, as a sentence, how its record differs from what is stored; empty when it does
    not. A record takes some 10 ms.
    """
    finished = Match.objects.filter(ladder=ladder, state=Match.State.FINISHED)
    chosen = finished.order_by("pk") if most is None else finished.order_by("?")[:most]
    keys = sorted(chosen.values_list("pk", flat=True))
    games = Prefetch("games", queryset=Game.objects.order_by("number").prefetch_related("faults"))
    for start in range(0, len(keys), CHUNK):
        some = Match.objects.filter(pk__in=keys[start : start + CHUNK]).order_by("pk").select_related("ladder")
        for match in some.prefetch_related(games, Prefetch("seats", queryset=Seat.objects.order_by("index"))):
            yield match.pk, _difference(match)


def _difference(match: Match) -> str:
    try:
        record = match_record(match)
        assert record is not None
        record.replay()
    except RecordError as error:
        return f"The record cannot be read or played again. {error}"
    stored = list(match.games.all())
    rows = [game_row(match, game) for game in record.games]
    if _values(stored, GAME) != _values(rows, GAME):
        return "The games are stored with other endings, scores or numbers of hands than the record gives."
    faults = chain.from_iterable(fault_rows(row, game) for row, game in zip(stored, record.games, strict=True))
    if _values((fault for game in stored for fault in game.faults.all()), FAULT) != _values(faults, FAULT):
        return "Other faults are stored than the record has."
    seats = list(match.seats.all())
    before = _values(seats, SCORES)
    score(seats, record)
    if before != _values(seats, SCORES):
        return "The sides are stored with other scores than the record gives."
    return ""


def _values(rows: Iterable[Model], names: tuple[str, ...]) -> list[tuple[object, ...]]:
    return [tuple(getattr(row, name) for name in names) for row in rows]
