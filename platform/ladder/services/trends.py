"""Storing how a ladder stood on the days before."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

from django.db import transaction

from ladder.models import Ladder, Trend

BATCH = 2000


def store_trends(*, ladder: Ladder, at: dt.datetime, trends: Iterable[Trend]) -> None:
    """Replaces the ladder's trends by those that look back to `at`."""
    with transaction.atomic():
        Trend.objects.filter(ladder=ladder).delete()
        Trend.objects.bulk_create(trends, batch_size=BATCH)
        # Last, for results wait for whoever holds the ladder's row.
        Ladder.objects.filter(pk=ladder.pk).update(trends_at=at)
