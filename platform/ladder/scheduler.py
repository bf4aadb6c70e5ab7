"""Who plays next: tops up the queue of every open ladder, in proportion to what the workers take from it."""

from __future__ import annotations

import datetime as dt
import logging
import random
from collections import Counter
from collections.abc import Mapping

from django.conf import settings
from django.db import transaction
from django.db.models import Count
from django.utils import timezone

from arena.pairing import Candidate, choose_pair, pair_key
from bots.models import BotVersion
from bots.queries import active_versions
from ladder import services
from ladder.models import Ladder, Match, Rating, Seat
from ladder.services.ratings import lock_ladder

PACE = dt.timedelta(seconds=10)
"""The queue holds what the workers claimed in this time: several runs of the scheduler ahead of them."""
MEETINGS_WINDOW = 5_000
"""Newest matches of a ladder in which meetings are counted: what was played long ago need not be avoided."""

LIVE = (Match.State.QUEUED, Match.State.RUNNING)

logger = logging.getLogger(__name__)


def schedule(*, house_only: bool, rng: random.Random | None = None) -> int:
    """Tops up every open ladder; returns the number of matches queued. A ladder that fails holds up no other.

    `house_only` leaves uploaded bots out, where there is no sandbox for them.
    """
    rng = rng or random.SystemRandom()
    queued = 0
    for ladder in Ladder.objects.filter(is_open=True):
        try:
            queued += top_up(ladder, house_only=house_only, rng=rng)
        except Exception:
            logger.exception("Ladder %s could not be scheduled.", ladder.slug)
    return queued


def top_up(ladder: Ladder, *, house_only: bool, rng: random.Random) -> int:
    """Queues as many matches as the ladder lacks; returns their number.

    Under the ladder's lock: of two schedulers at once, the second finds the queue full.
    """
    with transaction.atomic():
        lock_ladder(ladder.pk)
        waiting = Match.objects.filter(ladder=ladder, state=Match.State.QUEUED).count()
        missing = _depth(ladder) - waiting
        if missing <= 0:
            return 0
        versions = {version.pk: version for version in _playing(house_only=house_only)}
        ratings = _ratings(ladder, versions)
        if all(rating.matches >= settings.SETTLED_MATCHES for rating in ratings.values()):
            missing = _trickle(ladder, waiting)
        running = _running(ladder)
        meetings = _meetings(ladder, versions)
        for count in range(missing):
            candidates = [
                Candidate(pk, version.bot.owner_id, ratings[pk].milli, ratings[pk].matches, running[pk])
                for pk, version in versions.items()
            ]
            pair = choose_pair(candidates, meetings, rng)
            if pair is None:
                return count
            services.enqueue_match(ladder=ladder, versions=[versions[pk] for pk in pair])
            running.update(pair)
            meetings[pair_key(*pair)] += 1
        return max(missing, 0)


def _depth(ladder: Ladder) -> int:
    """How many matches should wait: a few, and with busy workers what they claim in PACE."""
    claimed = Match.objects.filter(ladder=ladder, claimed_at__gte=timezone.now() - PACE).count()
    return max(int(settings.LADDER_QUEUE_DEPTH), claimed)


def _trickle(ladder: Ladder, waiting: int) -> int:
    """One match now and then: every rating has settled, and the machine has better things to do."""
    since = timezone.now() - dt.timedelta(seconds=settings.TRICKLE_SECONDS)
    recent = Match.objects.filter(ladder=ladder, queued_at__gte=since).exists()
    return 0 if waiting or recent else 1


def _playing(*, house_only: bool) -> list[BotVersion]:
    versions = active_versions().defer("source", "report")
    return list(versions.filter(bot__is_house=True) if house_only else versions)


def _ratings(ladder: Ladder, versions: Mapping[int, BotVersion]) -> dict[int, Rating]:
    """Every version's rating by version key; those that are new here enter now."""
    found = {rating.version_id: rating for rating in Rating.objects.filter(ladder=ladder, version__in=versions)}
    new = {pk: version for pk, version in versions.items() if pk not in found}
    return found | {pk: services.enter_ladder(ladder=ladder, version=version) for pk, version in new.items()}


def _running(ladder: Ladder) -> Counter[int]:
    """Queued and running matches by version."""
    seats = Seat.objects.filter(match__ladder=ladder, match__state__in=LIVE)
    return Counter(dict(seats.values_list("version_id").annotate(Count("pk"))))


def _meetings(ladder: Ladder, versions: Mapping[int, BotVersion]) -> Counter[tuple[int, int]]:
    """How often each two of the versions met, or will, in the newest matches of the ladder."""
    newest = Match.objects.filter(ladder=ladder).exclude(state=Match.State.VOID).order_by("-pk")
    oldest = newest.values_list("pk", flat=True)[MEETINGS_WINDOW : MEETINGS_WINDOW + 1].first() or 0
    seats = Seat.objects.filter(match__ladder=ladder, match__gt=oldest, version__in=versions)
    pairs: dict[int, set[int]] = {}
    for match_id, version_id in seats.exclude(match__state=Match.State.VOID).values_list("match_id", "version_id"):
        pairs.setdefault(match_id, set()).add(version_id)
    return Counter(pair_key(*pair) for pair in pairs.values() if len(pair) == 2)
