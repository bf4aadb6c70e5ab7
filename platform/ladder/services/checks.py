"""What the checks of ratings found: kept for operators, who are told when one begins to fail."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from django.core.mail import mail_admins
from django.db import transaction

from bots import clock
from ladder.models import Check, Ladder

SHOWN = 3
"""Problems that an alarm spells out; the rest it counts."""

logger = logging.getLogger(__name__)


def record_check(*, ladder: Ladder, name: str, seconds: float, problems: Sequence[str], advice: str) -> Check:
    """Keeps the outcome. A check that begins to fail raises its alarm, in the log and by mail; a pass ends it."""
    with transaction.atomic():
        check, _ = Check.objects.select_for_update().get_or_create(ladder=ladder, name=name)
        was_failing = bool(check.alarm)
        check.checked_at = clock.now()
        check.seconds = seconds
        check.alarm = _alarm(problems, advice)
        if not check.alarm:
            check.raised_at = None
        elif not was_failing:
            check.raised_at = check.checked_at
        check.save()
    if check.alarm and not was_failing:
        logger.error("The check of %s fails on ladder %s: %s", name, ladder.slug, check.alarm)
        _mail(ladder, check)
    elif was_failing and not check.alarm:
        logger.warning("The check of %s passes again on ladder %s.", name, ladder.slug)
    return check


def _alarm(problems: Sequence[str], advice: str) -> str:
    if not problems:
        return ""
    more = len(problems) - SHOWN
    return " ".join([*problems[:SHOWN], *([f"And {more} more."] if more > 0 else []), advice])


def _mail(ladder: Ladder, check: Check) -> None:
    try:
        mail_admins(f"Ladder {ladder.slug}: the check of {check.name} fails", check.alarm)
    except OSError:
        logger.exception("The mail about it could not be sent.")
