"""What the pages read about ladders, matches and ratings. Nothing here writes.

Every list costs a fixed number of queries whatever its length, and none loads a bot's source or a match's record.
Matches come with `.seats.all()` (in seat order, each with `.version.bot`) already loaded.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Count, F, Prefetch, Q, QuerySet

from bots.models import Bot, BotVersion
from ladder.models import BotLog, Check, Fault, Game, Ladder, Match, Rating, RatingChange, Seat
from ladder.order import order_of

PROVISIONAL_BELOW = 20
"""Rated matches below which a rating is called provisional."""

_HEAVY = ("version__source", "version__report")
# What lists show, and no more: most of the time of a long page would go into columns that nobody reads.
OF_BOT = ("version__number", *(f"version__bot__{name}" for name in ("name", "slug", "is_house", "owner")))
OF_RATING = (
    *("ladder", "version", "milli", "matches", "wins", "draws", "losses"),
    *(f"strength__{name}" for name in ("milli", "low_milli", "high_milli", "is_anchor")),
)
_OF_MATCH = (
    *("ladder", "state", "origin", "is_rated", "queued_at", "finished_at", "sequence"),
    *(f"ladder__{name}" for name in ("slug", "name", "rule_set")),
)
_OF_SEAT = ("match", "index", "version", "score_quarters", "games_won", "points", *OF_BOT)


@dataclass(frozen=True)
class Activity:
    """What is going on: numbers of matches."""

    queued: int
    running: int


@dataclass(frozen=True)
class MatchPage:
    """A slice of a list of matches, newest first."""

    matches: list[Match]
    next_before: int | None
    """Pass as `before` for the next slice; None at the end."""


def open_ladders() -> list[Ladder]:
    """The ladders that are being played, in slug order."""
    return list(Ladder.objects.filter(is_open=True).select_related("fit"))


def alarms() -> list[Check]:
    """The checks of ratings that fail, the oldest alarm first."""
    return list(Check.objects.exclude(alarm="").select_related("ladder").order_by("raised_at"))


def activity(ladder: Ladder | None = None) -> Activity:
    """How many matches wait and run, on one ladder or on all; no private ones."""
    matches = Match.objects.filter(is_private=False)
    if ladder is not None:
        matches = matches.filter(ladder=ladder)
    live = matches.filter(state__in=[Match.State.QUEUED, Match.State.RUNNING]).aggregate(
        queued=Count("pk", filter=Q(state=Match.State.QUEUED)),
        running=Count("pk", filter=Q(state=Match.State.RUNNING)),
    )
    return Activity(queued=live["queued"], running=live["running"])


def _rows_of(matches: QuerySet[Match]) -> list[Match]:
    """As the lists show them: with the columns that they show, and no others."""
    seats = Seat.objects.select_related("version__bot").only(*_OF_SEAT).order_by("index")
    return list(matches.select_related("ladder").only(*_OF_MATCH).prefetch_related(Prefetch("seats", queryset=seats)))


def _with_seats(matches: QuerySet[Match]) -> QuerySet[Match]:
    seats = Seat.objects.select_related("version__bot").defer(*_HEAVY).order_by("index")
    return matches.select_related("ladder").prefetch_related(Prefetch("seats", queryset=seats))


def matches_page(
    *,
    ladder: Ladder | None = None,
    bot: Bot | None = None,
    opponent: Bot | None = None,
    state: Match.State | None = None,
    before: int | None = None,
    limit: int = 50,
) -> MatchPage:
    """Matches that are queued, running or finished, newest first, no private ones; `before` is the id to go on below.

    `opponent` goes with `bot`: the matches in which the two met.
    """
    matches = Match.objects.filter(_in(state), is_private=False)
    if bot is not None:
        keys = _matches_of(bot, ladder=ladder, opponent=opponent, state=state, before=before)[: limit + 1]
        matches = matches.filter(pk__in=keys)
    elif ladder is not None:
        matches = matches.filter(ladder=ladder)
    if before is not None:
        matches = matches.filter(pk__lt=before)
    rows = _rows_of(matches.order_by("-pk")[: limit + 1])
    return MatchPage(matches=rows[:limit], next_before=rows[limit - 1].pk if len(rows) > limit else None)


def _in(state: Match.State | None, prefix: str = "") -> Q:
    return ~Q(**{f"{prefix}state": Match.State.VOID}) if state is None else Q(**{f"{prefix}state": state})


def _matches_of(
    bot: Bot,
    *,
    ladder: Ladder | None,
    opponent: Bot | None,
    state: Match.State | None,
    before: int | None,
) -> QuerySet[Seat, int]:
    """Keys of the bot's matches, newest first: an index has them in this order, whatever else is there."""
    seats = Seat.objects.filter(_in(state, "match__"), bot=bot, match__is_private=False)
    if state in (Match.State.QUEUED, Match.State.RUNNING):
        # A handful among all: named one by one, they spare a walk through the bot's whole history.
        seats = seats.filter(match__in=list(Match.objects.filter(state=state).values_list("pk", flat=True)))
    if ladder is not None:
        seats = seats.filter(ladder=ladder)
    if opponent is not None:
        seats = seats.filter(opponent=opponent)
    if before is not None:
        seats = seats.filter(match__lt=before)
    # A bot that met itself sits in both seats.
    return seats.order_by("-match").values_list("match", flat=True).distinct()


def recent_finished(ladder: Ladder, *, limit: int = 10) -> list[Match]:
    """The ladder's matches that finished last, newest first, no private ones."""
    # Only finished matches have a sequence number; with the bound the index of numbers serves the order.
    finished = Match.objects.filter(ladder=ladder, sequence__gt=0, is_private=False)
    return _rows_of(finished.order_by("-sequence")[:limit])


def recent_challenges(user: User | AnonymousUser, *, limit: int = 10) -> list[Match]:
    """The matches that the user asked for, newest first, void ones too."""
    asked = Match.objects.filter(asked_by=user.pk) if user.is_authenticated else Match.objects.none()
    return list(_with_seats(asked).order_by("-pk")[:limit])


def match_detail(match_id: int) -> Match | None:
    """One match with seats, games (each with `.faults.all()`) and `.rating_changes.all()` loaded; a private one too.

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
    seats = Seat.objects.filter(bot=bot, faults__gt=0).order_by("-match").values_list("match", flat=True)[:limit]
    return list(
        Fault.objects.filter(
            game__match__in=list(seats), game__match__seats__index=F("seat"), game__match__seats__bot=bot
        )
        .select_related("game__match")
        .order_by("-pk")[:limit]
    )


def bot_standings(bot: Bot) -> list[Rating]:
    """The rating of the bot's newest playing version on each of its ladders, open ladders first, then by slug."""
    ratings = (
        Rating.objects.filter(version__bot=bot, version__state=BotVersion.State.ACTIVE)
        .select_related("version", "ladder", "strength")
        .only(*OF_RATING, "version__number", *(f"ladder__{name}" for name in ("slug", "name", "is_open")))
        .order_by("-version__number")
    )
    newest: dict[int, Rating] = {}
    for rating in ratings:
        newest.setdefault(rating.ladder_id, rating)
    return sorted(newest.values(), key=lambda rating: (not rating.ladder.is_open, rating.ladder.slug))


def rank_of(rating: Rating) -> int | None:
    """The place of a rating on its ladder, from 1; None when another version plays or it waits for its first match."""
    return order_of(rating.ladder_id).rank(rating.version_id)
