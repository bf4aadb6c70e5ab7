"""Who plays next: keeps as many matches waiting as the workers take, and as many of each open ladder as of any other.

Choosing reads and locks nothing; what was chosen is stored ladder by ladder, each under its own lock for a moment. A
match costs the same among a hundred bots and ten thousand (`arena.pairing`); a run reads the ratings once for every
ladder that lacks matches. Where those are thousands, a run is followed by a rest: the queue lasts.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import logging
import random
import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import Count, F, QuerySet

from arena.elo import START_MILLI
from arena.pairing import Candidate, pairings
from bots import clock
from bots.models import BotVersion
from bots.queries import active_versions
from ladder import services
from ladder.models import Ladder, Match, Rating, Seat, Strength
from ladder.services.ratings import lock_ladder

PACE = dt.timedelta(seconds=max(10, 3 * settings.SCHEDULE_SECONDS))
"""The queue holds what the workers claimed in this time: several runs of the scheduler ahead of them."""
MEETINGS_WINDOW = 200
"""Newest matches of a bot in which its meetings are counted: what was played long ago need not be avoided."""

MANY = 2_000
"""Bots of which reading and weighing takes a fair part of a second, every time, were it for one match."""
REST = PACE / 2
"""After a run among more."""

NARROW = 40_000
"""Half a 95 % interval in thousandths of an Elo point; about what a hundred and seventy matches leave."""

LIVE = (Match.State.QUEUED, Match.State.RUNNING)

logger = logging.getLogger(__name__)
_rests_until = 0.0  # this process, on the steady clock


class Player(NamedTuple):
    """A version that plays: its key, its bot's, and the owner's (None for the house)."""

    version: int
    bot: int
    owner: int | None


def schedule(*, house_only: bool, rng: random.Random | None = None) -> int:
    """Tops up the queue of every open ladder; returns the number of matches queued. A ladder that fails holds up none.

    The queue's depth is one for all ladders: the next match goes to the ladder with the fewest waiting, in turns, so
    that each gets an equal part of the workers, and what one cannot use goes to the others.
    `house_only` leaves uploaded bots out, where there is no sandbox for them.
    """
    global _rests_until  # noqa: PLW0603
    if time.monotonic() < _rests_until:
        return 0
    rng = rng or random.SystemRandom()
    ladders = {ladder.pk: ladder for ladder in Ladder.objects.filter(is_open=True)}
    waiting = _waiting(ladders)
    missing = _depth(ladders) - waiting.total()
    if missing <= 0:
        return 0
    players = _players(house_only=house_only)
    if len(players) > MANY:
        _rests_until = time.monotonic() + REST.total_seconds()
    draws = {pk: _draws(ladder, players, rng) for pk, ladder in ladders.items()}
    planned: dict[int, list[tuple[int, int]]] = {pk: [] for pk in ladders}
    while missing > 0 and draws:
        # Ties by lot: with fewer matches than ladders none of them is always the last.
        pk = min(draws, key=lambda pk: (waiting[pk] + len(planned[pk]), rng.random()))
        with _alone(ladders[pk]):
            if pair := next(draws[pk], None):
                planned[pk].append(pair)
                missing -= 1
                continue
        del draws[pk]
    queued = 0
    for pk, pairs in planned.items():
        with _alone(ladders[pk]):
            queued += _store(ladders[pk], pairs, most=waiting[pk] + len(pairs))
    return queued


@contextlib.contextmanager
def _alone(ladder: Ladder) -> Iterator[None]:
    """Keeps a failure to the ladder it happened on."""
    try:
        yield
    except Exception:
        logger.exception("Ladder %s could not be scheduled.", ladder.slug)


def _depth(ladders: Collection[int]) -> int:
    """How many matches should wait, on all ladders together."""
    return depth(Match.objects.filter(ladder__in=ladders), least=settings.LADDER_QUEUE_DEPTH)


def depth(matches: QuerySet[Match], *, least: int) -> int:
    """How many of these matches should wait: `least`; with busy workers what they claim in PACE, and one for each.

    A worker is known by the matches it holds and takes, on whatever machine it runs: more workers empty a queue that
    follows them sooner.
    """
    now = clock.now()
    claimed = matches.filter(claimed_at__gte=now - PACE).count()
    running = Match.objects.filter(state=Match.State.RUNNING, lease_expires_at__gt=now)
    busy = running.values("worker").distinct().count()
    return max(least, claimed, busy)


def _waiting(ladders: Collection[int]) -> Counter[int]:
    """Queued matches by ladder; challenges come on top."""
    queued = Match.objects.filter(state=Match.State.QUEUED, ladder__in=ladders, origin=Match.Origin.LADDER).order_by()
    return Counter(dict(queued.values_list("ladder").annotate(Count("pk"))))


def _players(*, house_only: bool) -> list[Player]:
    versions = active_versions().order_by()
    if house_only:
        versions = versions.filter(bot__is_house=True)
    return [Player(*row) for row in versions.values_list("pk", "bot_id", "bot__owner_id")]


def _draws(ladder: Ladder, players: Sequence[Player], rng: random.Random) -> Iterator[tuple[int, int]]:
    """The versions of the ladder's next matches; one now and then when all is known, none when no two may meet."""
    candidates = _candidates(ladder, players)
    pairs = pairings(candidates, lambda first: _meetings(ladder, first), rng, running=_running(ladder))
    if _is_settled(ladder, candidates):
        # There is little to learn, and the machine has better things to do.
        pairs = islice(pairs, 0 if _rests(ladder) else 1)
    yield from pairs


