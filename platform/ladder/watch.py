"""Checks of the ratings that go on by themselves, the cheap ones often, the whole refold and the tallies rarely.

Each reads what is stored and says in sentences what contradicts it; `services.record_check` makes it an alarm that an
operator sees in the admin, at /healthz, in the log and by mail. None of them changes a rating.
"""

from __future__ import annotations

import datetime as dt
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from bots import clock
from ladder import services
from ladder.fold import FoldError
from ladder.models import Check, Ladder, Strength

SHARE = 0.02
"""The share of one core that a check may cost: after one that took a minute it rests for fifty."""
SETTLED = 50
"""Rated matches from which Elo is near its place, so that Bradley-Terry may be held against it."""
APART = 150.0
"""Elo points, beside two half intervals, that the two ratings of a version may be apart."""

REBUILD = "`manage.py ladder verify` tells all of it, `manage.py ladder rebuild` rewrites the ratings from the matches."

logger = logging.getLogger(__name__)


def agreement(*, ladder: Ladder) -> list[str]:
    """Elo against Bradley-Terry, whose scales may lie apart by the same for everybody."""
    settled = Strength.objects.filter(rating__ladder=ladder, rating__matches__gte=SETTLED)
    rows = list(
        settled.select_related("rating__version__bot").defer("rating__version__source", "rating__version__report")
    )
    if not rows:
        return []
    offset = median(row.rating.milli - row.milli for row in rows)
    return [
        f"{row.rating.version} has {row.rating.points} by Elo and {row.points} ± {row.margin} by Bradley-Terry."
        for row in rows
        if abs(row.rating.milli - row.milli - offset) > 1000 * APART + row.high_milli - row.low_milli
    ]


@dataclass(frozen=True)
class Kind:
    """A check, how often it runs while it is cheap, and what to do when it fails."""

    name: str
    period: dt.timedelta
    problems: Callable[..., Sequence[str]]
    advice: str


KINDS = (
    Kind("newest", dt.timedelta(minutes=1), services.verify_newest, REBUILD),
    Kind("sums", dt.timedelta(minutes=15), services.verify_sums, REBUILD),
    Kind("whole", dt.timedelta(hours=6), services.verify_ladder, REBUILD),
    Kind("tallies", dt.timedelta(hours=6), services.verify_tallies, REBUILD),
    Kind(
        "agreement",
        dt.timedelta(minutes=5),
        agreement,
        "The same matches give both; look first whether `manage.py ladder verify` finds Elo in order.",
    ),
)


def watch() -> int:
    """Runs every check that is due, on every ladder; returns their number. One that breaks holds up no other."""
    run = 0
    for ladder in Ladder.objects.all():
        checks = {check.name: check for check in Check.objects.filter(ladder=ladder)}
        for kind in KINDS:
            if not _is_due(kind, checks.get(kind.name)):
                continue
            try:
                check(ladder, kind)
                run += 1
            except Exception:
                logger.exception("The check of %s could not be made on ladder %s.", kind.name, ladder.slug)
    return run


def check(ladder: Ladder, kind: Kind) -> Check:
    """Runs one check now."""
    began = time.perf_counter()
    try:
        problems = kind.problems(ladder=ladder)
    except FoldError as error:
        problems = [f"The log of matches contradicts itself: {error}"]
    seconds = time.perf_counter() - began
    return services.record_check(ladder=ladder, name=kind.name, seconds=seconds, problems=problems, advice=kind.advice)


def _is_due(kind: Kind, last: Check | None) -> bool:
    if last is None:
        return True
    rest = max(kind.period, dt.timedelta(seconds=last.seconds / SHARE))
    return clock.now() >= last.checked_at + rest
