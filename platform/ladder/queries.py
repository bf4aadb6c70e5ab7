"""What the pages read about ladders, matches and ratings. Nothing here writes.

Every list costs a fixed number of queries whatever its length, and none loads a bot's source or a match's record.
Matches come with `.seats.all()` (in seat order, each with `.version.bot`) already loaded.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Case, Count, F, IntegerField, OuterRef, Prefetch, Q, QuerySet, Subquery, Sum, When
from django.utils import timezone

from bots.models import Bot, BotVersion
from bots.queries import active_versions
from ladder.models import BotLog, Fault, Game, Ladder, Match, Rating, RatingChange, Seat

PROVISIONAL_BELOW = 20
"""Rated matches below which a rating is called provisional."""

_HEAVY = ("version__source", "version__report")


@dataclass(frozen=True)
class Standing:
    """One row of a ladder: a bot as its current version."""

    rank: int | None
    """From 1; None until the version has finished its first rated match."""
    bot: Bot
    version: BotVersion
    rating: Rating
    last_played: dt.datetime | None = None
    """When the version's newest rated match finished."""

    @property
    def win_rate(self) -> float | None:
        """The share of rated matches won, a draw counting half; None before the first."""
        rating = self.rating
        return (rating.wins + rating.draws / 2) / rating.matches if rating.matches else None

    @property
    def is_provisional(self) -> bool:
        """Whether too few matches stand behind the rating to trust its order."""
        return self.rating.matches < PROVISIONAL_BELOW


@dataclass(frozen=True)
class Activity:
    """What is going on: numbers of matches."""

    queued: int
    running: int
    finished: int
    finished_last_hour: int


@dataclass(frozen=True)
class MatchPage:
    """A slice of a list of matches, newest first."""

    matches: list[Match]
    next_before: int | None
    """Pass as `before` for the next slice; None at the end."""


@dataclass(frozen=True)
class RatingPoint:
    """A rating right after a match."""

    match_id: int
    version_number: int
    finished_at: dt.datetime
    before_milli: int
    milli: int


@dataclass(frozen=True)
class OpponentRow:
    """A bot's rated results against one other bot, over all versions of both."""

    opponent: Bot
    matches: int
    wins: int
    draws: int
    losses: int
    score: float
    """Mean score a match, 0..1."""


def open_ladders() -> list[Ladder]:
    """The ladders that are being played, in slug order."""
    return list(Ladder.objects.filter(is_open=True))


def standings(ladder: Ladder) -> list[Standing]:
    """The ladder, best first: the current versions of playing bots; those that wait for a first match come last."""
    ratings = list(
        Rating.objects.filter(ladder=ladder, version__in=active_versions().values("pk"))
        .select_related("version__bot", "version__bot__owner")
        .defer(*_HEAVY)
        .order_by("-milli", "version_id")
        .annotate(last_played=_last_played())
    )
    ratings.sort(key=lambda rating: rating.matches == 0)
    return [
        Standing(
            rank=rank if rating.matches else None,
            bot=rating.version.bot,
            version=rating.version,
            rating=rating,
            last_played=rating.last_played,
        )
        for rank, rating in enumerate(ratings, start=1)
    ]


def _last_played() -> Subquery:
    newest = RatingChange.objects.filter(rating=OuterRef("pk")).order_by("-sequence")
    return Subquery(newest.values("match__finished_at")[:1])


def activity(ladder: Ladder | None = None) -> Activity:
    """How many matches wait, run and are done, on one ladder or on all."""
    matches = Match.objects.all() if ladder is None else Match.objects.filter(ladder=ladder)
    live = matches.filter(state__in=[Match.State.QUEUED, Match.State.RUNNING]).aggregate(
        queued=Count("pk", filter=Q(state=Match.State.QUEUED)),
        running=Count("pk", filter=Q(state=Match.State.RUNNING)),
    )
    finished = (Ladder.objects.all() if ladder is None else Ladder.objects.filter(pk=ladder.pk)).aggregate(
        total=Sum("last_sequence")
    )
    since = timezone.now() - dt.timedelta(hours=1)
    return Activity(
        queued=live["queued"],
        running=live["running"],
        finished=finished["total"] or 0,
        finished_last_hour=matches.filter(state=Match.State.FINISHED, claimed_at__isnull=False, finished_at__gte=since)
        .filter(claimed_at__gte=since - dt.timedelta(hours=1))
        .count(),
    )


def _with_seats(matches: QuerySet[Match]) -> QuerySet[Match]:
    seats = Seat.objects.select_related("version__bot").defer(*_HEAVY).order_by("index")
    return matches.select_related("ladder").prefetch_related(Prefetch("seats", queryset=seats))


