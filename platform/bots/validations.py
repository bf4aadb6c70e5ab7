"""Who validates a version, and what came of it: a claim by conditional UPDATE with a lease, as for matches.

Times are the database's (`bots.clock`).
"""

from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import F, QuerySet

from arena.checks import ValidationReport
from bots import clock, queries
from bots.models import Bot, BotVersion
from bots.outbox import VALIDATION, validate_later
from bots.resending import send_again

LEASE = timedelta(minutes=2)
"""Renewed as hands of the validation games end (`tasks.TELL_SECONDS`), so that a dead worker's claim is soon free."""
LONGEST_WAIT = timedelta(minutes=30)


@dataclass(frozen=True)
class ValidationClaim:
    """The right to validate a version, until the lease runs out."""

    version_id: int
    attempt: int


def claim_validation(*, version_id: int) -> ValidationClaim | None:
    """Take the validation, or None: it is done, or somebody else holds it."""
    free = queries.unheld_validations().filter(pk=version_id)
    attempt = free.values_list("attempt", flat=True).first()
    if attempt is None:
        return None
    now = clock.now()
    # Once the lease ends unrenewed, the next sweep sends a message.
    taken = free.filter(attempt=attempt).update(attempt=F("attempt") + 1, lease_expires_at=now + LEASE, resend_at=now)
    return ValidationClaim(version_id, attempt + 1) if taken else None


def renew_validation(*, claim: ValidationClaim, so_far: ValidationReport) -> bool:
    """Hold the claim for another lease and show what was found so far; False when the claim is lost."""
    return bool(_held(claim).update(lease_expires_at=clock.now() + LEASE, report=so_far.to_dict()))


def record_validation(*, claim: ValidationClaim, report: ValidationReport) -> bool:
    """Write the outcome, once: False when the claim is lost and the report is not wanted any more.

    The first report of a version stands. A valid version brings a benched bot back.
    """
    with transaction.atomic():
        version = _held(claim).select_related("bot").defer("source").select_for_update(of=("self", "bot")).first()
        if version is None:
            return False
        version.state = BotVersion.State.ACTIVE if report.ok else BotVersion.State.REJECTED
        version.report = report.to_dict()
        version.class_name = report.class_name[:200]
        version.validated_at = clock.now()
        version.lease_expires_at = None
        version.house_error = ""
        version.save(update_fields=["state", "report", "class_name", "validated_at", "lease_expires_at", "house_error"])
        current = queries.current_version(version.bot)
        if version.bot.state == Bot.State.BENCHED and current is not None and current.pk == version.pk:
            version.bot.state = Bot.State.ACTIVE
            version.bot.benched_reason = ""
            version.bot.save(update_fields=["state", "benched_reason"])
    return True


def release_validation(*, claim: ValidationClaim, error: str) -> None:
    """Give the claim back after a failure of the house. It is tried again, at growing intervals, for ever."""
    wait = min(timedelta(seconds=15) * 2 ** min(claim.attempt, 10), LONGEST_WAIT)
    _held(claim).update(lease_expires_at=clock.now() + wait, house_error=error)


def hand_back_validation(*, claim: ValidationClaim) -> None:
    """Have it validated at once by another, because its worker is told to stop. Nobody failed."""
    if _held(claim).update(lease_expires_at=None, resend_at=clock.now() + VALIDATION.least):
        validate_later(claim.version_id)


def requeue_stale_validations() -> int:
    """Ask again for every validation that nobody holds and whose message is lost by now; returns how many."""
    return send_again(queries.unheld_validations(), since="created_at", patience=VALIDATION, send=validate_later)


def _held(claim: ValidationClaim) -> QuerySet[BotVersion]:
    return BotVersion.objects.filter(pk=claim.version_id, attempt=claim.attempt, state=BotVersion.State.VALIDATING)
