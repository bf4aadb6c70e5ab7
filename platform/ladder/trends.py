"""How a ladder stood a day ago and on the days before, for the movement and the trend that its table shows.

All of it follows from the log of rating changes: a bot's rating at a moment is where its newest rated match before then
left it, whichever version played, and its rank is its place by that rating among the bots that play now. So it is made
anew every hour, for 24 hours before the full hour, 48, and so on; no row is ever carried from day to day, and a rebuilt
ladder (`services.rebuild_ladder`) gets its own past.
"""

from __future__ import annotations

import datetime as dt
import logging
from bisect import bisect_left

from django.db.models import F, OuterRef, Subquery

from bots import clock
from bots.models import Bot
from ladder import services
from ladder.models import Ladder, Match, Rating, RatingChange, Trend

DAYS = 14
"""How many days the trend goes back."""
DAY = dt.timedelta(days=1)

logger = logging.getLogger(__name__)


def update_trends() -> int:
    """Makes the trends of every ladder whose are older than the full hour; returns the number of ladders."""
    hour = clock.now().replace(minute=0, second=0, microsecond=0)
    updated = 0
    for ladder in Ladder.objects.all():
        if ladder.trends_at is not None and ladder.trends_at >= hour - DAY:
            continue
        try:
            updated += services.store_trends(ladder=ladder, at=hour - DAY, trends=trends_of(ladder, hour - DAY))
        except Exception:
            logger.exception("The trends of ladder %s could not be made.", ladder.slug)
    return updated


def trends_of(ladder: Ladder, at: dt.datetime) -> list[Trend]:
    """Of each bot that plays and had a rating at `at`: its rank then, and its ratings then and on the days before."""
    history: dict[int, list[int]] = {}
    newest: dict[int, tuple[int, int]] = {}
    for day in reversed(range(DAYS)):
        newest = _ratings_at(ladder, at - day * DAY)
        for bot, (milli, _) in newest.items():
            history.setdefault(bot, []).append(milli)
    # As `order.Place` puts them: best first, the earlier version first among equals.
    ranked = sorted(newest, key=lambda bot: (-newest[bot][0], newest[bot][1]))
    return [Trend(ladder=ladder, bot_id=bot, rank=rank, millis=history[bot]) for rank, bot in enumerate(ranked, 1)]


def _ratings_at(ladder: Ladder, moment: dt.datetime) -> dict[int, tuple[int, int]]:
    """The rating in milli-Elo at the moment, and the version that had it, of each playing bot rated by then."""
    sequence = _sequence_at(ladder, moment)
    if not sequence:
        return {}
    # Two looks into the index of changes for each rating, however many changes there are.
    changes = (
        RatingChange.objects.filter(rating=OuterRef("pk"), sequence__lte=sequence)
        .order_by("-sequence")
        .annotate(after=F("before_milli") + F("delta_milli"))
    )
    rows = (
        Rating.objects.filter(ladder=ladder, version__bot__state=Bot.State.ACTIVE)
        .annotate(last=Subquery(changes.values("sequence")[:1]), after=Subquery(changes.values("after")[:1]))
        .values_list("last", "version__bot", "after", "version")
    )
    # In the order of matches, so that a bot's newest one is written last.
    played = sorted(row for row in rows if row[0] is not None)
    return {bot: (milli, version) for _, bot, milli, version in played}


def _sequence_at(ladder: Ladder, moment: dt.datetime) -> int:
    """`Match.sequence` of the ladder's last match that finished before the moment; 0 when there is none."""
    finished = Match.objects.filter(ladder=ladder)

    def finished_at(sequence: int) -> dt.datetime:
        return finished.values_list("finished_at", flat=True).get(sequence=sequence) or moment

    # The numbers are given out without a gap, in the order in which matches finish.
    return bisect_left(range(1, ladder.last_sequence + 1), moment, key=finished_at)