def _is_settled(ladder: Ladder, candidates: Sequence[Candidate]) -> bool:
    """Whether every bot has played SETTLED_MATCHES, or is known to NARROW by the newest Bradley-Terry fit."""
    fewest = min((one.games for one in candidates), default=0)
    if fewest == 0 or fewest >= settings.SETTLED_MATCHES:
        return fewest > 0
    strengths = Strength.objects.filter(rating__ladder=ladder, high_milli__lte=F("low_milli") + 2 * NARROW)
    return {one.id for one in candidates} <= set(strengths.values_list("rating__version", flat=True))


def _rests(ladder: Ladder) -> bool:
    """Whether the ladder's newest match waits, or was queued in the last TRICKLE_SECONDS."""
    newest = Match.objects.filter(ladder=ladder, origin=Match.Origin.LADDER).order_by("-pk").first()
    if newest is None:
        return False
    since = clock.now() - dt.timedelta(seconds=settings.TRICKLE_SECONDS)
    return newest.state == Match.State.QUEUED or newest.queued_at >= since


def _candidates(ladder: Ladder, players: Sequence[Player]) -> list[Candidate]:
    """Every player at its rating; who is new to the ladder at that of its bot's version before, or at the start."""
    ratings = Rating.objects.filter(ladder=ladder).order_by()
    rows = ratings.filter(version__in=active_versions().values("pk")).values_list("version_id", "milli", "matches")
    known = {version: (milli, matches) for version, milli, matches in rows}
    new = [one.bot for one in players if one.version not in known]
    before = dict(
        ratings.filter(version__bot__in=new, version__state=BotVersion.State.ACTIVE)
        .order_by("version__number")
        .values_list("version__bot_id", "milli")
    )
    return [
        Candidate(one.version, one.owner, *known.get(one.version, (before.get(one.bot, START_MILLI), 0)))
        for one in players
    ]


def _running(ladder: Ladder) -> Counter[int]:
    """Queued and running matches by version."""
    seats = Seat.objects.filter(ladder=ladder, match__state__in=LIVE).order_by()
    return Counter(dict(seats.values_list("version_id").annotate(Count("pk"))))


def _meetings(ladder: Ladder, first: int) -> Counter[int]:
    """How often the version met each other one, or will, in its newest matches on the ladder."""
    own = Seat.objects.filter(version=first, ladder=ladder).exclude(match__state=Match.State.VOID)
    newest = list(own.order_by("-match").values_list("match", flat=True)[:MEETINGS_WINDOW])
    return Counter(Seat.objects.filter(match__in=newest).exclude(version=first).values_list("version", flat=True))


def _store(ladder: Ladder, pairs: Sequence[tuple[int, int]], *, most: int) -> int:
    """Queues the pairs as far as no more than `most` wait then; returns their number.

    Under the ladder's lock: of two schedulers at once, the second finds the queue full.
    """
    versions = BotVersion.objects.select_related("bot").defer("source", "report").in_bulk({*chain(*pairs)})
    with transaction.atomic():
        lock_ladder(ladder.pk)
        room = most - _waiting([ladder.pk])[ladder.pk]
        stored = pairs[: max(0, room)]
        for pair in stored:
            services.enqueue_match(ladder=ladder, versions=[versions[key] for key in pair])
    return len(stored)
