"""The table of a ladder: its rows with how they moved, page by page, whole or of those that a reader looks for."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from django.contrib.auth.models import User
from django.db.models import OuterRef, Q, Subquery

from bots.models import Bot, BotVersion
from ladder.models import Ladder, Rating, RatingChange, Trend
from ladder.order import Order, Place, order_of
from ladder.queries import OF_BOT, OF_RATING, PROVISIONAL_BELOW


class Show(StrEnum):
    """Which bots of a ladder a reader wants to see."""

    ALL = "all"
    PEOPLE = "people"
    """Not the arena's own."""
    HOUSE = "house"
    SETTLED = "settled"
    """With PROVISIONAL_BELOW rated matches or more."""
    PROVISIONAL = "provisional"


@dataclass(frozen=True)
class Wanted:
    """What a reader looks for on a ladder."""

    text: str = ""
    """A part of the bot's or its author's name, in any case; empty for any."""
    show: Show = Show.ALL

    def __bool__(self) -> bool:
        return bool(self.text) or self.show != Show.ALL


EVERYBODY = Wanted()


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
    rank_before: int | None = None
    """The bot's rank a day before (`Ladder.trends_at`); None when it had none."""
    past: Sequence[int] = ()
    """The bot's ratings in milli-Elo day by day, oldest first, the last one of a day before."""

    @property
    def is_provisional(self) -> bool:
        """Whether too few matches stand behind the rating to trust its order."""
        return self.rating.matches < PROVISIONAL_BELOW

    @property
    def movement(self) -> int | None:
        """Places won since a day before, negative for lost ones; None without a rank now or then."""
        return None if self.rank is None or self.rank_before is None else self.rank_before - self.rank


@dataclass(frozen=True)
class StandingsPage:
    """A slice of a ladder."""

    rows: list[Standing]
    next_after: Place | None
    """Pass as `after` for the next slice; None at the end."""
    previous_after: Place | None
    """Pass as `after` for the slice before; None for the first or second."""
    is_first: bool
    total: int
    """Bots on the whole ladder."""
    found: int
    """Those of them that are wanted."""


def standings_page(
    ladder: Ladder, *, wanted: Wanted = EVERYBODY, after: Place | None = None, limit: int = 50
) -> StandingsPage:
    """`limit` rows of the wanted ones behind a place, best first, with their ranks on the whole ladder.

    A row is the current version of a bot that plays; those that wait for a first match come last.
    """
    order = order_of(ladder.pk)
    chosen = _chosen(ladder, order, wanted) if wanted else order
    start = chosen.after(after)
    places = chosen.places[start : start + limit]
    return StandingsPage(
        rows=_rows(ladder, order, places),
        next_after=places[-1] if start + limit < len(chosen.places) else None,
        previous_after=chosen.places[start - limit - 1] if start > limit else None,
        is_first=start == 0,
        total=len(order.places),
        found=len(chosen.places),
    )


def standings_of(ladder: Ladder, bots: Sequence[Bot]) -> dict[int, Standing]:
    """By key those of the bots that are on the ladder."""
    order = order_of(ladder.pk)
    versions = Rating.objects.filter(ladder=ladder, version__bot__in=bots).values_list("version", flat=True)
    places = [order.places[index] for version in versions if (index := order.index.get(version)) is not None]
    return {row.bot.pk: row for row in _rows(ladder, order, places)}


def _chosen(ladder: Ladder, order: Order, wanted: Wanted) -> Order:
    if wanted.text:
        # Two walks, through bots and through authors: a walk through both at once takes several times as long.
        authors = User.objects.filter(username__icontains=wanted.text).values("pk")
        bots = Bot.objects.filter(Q(name__icontains=wanted.text) | Q(owner__in=authors))
        order = order.of_bots(bots.values_list("pk", flat=True))
    match wanted.show:
        case Show.PEOPLE | Show.HOUSE:
            bots = Bot.objects.filter(is_house=wanted.show == Show.HOUSE)
            return order.of_bots(bots.values_list("pk", flat=True))
        case Show.SETTLED | Show.PROVISIONAL:
            ratings = Rating.objects.filter(ladder=ladder)
            settled = Q(matches__gte=PROVISIONAL_BELOW)
            shown = ratings.filter(settled if wanted.show == Show.SETTLED else ~settled)
            return order.of(shown.values_list("version", flat=True))
    return order


def _rows(ladder: Ladder, order: Order, places: Sequence[Place]) -> list[Standing]:
    found = (
        Rating.objects.filter(ladder=ladder, version__in=[place.version for place in places])
        .select_related("version__bot__owner", "strength")
        .only(*OF_RATING, *OF_BOT, "version__bot__owner__username")
        .annotate(last_played=_last_played())
    )
    ratings = {rating.version_id: rating for rating in found}
    trends = {
        bot: (rank, millis)
        for bot, rank, millis in Trend.objects.filter(
            ladder=ladder, bot__in=[rating.version.bot_id for rating in ratings.values()]
        ).values_list("bot", "rank", "millis")
    }
    return [
        Standing(
            order.rank(place.version),
            rating.version.bot,
            rating.version,
            rating,
            rating.last_played,
            *trends.get(rating.version.bot_id, (None, ())),
        )
        for place in places
        if (rating := ratings.get(place.version)) is not None
    ]


def _last_played() -> Subquery:
    newest = RatingChange.objects.filter(rating=OuterRef("pk")).order_by("-sequence")
    return Subquery(newest.values("match__finished_at")[:1])
