"""Ratings: entering a ladder, rating a finished match, and refolding the whole ladder to check or rebuild it.

Every function here holds its ladder's row lock while it reads or writes ratings: the order in which matches take
their sequence numbers is the order in which they are rated.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from django.conf import settings
from django.db import transaction

from bots import services as bots
from bots.models import BotVersion
from bots.queries import current_version
from ladder.fold import Change, Entry, FoldError, Result, Standing, fold, rate_match
from ladder.models import Ladder, Match, Rating, RatingChange, Seat

_COUNTED = ("start_milli", "milli", "matches", "wins", "draws", "losses")


def lock_ladder(ladder_id: int) -> Ladder:
    """The ladder under its row lock; inside a transaction."""
    return Ladder.objects.select_for_update(no_key=True).get(pk=ladder_id)


def enter_ladder(*, ladder: Ladder, version: BotVersion) -> Rating:
    """The version's rating on the ladder; made at the first call, at its predecessor's rating or at 1500."""
    own = Rating.objects.filter(ladder=ladder, version=version)
    if (found := own.first()) is not None:
        return found
    with transaction.atomic():
        ladder = lock_ladder(ladder.pk)
        if (found := own.first()) is not None:
            return found
        predecessor = (
            Rating.objects.filter(ladder=ladder, version__bot=version.bot_id, version__number__lt=version.number)
            .order_by("-version__number")
            .first()
        )
        fresh = Rating(ladder=ladder, version=version, start_sequence=ladder.last_sequence)
        if predecessor is not None:
            fresh.predecessor = predecessor
            fresh.start_milli = fresh.milli = predecessor.milli
        fresh.save(force_insert=True)
        return fresh


def apply_result(*, match: Match, seats: Iterable[Seat]) -> None:
    """Rates a match that takes its sequence number in this very transaction, the ladder's row being locked.

    Both versions entered the ladder when the match was queued.
    """
    assert match.sequence is not None
    first, second = sorted(seats, key=lambda seat: seat.index)
    assert first.score_quarters is not None
    locked = Rating.objects.select_for_update(no_key=True).filter(
        ladder=match.ladder, version__in=[first.version_id, second.version_id]
    )
    by_version = {rating.version_id: rating for rating in locked.order_by("pk")}
    ratings = by_version[first.version_id], by_version[second.version_id]
    standings = _standing_of(ratings[0]), _standing_of(ratings[1])
    result = Result(match.sequence, match.pk, (ratings[0].pk, ratings[1].pk), first.score_quarters)
    changes = rate_match(*standings, result)
    for rating, standing in zip(ratings, standings, strict=True):
        Rating.objects.filter(pk=rating.pk).update(**asdict(standing))
    RatingChange.objects.bulk_create(_row_of(change) for change in changes)


def bench_if_broken(*, seat: Seat) -> bool:
    """Benches the bot when its current version has faulted in the last BENCH_AFTER_FAULTS rated matches in a row."""
    in_a_row = settings.BENCH_AFTER_FAULTS
    recent = list(
        Seat.objects.filter(version=seat.version_id, match__state=Match.State.FINISHED, match__is_rated=True)
        .order_by("-match__finished_at", "-match_id")
        .values_list("faults", flat=True)[:in_a_row]
    )
    current = current_version(seat.version.bot)
    if len(recent) < in_a_row or not all(recent) or current is None or current.pk != seat.version_id:
        return False
    bots.bench_bot(
        bot=seat.version.bot, reason=f"Version {seat.version.number} failed in {in_a_row} rated matches in a row."
    )
    return True


def verify_ladder(*, ladder: Ladder) -> list[str]:
    """Refolds the ladder from its finished rated matches; returns what differs from the stored rows, as sentences."""
    with transaction.atomic():
        lock_ladder(ladder.pk)
        standings, changes = _refold(ladder)
        stored = list(Rating.objects.filter(ladder=ladder).order_by("pk"))
        rows = {
            (change.rating_id, change.match_id): change
            for change in RatingChange.objects.filter(rating__ladder=ladder).iterator()
        }
    problems = []
    for rating in stored:
        expected = asdict(standings[rating.pk])
        problems += [
            f"Rating {rating.pk}: {name} is {getattr(rating, name)} and should be {expected[name]}."
            for name in _COUNTED
            if getattr(rating, name) != expected[name]
        ]
    for change in changes:
        row = rows.pop((change.rating, change.match), None)
        if row is None:
            problems.append(f"Match {change.match} has not been counted for rating {change.rating}.")
        elif _change_of(row) != change:
            problems.append(f"Rating {change.rating}, match {change.match}: stored {_change_of(row)}, not {change}.")
    problems += [f"Match {match} was counted for rating {rating} and should not be." for rating, match in rows]
    return problems


def rebuild_ladder(*, ladder: Ladder) -> int:
    """Rewrites every rating and change from the finished rated matches; returns the number of matches folded."""
    with transaction.atomic():
        lock_ladder(ladder.pk)
        standings, changes = _refold(ladder)
        ratings = list(Rating.objects.select_for_update(no_key=True).filter(ladder=ladder).order_by("pk"))
        for rating in ratings:
            for name, value in asdict(standings[rating.pk]).items():
                setattr(rating, name, value)
        Rating.objects.bulk_update(ratings, _COUNTED, batch_size=500)
        RatingChange.objects.filter(rating__ladder=ladder).delete()
        RatingChange.objects.bulk_create((_row_of(change) for change in changes), batch_size=2000)
    return len(changes) // 2


def _refold(ladder: Ladder) -> tuple[dict[int, Standing], list[Change]]:
    entries = [
        Entry(rating=pk, predecessor=predecessor, start_sequence=start)
        for pk, predecessor, start in Rating.objects.filter(ladder=ladder).values_list(
            "pk", "predecessor_id", "start_sequence"
        )
    ]
    rating_of = dict(Rating.objects.filter(ladder=ladder).values_list("version_id", "pk"))
    seats = (
        Seat.objects.filter(match__ladder=ladder, match__state=Match.State.FINISHED, match__is_rated=True)
        .order_by("match_id", "index")
        .values_list("match__sequence", "match_id", "version_id", "score_quarters")
    )
    return fold(entries, _results(seats.iterator(chunk_size=5000), rating_of))


def _results(seats: Iterable[tuple[int | None, int, int, int | None]], rating_of: dict[int, int]) -> Iterable[Result]:
    rows = iter(seats)
    for (sequence, match, first, quarters), (_, _, second, _) in zip(rows, rows, strict=True):
        assert sequence is not None
        assert quarters is not None
        if first not in rating_of or second not in rating_of:
            raise FoldError(f"Match {match} was rated, but a version in it has no rating on the ladder.")
        yield Result(sequence, match, (rating_of[first], rating_of[second]), quarters)


def _standing_of(rating: Rating) -> Standing:
    return Standing(**{name: getattr(rating, name) for name in _COUNTED})


def _row_of(change: Change) -> RatingChange:
    values = change._asdict()
    return RatingChange(rating_id=values.pop("rating"), match_id=values.pop("match"), **values)


def _change_of(row: RatingChange) -> Change:
    return Change(row.rating_id, row.match_id, row.sequence, row.before_milli, row.delta_milli, row.matches_before)
