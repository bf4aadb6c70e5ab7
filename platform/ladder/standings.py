"""The table of a ladder: its rows with how they moved, page by page, whole or of those that a reader looks for."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from django.db.models import OuterRef, Subquery

from bots.models import Bot, BotVersion
from ladder.fresh import Fresh
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
    def win_rate(self) -> float | None:
        """The share of rated matches won, a draw counting half; None before the first."""
        rating = self.rating
        return (rating.wins + rating.draws / 2) / rating.matches if rating.matches else None

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


def standings(ladder: Ladder) -> list[Standing]:
    """The ladder, best first: the current versions of playing bots; those that wait for a first match come last."""
    order = order_of(ladder.pk)
    return _rows(ladder, order, order.places)


def standings_page(
    ladder: Ladder, *, wanted: Wanted = EVERYBODY, after: Place | None = None, limit: int = 50
) -> StandingsPage:
    """`limit` rows of the wanted ones behind a place, with their ranks on the whole ladder."""
    order = order_of(ladder.pk)
    chosen = order.of(_found(ladder, wanted)) if wanted else order
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


class _Sought(NamedTuple):
    """What a search looks at of one version."""

    version: int
    text: str
    """Its bot's and its author's name, a line each, without their case."""
    is_house: bool
    is_settled: bool


def _found(ladder: Ladder, wanted: Wanted) -> set[int]:
    text, shows = wanted.text.casefold(), _SHOWS[wanted.show]
    return {row.version for row in _sought(ladder.pk) if text in row.text and shows(row)}


def _read(ladder_id: int) -> list[_Sought]:
    rows = Rating.objects.filter(ladder=ladder_id).values_list(
        "version", "version__bot__name", "version__bot__owner__username", "version__bot__is_house", "matches"
    )
    return [
        _Sought(version, f"{name}\n{author or ''}".casefold(), is_house, matches >= PROVISIONAL_BELOW)
        for version, name, author, is_house, matches in rows
    ]


_sought: Fresh[int, list[_Sought]] = Fresh(_read)
"""All versions on the ladder with that key. Kept for a moment, as its order is: a search is asked for with every letter
that is typed, and no index of the database finds what stands in the middle of a name."""
_SHOWS: dict[Show, Callable[[_Sought], bool]] = {
    Show.ALL: lambda _: True,
    Show.PEOPLE: lambda row: not row.is_house,
    Show.HOUSE: lambda row: row.is_house,
    Show.SETTLED: lambda row: row.is_settled,
    Show.PROVISIONAL: lambda row: not row.is_settled,
}


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
