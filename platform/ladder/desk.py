"""What an owner wants to know of his bots' play: what is under way, where they failed, what they printed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import OuterRef, Subquery

from bots.models import Bot, BotVersion
from bots.queries import live_bots
from ladder import queries
from ladder.models import BotLog, Fault, Match, Rating, Seat

FAULTS = 5
LOGS = 3
"""Newest matches of a bot whose prints are shown."""
LONGEST_LOG = 4_000
"""Characters of a print; the page of its match has the rest."""


@dataclass(frozen=True)
class Waiting:
    """A match of the bot that is queued or being played."""

    match: Match
    opponent: str
    place: int | None
    """In the queue, from 1; None once it is being played."""


@dataclass(frozen=True)
class Printed:
    """What the bot printed in one game."""

    match_id: int
    game: int
    """From 1."""
    text: str
    is_cut: bool


@dataclass(frozen=True)
class Desk:
    """One bot's play."""

    rating: Rating | None
    """On its first ladder."""
    rank: int | None
    waiting: list[Waiting]
    """Those being played first, then in the order of the queue."""
    faults: list[Fault]
    """The newest, each with `.game.match`."""
    logs: list[Printed]


def desks_of(owner: AbstractBaseUser | AnonymousUser) -> dict[int, Desk]:
    """The play of the owner's bots that are not retired, by the bot's key: for the owner alone.

    As many queries for many bots as for one.
    """
    bots = list(live_bots(owner).values_list("pk", flat=True))
    ratings = _ratings(bots)
    waiting, faults, logs = _waiting(bots), _faults(bots), _logs(bots)
    return {
        bot: Desk(
            rating=ratings.get(bot),
            rank=queries.rank_of(ratings[bot]) if bot in ratings else None,
            waiting=waiting[bot],
            faults=faults[bot],
            logs=logs[bot],
        )
        for bot in bots
    }


def _ratings(bots: Sequence[int]) -> dict[int, Rating]:
    """Of each bot's newest version on its first ladder."""
    active = Rating.objects.filter(version__bot__in=bots, version__state=BotVersion.State.ACTIVE)
    rows = active.select_related("version", "ladder").defer("version__source", "version__report")
    first: dict[int, Rating] = {}
    for rating in rows.order_by("-ladder__is_open", "ladder__slug", "-version__number"):
        first.setdefault(rating.version.bot_id, rating)
    return first


def _waiting(bots: Sequence[int]) -> dict[int, list[Waiting]]:
    live = Match.objects.filter(state__in=[Match.State.QUEUED, Match.State.RUNNING]).order_by("pk")
    places: dict[int, int | None] = {}
    ahead: Counter[str] = Counter()
    for key, state, origin in live.values_list("pk", "state", "origin"):
        ahead[origin] += state == Match.State.QUEUED
        places[key] = ahead[origin] if state == Match.State.QUEUED else None
    seats = Seat.objects.filter(bot__in=bots, match__in=places).select_related("match__ladder", "opponent")
    found: dict[int, dict[int, Waiting]] = defaultdict(dict)  # by match: a bot that meets itself sits on both sides
    for seat in seats.order_by("match"):
        found[seat.bot_id][seat.match_id] = Waiting(seat.match, seat.opponent.name, places[seat.match_id])
    return defaultdict(
        list,
        {
            bot: sorted(own.values(), key=lambda one: (one.place is not None, one.match.pk))
            for bot, own in found.items()
        },
    )


def _faults(bots: Sequence[int]) -> dict[int, list[Fault]]:
    bot_of = {(match, seat): bot for bot, match, seat in _newest(bots, FAULTS, faults__gt=0)}
    rows = Fault.objects.filter(game__match__in={match for match, _ in bot_of}).select_related("game__match")
    found: dict[int, list[Fault]] = defaultdict(list)
    for fault in rows.order_by("-pk"):
        bot = bot_of.get((fault.game.match_id, fault.seat))
        if bot is not None and len(found[bot]) < FAULTS:
            found[bot].append(fault)
    return found


def _logs(bots: Sequence[int]) -> dict[int, list[Printed]]:
    # By the bots' newest matches: what they printed years ago needs no index of its own.
    bot_of = {(match, seat): bot for bot, match, seat in _newest(bots, LOGS, score_quarters__isnull=False)}
    rows = BotLog.objects.filter(game__match__in={match for match, _ in bot_of}).select_related("game")
    found: dict[int, list[Printed]] = defaultdict(list)
    for log in rows.order_by("-game__match", "game__number"):
        bot = bot_of.get((log.game.match_id, log.seat))
        if bot is not None:
            is_cut = len(log.text) > LONGEST_LOG
            found[bot].append(Printed(log.game.match_id, log.game.number + 1, log.text[:LONGEST_LOG], is_cut))
    return found


def _newest(bots: Sequence[int], count: int, **which: object) -> list[tuple[int, int, int]]:
    """Each bot with its newest matches, and its seat in them; every one is found by an index."""
    mine = Seat.objects.filter(bot=OuterRef("pk"), **which).order_by("-match").values("pk")
    places = [Subquery(mine[place : place + 1]) for place in range(count)]
    keys = [key for row in Bot.objects.filter(pk__in=bots).order_by().values_list(*places) for key in row if key]
    return list(Seat.objects.filter(pk__in=keys).values_list("bot", "match", "index"))