def matches_page(
    *, ladder: Ladder | None = None, bot: Bot | None = None, before: int | None = None, limit: int = 50
) -> MatchPage:
    """Matches that are queued, running or finished, newest first; `before` is the id to go on below."""
    matches = Match.objects.exclude(state=Match.State.VOID)
    if ladder is not None:
        matches = matches.filter(ladder=ladder)
    if bot is not None:
        matches = matches.filter(pk__in=Seat.objects.filter(version__bot=bot).values("match"))
    if before is not None:
        matches = matches.filter(pk__lt=before)
    rows = list(_with_seats(matches).order_by("-pk")[: limit + 1])
    return MatchPage(matches=rows[:limit], next_before=rows[limit - 1].pk if len(rows) > limit else None)


def recent_finished(*, ladder: Ladder | None = None, limit: int = 10) -> list[Match]:
    """The matches that finished last, newest first."""
    matches = Match.objects.filter(state=Match.State.FINISHED)
    if ladder is not None:
        return list(_with_seats(matches.filter(ladder=ladder)).order_by("-sequence")[:limit])
    return list(_with_seats(matches).order_by("-finished_at")[:limit])


def match_detail(match_id: int) -> Match | None:
    """One match with seats, games (each with `.faults.all()`) and `.rating_changes.all()` loaded.

    Read `published_seed`, not `seed`: the seed of an unfinished match tells the cards to come.
    """
    games = Prefetch("games", queryset=Game.objects.order_by("number").prefetch_related("faults"))
    changes = Prefetch("rating_changes", queryset=RatingChange.objects.select_related("rating"))
    return _with_seats(Match.objects.filter(pk=match_id)).prefetch_related(games, changes).first()


def seat_logs(match: Match, seat: int) -> list[BotLog]:
    """What the bot in `seat` printed, game by game. For the bot's owner only."""
    return list(BotLog.objects.filter(game__match=match, seat=seat).select_related("game").order_by("game__number"))


def recent_faults(bot: Bot, *, limit: int = 10) -> list[Fault]:
    """The bot's newest faults, each with `.game.match`. For the bot's owner only."""
    return list(
        Fault.objects.filter(game__match__seats__index=F("seat"), game__match__seats__version__bot=bot)
        .select_related("game__match")
        .order_by("-pk")[:limit]
    )


def bot_standings(bot: Bot) -> list[Rating]:
    """The rating of the bot's newest playing version on each of its ladders, open ladders first, then by slug."""
    ratings = (
        Rating.objects.filter(version__bot=bot, version__state=BotVersion.State.ACTIVE)
        .select_related("version__bot", "ladder")
        .defer(*_HEAVY)
        .order_by("-version__number")
    )
    newest: dict[int, Rating] = {}
    for rating in ratings:
        newest.setdefault(rating.ladder_id, rating)
    return sorted(newest.values(), key=lambda rating: (not rating.ladder.is_open, rating.ladder.slug))


def rank_of(bot: Bot, ladder: Ladder) -> int | None:
    """The bot's place on the ladder from 1; None when it is not on it or waits for its first match."""
    return next((row.rank for row in standings(ladder) if row.bot.pk == bot.pk), None)


def rating_history(bot: Bot, ladder: Ladder, *, limit: int = 500) -> list[RatingPoint]:
    """The bot's rating after each of its newest `limit` rated matches, oldest first, versions one after another."""
    changes = (
        RatingChange.objects.filter(rating__ladder=ladder, rating__version__bot=bot)
        .annotate(finished_at=F("match__finished_at"), number=F("rating__version__number"))
        .order_by("-sequence", "-number")
        .values_list("match_id", "number", "finished_at", "before_milli", "delta_milli")[:limit]
    )
    points = [
        RatingPoint(
            match_id=match_id, version_number=number, finished_at=finished_at, before_milli=before, milli=before + delta
        )
        for match_id, number, finished_at, before, delta in changes
    ]
    return points[::-1]


def opponents(bot: Bot, ladder: Ladder) -> list[OpponentRow]:
    """Head to head over the ladder's finished rated matches, most met first."""
    rows = (
        Seat.objects.filter(
            version__bot=bot,
            match__ladder=ladder,
            match__state=Match.State.FINISHED,
            match__is_rated=True,
        )
        .annotate(
            opponent=Subquery(
                Seat.objects.filter(match=OuterRef("match"))
                .exclude(index=OuterRef("index"))
                .values("version__bot_id")[:1]
            )
        )
        .values("opponent")
        .annotate(
            met=Count("pk"),
            wins=_count_scores([3, 4]),
            draws=_count_scores([2]),
            losses=_count_scores([0, 1]),
            quarters=Sum("score_quarters"),
        )
        .order_by("-met", "opponent")
    )
    found = list(rows)
    bots = Bot.objects.in_bulk([row["opponent"] for row in found])
    return [
        OpponentRow(
            opponent=bots[row["opponent"]],
            matches=row["met"],
            wins=row["wins"],
            draws=row["draws"],
            losses=row["losses"],
            score=row["quarters"] / 4 / row["met"],
        )
        for row in found
    ]


def _count_scores(scores: Iterable[int]) -> Count:
    return Count(Case(When(score_quarters__in=list(scores), then=1), output_field=IntegerField()))
