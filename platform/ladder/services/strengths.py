"""Bradley-Terry fits: who makes the next one, and storing what came out."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

from django.db import transaction
from django.db.models import F, Q

from bots import clock
from ladder.models import Fit, Ladder, Strength

LEASE = dt.timedelta(minutes=10)
"""A worker that has not stored its fit by then is taken for dead."""
SHARE = 0.05
"""The share of one core that fits may cost: after one that took 10 seconds the ladder waits 200."""
BATCH = 2000


def claim_fit(*, ladder: Ladder) -> bool:
    """Takes the ladder's next fit for the caller; False when nothing is new, it is too soon, or another has it."""
    now = clock.now()
    fit, _ = Fit.objects.get_or_create(ladder=ladder)
    if fit.computed_at is not None and now < fit.computed_at + dt.timedelta(seconds=fit.seconds / SHARE):
        return False
    free = Fit.objects.filter(Q(busy_until=None) | Q(busy_until__lt=now), ladder=ladder)
    return free.filter(sequence__lt=F("ladder__last_sequence")).update(busy_until=now + LEASE) == 1


def release_fit(*, ladder: Ladder) -> None:
    """Gives a claimed fit back undone."""
    Fit.objects.filter(ladder=ladder).update(busy_until=None)


def store_fit(*, fit: Fit, strengths: Iterable[Strength]) -> bool:
    """Replaces the ladder's fit and its strengths; False when a newer one is there already."""
    fit.computed_at = clock.now()
    fit.busy_until = None
    with transaction.atomic():
        newest = Fit.objects.select_for_update().filter(ladder=fit.ladder_id).first()
        if newest is not None and newest.sequence > fit.sequence:
            return False
        fit.save()
        Strength.objects.bulk_create(
            strengths,
            batch_size=BATCH,
            update_conflicts=True,
            unique_fields=["rating"],
            update_fields=["milli", "low_milli", "high_milli", "is_anchor"],
        )
    return True
