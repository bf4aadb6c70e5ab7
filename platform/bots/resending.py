"""A message that nobody answers is sent again, at growing intervals: where no worker runs they must not pile up."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from bots import clock


@dataclass(frozen=True)
class Patience:
    """How long a message has until it counts as lost: a tenth of what the work has waited, within bounds."""

    least: timedelta
    most: timedelta
    """Whatever was lost and however long the workers were away, work is announced within this time of their return."""

    def after(self, waited: timedelta) -> timedelta:
        """Of work that has waited so long."""
        return min(max(waited / 10, self.least), self.most)


def send_again(waiting: QuerySet[Any], *, since: str, patience: Patience, send: Callable[[int], object]) -> int:
    """Sends the message of each row in `waiting` that is due by its `resend_at`; returns their number.

    `since` names the column that says since when a row waits, `send` takes its key.
    """
    now = clock.now()
    # Due, or due later than anything can be: the database's clock was set back.
    due = waiting.filter(Q(resend_at__lte=now) | Q(resend_at__gt=now + patience.most))
    count = 0
    for key, began, stamp in due.order_by("resend_at").values_list("pk", since, "resend_at"):
        with transaction.atomic():
            # Conditional on the stamp: of two runs at once one sends.
            if waiting.filter(pk=key, resend_at=stamp).update(resend_at=now + patience.after(now - began)):
                send(key)
                count += 1
    return count
