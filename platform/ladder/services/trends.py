"""Storing how a ladder stood on the days before."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

from django.db import transaction

from ladder.models import Ladder, Trend

BATCH = 2000


def store_trends(*, ladder: Ladder, at: dt.datetime, trends: Iterable[Trend]) -> bool:
    """Replaces the ladder's trends by those that look back to `at`.

    False, and nothing is stored, when the ladder was rebuilt since `ladder` was read: they may be of the old ratings.
    """
    with transaction.atomic():
        Trend.objects.filter(ladder=ladder).delete()
        Trend.objects.bulk_create(trends, batch_size=BATCH)
        # Last, for results wait for whoever holds the ladder's row.
        if not Ladder.objects.filter(pk=ladder.pk, trends_at=ladder.trends_at).update(trends_at=at):
            transaction.set_rollback(True)
            return False
    return True
