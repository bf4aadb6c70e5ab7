"""Ratings: entering a ladder, rating a finished match, and refolding the whole ladder to check or rebuild it.

Whoever writes ratings, or reads what must agree, holds the ladder's row lock: the order in which matches take their
sequence numbers is the order in which they are rated.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import chain
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Count, OuterRef, Subquery, Sum
from django.db.models.functions import Coalesce

from arena import elo
from bots import clock
from bots import services as bots
from bots.models import BotVersion
from bots.queries import current_version
from ladder.fold import Change, Entry, FoldError, Result, Standing, fold, rate_match, unfold
from ladder.models import Ladder, Match, Rating, RatingChange, Seat
from ladder.services.tallies import forget_tallies

CHUNK = 5000
OLD = dt.timedelta(days=2)
"""Trends that look back so far are made again (`ladder.trends`)."""
NEWEST = 500
"""Matches that `verify_newest` looks at."""
_CHANGE = ("rating_id", "match_id", "sequence", "before_milli", "delta_milli", "matches_before")
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
            # The version that played until now: a newer one may be withdrawn, and its rating is another's.
            Rating.objects.filter(ladder=ladder, version__bot=version.bot_id, version__number__lt=version.number)
            .filter(version__state=BotVersion.State.ACTIVE)
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
    # By the match's number, in which they were queued: that order is an index's, and the rest of a long history unread.
    recent = list(
        Seat.objects.filter(version=seat.version_id, match__state=Match.State.FINISHED, match__is_rated=True)
        .order_by("-match")
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
    """Refolds the ladder from its finished rated matches; returns what differs from the stored rows, as sentences.

    The ratings are read under the lock, and then no result waits: what has finished by then never changes. Matches and
    changes pass one by one, however many there are.
    """
    with transaction.atomic():
        sequence = lock_ladder(ladder.pk).last_sequence
        stored = list(Rating.objects.filter(ladder=ladder).order_by("pk"))
    standings: dict[int, Standing] = {}
    expected = unfold(_entries(stored), _results(ladder, stored, sequence), standings)
    problems = list(_differences(expected, _stored_changes(ladder, sequence)))
    for rating in stored:
        should_be = asdict(standings[rating.pk])
        problems += [
            f"Rating {rating.pk}: {name} is {getattr(rating, name)} and should be {should_be[name]}."
            for name in _COUNTED
            if getattr(rating, name) != should_be[name]
        ]
    return problems


def verify_newest(*, ladder: Ladder) -> list[str]:
    """The newest NEWEST matches of the ladder by themselves: each change against its formula, the one before it and the
    rating it led to; returns what differs, as sentences."""
    with transaction.atomic():
        newest = lock_ladder(ladder.pk).last_sequence
        span = (newest - NEWEST, newest)
        changes = list(
            RatingChange.objects.filter(match__ladder=ladder, match__sequence__range=span)
            .select_related("rating")
            .order_by("sequence", "rating")
        )
        seats = list(
            Seat.objects.filter(match__ladder=ladder, match__is_rated=True, match__sequence__range=span)
            .order_by("match__sequence", "index")
            .values_list("match_id", "version_id", "score_quarters")
        )
    rows = {(change.match_id, change.rating.version_id): change for change in changes}
    problems = []
    for (match, first, quarters), (_, second, _) in zip(seats[::2], seats[1::2], strict=True):
        a, b = rows.pop((match, first), None), rows.pop((match, second), None)
        if a is None or b is None or quarters is None:
            problems.append(f"Match {match} has not been counted for both of its versions.")
            continue
        expected = elo.rate(a.before_milli, a.matches_before, b.before_milli, b.matches_before, quarters)
        if (a.delta_milli, b.delta_milli) != expected:
            problems.append(f"Match {match}: the changes are {a.delta_milli} and {b.delta_milli}, not {expected}.")
    problems += [f"Match {match} was counted for version {version} and should not be." for match, version in rows]
    return problems + _broken_chains(changes)


def _broken_chains(changes: Iterable[RatingChange]) -> list[str]:
    """Where a change does not begin where the one before it ended, or a rating is not where its last one led."""
    problems = []
    last: dict[int, RatingChange] = {}
    for change in changes:
        before = last.get(change.rating_id)
        if before is not None and (change.before_milli, change.matches_before) != _after(before):
            problems.append(f"Rating {change.rating_id}, match {change.match_id}: it does not begin where it stood.")
        last[change.rating_id] = change
    for pk, change in last.items():
        if (change.rating.milli, change.rating.matches) != _after(change):
            problems.append(f"Rating {pk} is {change.rating.milli} and should be {change.after_milli}.")
    return problems


def _after(change: RatingChange) -> tuple[int, int]:
    return change.after_milli, change.matches_before + 1


def verify_sums(*, ladder: Ladder) -> list[str]:
    """Every rating against the sum and the number of its changes, and what the ladder counts against its matches."""
    sums = (
        Rating.objects.filter(ladder=ladder)
        .order_by("pk")
        .annotate(moved=Sum("changes__delta_milli"), counted=Count("changes"))
    )
    problems = [
        f"Rating {pk} is {milli} after {matches} matches, but {counted} changes from {start} lead to "
        f"{start + (moved or 0)}."
        for pk, start, milli, matches, moved, counted in sums.values_list(
            "pk", "start_milli", "milli", "matches", "moved", "counted"
        )
        if (milli, matches) != (start + (moved or 0), counted)
    ]
    # One statement, for results come in between two.
    finished = Match.objects.filter(ladder=OuterRef("pk"), state=Match.State.FINISHED)
    changes = RatingChange.objects.filter(rating__ladder=OuterRef("pk"))
    rated, counted, public, said = (
        Ladder.objects.filter(pk=ladder.pk)
        .values_list(
            _count(finished.filter(is_rated=True), "ladder"),
            _count(changes, "rating__ladder"),
            _count(finished.filter(is_private=False), "ladder"),
            "public_matches",
        )
        .get()
    )
    if counted != 2 * rated:
        problems.append(f"{rated} rated matches have {counted} changes of ratings, not two each.")
    if said != public:
        problems.append(f"The ladder counts {said} matches that everybody may see; there are {public}.")
    return problems


def _count(rows: Any, by: str) -> Coalesce:
    return Coalesce(Subquery(rows.order_by().values(by).annotate(count=Count("pk")).values("count")), 0)


def _differences(expected: Iterable[Change], stored: Iterator[Change]) -> Iterator[str]:
    """Both in the order of sequence numbers, and of ratings within a match."""
    row = next(stored, None)
    for change in _by_rating(expected):
        while row is not None and _place(row) < _place(change):
            yield _should_not_be(row)
            row = next(stored, None)
        if row is None or _place(row) > _place(change):
            yield f"Match {change.match} has not been counted for rating {change.rating}."
            continue
        if row != change:
            yield f"Rating {change.rating}, match {change.match}: stored {row}, not {change}."
        row = next(stored, None)
    if row is not None:
        yield from map(_should_not_be, chain([row], stored))


def _by_rating(changes: Iterable[Change]) -> Iterator[Change]:
    pairs = iter(changes)
    for change in pairs:
        yield from sorted((change, next(pairs)), key=_place)


def _place(change: Change) -> tuple[int, int]:
    return change.sequence, change.rating


def _should_not_be(change: Change) -> str:
    return f"Match {change.match} was counted for rating {change.rating} and should not be."


def _stored_changes(ladder: Ladder, sequence: int) -> Iterator[Change]:
    rows = RatingChange.objects.filter(rating__ladder=ladder, sequence__lte=sequence).order_by("sequence", "rating")
    return (Change(*row) for row in rows.values_list(*_CHANGE).iterator(chunk_size=CHUNK))


def rebuild_ladder(*, ladder: Ladder) -> int:
    """Rewrites every rating and change from the finished rated matches, and counts the public ones anew; returns the
    number of matches folded.

    The tallies that followed from them begin anew (`services.tally_all`).
    """
    with transaction.atomic():
        sequence = lock_ladder(ladder.pk).last_sequence
        ratings = list(Rating.objects.select_for_update(no_key=True).filter(ladder=ladder).order_by("pk"))
        standings, changes = fold(_entries(ratings), _results(ladder, ratings, sequence))
        for rating in ratings:
            for name, value in asdict(standings[rating.pk]).items():
                setattr(rating, name, value)
        Rating.objects.bulk_update(ratings, _COUNTED, batch_size=500)
        RatingChange.objects.filter(rating__ladder=ladder).delete()
        RatingChange.objects.bulk_create((_row_of(change) for change in changes), batch_size=2000)
        # What followed from the old changes is to be made again; whoever is making trends of them finds another moment.
        public = Match.objects.filter(ladder=ladder, state=Match.State.FINISHED, is_private=False).count()
        Ladder.objects.filter(pk=ladder.pk).update(trends_at=clock.now() - OLD, public_matches=public)
        forget_tallies(ladder=ladder)
    return len(changes) // 2


def _entries(ratings: Iterable[Rating]) -> list[Entry]:
    return [Entry(rating.pk, rating.predecessor_id, rating.start_sequence) for rating in ratings]


def _results(ladder: Ladder, ratings: Iterable[Rating], sequence: int) -> Iterator[Result]:
    """The ladder's finished rated matches up to a sequence number, in order. Raises FoldError."""
    rating_of = {rating.version_id: rating.pk for rating in ratings}
    seats = (
        Seat.objects.filter(
            match__ladder=ladder,
            match__state=Match.State.FINISHED,
            match__is_rated=True,
            match__sequence__lte=sequence,
        )
        .order_by("match__sequence", "index")
        .values_list("match__sequence", "match_id", "version_id", "score_quarters")
    )
    rows = seats.iterator(chunk_size=CHUNK)
    for (place, match, first, quarters), (_, _, second, _) in zip(rows, rows, strict=True):
        assert place is not None
        assert quarters is not None
        if first not in rating_of or second not in rating_of:
            raise FoldError(f"Match {match} was rated, but a version in it has no rating on the ladder.")
        yield Result(place, match, (rating_of[first], rating_of[second]), quarters)


def _standing_of(rating: Rating) -> Standing:
    return Standing(**{name: getattr(rating, name) for name in _COUNTED})


def _row_of(change: Change) -> RatingChange:
    values = change._asdict()
    return RatingChange(rating_id=values.pop("rating"), match_id=values.pop("match"), **values)
