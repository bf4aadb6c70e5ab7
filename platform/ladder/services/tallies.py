"""Tallies of versions and meetings of bots: brought up to the log in the background, some matches at a time."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import fields
from operator import attrgetter

from django.db import connection, transaction
from django.db.models import F, Sum

from ladder.models import Game, Ladder, Match, Meeting, Tallied, Tally
from ladder.replay import damage_noted, match_record
from ladder.styles import Style, styles_of, to_text
from ladder.tallies import Met, Sums, sides

CHUNK = 250
"""Matches in one transaction."""
TURN = 3.0
"""Whoever schedules waits for no longer, however much is to be counted."""
_SUMS = [field.name for field in Tally._meta.concrete_fields if not field.primary_key]  # noqa: SLF001
_MET = [field.name for field in fields(Met)]
_columns = attrgetter(*_MET)


def tally(*, ladder: Ladder) -> int:
    """Counts the ladder's next matches, CHUNK at most; returns how many, 0 when all are counted.

    May run anywhere at any time and break off at any point: a match is counted in the transaction that moves the
    ladder's `Tallied` past it. It waits for no result, and no result waits for it.
    """
    _describe_games(ladder)
    with transaction.atomic():
        tallied = _locked(ladder)
        newest = Ladder.objects.values_list("last_sequence", flat=True).get(pk=ladder.pk)
        until = min(newest, tallied.sequence + CHUNK)
        sums: dict[int, Sums] = {}
        meetings: dict[tuple[int, int], Met] = defaultdict(Met)
        everybody = Style.parse(tallied.style)
        found = list(sides(ladder, tallied.sequence, until))
        stored = Tally.objects.in_bulk({side.rating for side in found})
        for side in found:
            if side.rating not in sums:
                row = stored.get(side.rating)
                sums[side.rating] = Sums() if row is None else Sums.of(row)
            sums[side.rating].add(side)
            meetings[side.bot, side.opponent].add(side)
            for game in side.games:
                everybody.add(game.style)
        Tally.objects.bulk_create(
            (each.row(rating) for rating, each in sums.items()),
            update_conflicts=True,
            unique_fields=["rating"],
            update_fields=_SUMS,
        )
        _add_meetings(ladder, meetings)
        counted = until - tallied.sequence
        tallied.sequence, tallied.style = until, str(everybody)
        tallied.save()
    return counted


def tally_all(*, ladder: Ladder, seconds: float | None = None) -> int:
    """Counts all that waits, or what can be counted in so many seconds; returns how many matches."""
    began, counted = time.monotonic(), 0
    while seconds is None or time.monotonic() - began < seconds:
        some = tally(ladder=ladder)
        if not some:
            break
        counted += some
    return counted


def tally_ladders() -> None:
    """Counts what waits on every ladder, each in its turn of TURN seconds."""
    for ladder in Ladder.objects.all():
        tally_all(ladder=ladder, seconds=TURN)


def forget_tallies(*, ladder: Ladder) -> None:
    """Lets everything be counted from the first match again; inside a transaction."""
    tallied = _locked(ladder)
    Tally.objects.filter(rating__ladder=ladder).delete()
    Meeting.objects.filter(ladder=ladder).delete()
    tallied.sequence, tallied.style = 0, ""
    tallied.save()


def verify_tallies(*, ladder: Ladder) -> list[str]:
    """Counts the ladder's matches anew and returns what differs from the stored sums, as sentences.

    Meetings are held against the log by their sums for each bot. One of them adds up the opponents' keys, a match at a
    time: so matches under another opponent's name show, and no pair has to be kept in mind.
    """
    with transaction.atomic():
        tallied = _locked(ladder)
        stored = {row.rating_id: row for row in Tally.objects.filter(rating__ladder=ladder)}
        totals = _totals(ladder)
    expected: dict[int, Sums] = defaultdict(Sums)
    bots: dict[int, Met] = defaultdict(Met)
    opponents: Counter[int] = Counter()
    everybody = Style()
    for start in range(0, tallied.sequence, CHUNK):
        for side in sides(ladder, start, min(start + CHUNK, tallied.sequence)):
            expected[side.rating].add(side)
            bots[side.bot].add(side)
            opponents[side.bot] += side.opponent
            for game in side.games:
                everybody.add(game.style)
    problems = [
        f"The tally of rating {rating} is not the sum of its matches."
        for rating in sorted(stored.keys() | expected.keys())
        if rating not in stored or rating not in expected or Sums.of(stored[rating]) != expected[rating]
    ]
    sums = {bot: (opponents[bot], *_columns(met)[:-1]) for bot, met in bots.items()}
    problems += [
        f"The meetings of bot {bot} are not the sum of its matches."
        for bot in sorted(totals.keys() | sums.keys())
        if totals.get(bot) != sums.get(bot)
    ]
    if Style.parse(tallied.style) != everybody:
        problems.append("How the ladder plays is not the sum of its matches.")
    return problems


def _totals(ladder: Ladder) -> dict[int, tuple[int, ...]]:
    rows = Meeting.objects.filter(ladder=ladder).values("bot").annotate(opponents=Sum(F("opponent") * F("matches")))
    added = rows.annotate(**{f"all_{name}": Sum(name) for name in _MET[:-1]}).order_by()
    return {
        bot: tuple(rest) for bot, *rest in added.values_list("bot", "opponents", *(f"all_{name}" for name in _MET[:-1]))
    }


def _locked(ladder: Ladder) -> Tallied:
    Tallied.objects.get_or_create(ladder=ladder)
    return Tallied.objects.select_for_update(no_key=True).get(ladder=ladder)


def _describe_games(ladder: Ladder) -> None:
    """Styles of games stored before there were any, from their records. Outside the lock, since it takes a while."""
    tallied = Tallied.objects.filter(ladder=ladder).first()
    start = tallied.sequence if tallied else 0
    older = Game.objects.filter(
        match__ladder=ladder, match__is_rated=True, match__sequence__range=(start + 1, start + CHUNK), style=""
    )
    games = {(game.match_id, game.number): game for game in older}
    for game in games.values():
        game.style = to_text((Style(), Style()))  # of one whose record cannot be read
    for match in Match.objects.filter(pk__in={match for match, _ in games}).select_related("ladder"):
        with damage_noted(match):
            record = match_record(match)
            assert record is not None
            for played, state in zip(record.games, record.replay(), strict=True):
                games[match.pk, played.number].style = to_text(styles_of(played, state))
    Game.objects.bulk_update(games.values(), ["style"], batch_size=200)


def _add_meetings(ladder: Ladder, meetings: Mapping[tuple[int, int], Met]) -> None:
    # Not the ORM's: it cannot add to what a conflicting row holds, and reading all rows first would be dearer.
    table = connection.ops.quote_name(Meeting._meta.db_table)  # noqa: SLF001
    added = ", ".join(f"{name} = {table}.{name} + excluded.{name}" for name in _MET[:-1])
    statement = (
        f"INSERT INTO {table} (bot_id, ladder_id, opponent_id, {', '.join(_MET)})"
        f" VALUES ({', '.join(['%s'] * (3 + len(_MET)))}) ON CONFLICT (bot_id, ladder_id, opponent_id)"
        f" DO UPDATE SET {added}, opponent_milli = excluded.opponent_milli"
    )
    rows: Iterable[tuple[int, ...]] = (
        (bot, ladder.pk, opponent, *_columns(met)) for (bot, opponent), met in sorted(meetings.items())
    )
    with connection.cursor() as cursor:
        cursor.executemany(statement, list(rows))
