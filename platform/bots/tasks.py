"""What the workers do about bots. Each task may be delivered twice and may die anywhere: the claim decides."""

import logging
from functools import partial

from celery import shared_task
from sandbox.drivers.base import DriverUnavailable, Limits
from sandbox.validation import validate

from arena.player import HouseFailure
from bots import queries, sandboxes, validations
from bots.models import BotVersion
from sandbox.report import ValidationReport

log = logging.getLogger(__name__)


@shared_task
def validate_version(version_id: int) -> None:
    """Validate the version in the sandbox, unless that is done or another worker is at it."""
    claim = validations.claim_validation(version_id=version_id)
    if claim is None:
        return
    try:
        report = _validate(claim)
    except (HouseFailure, DriverUnavailable) as failure:
        log.warning("The validation of version %s failed on our side: %s", version_id, failure)
        validations.release_validation(claim=claim, error=str(failure))
    except Exception:
        validations.release_validation(claim=claim, error="An unexpected error; it is in the worker's log.")
        raise
    else:
        validations.record_validation(claim=claim, report=report)


def _validate(claim: validations.ValidationClaim) -> ValidationReport:
    version = BotVersion.objects.select_related("bot").get(pk=claim.version_id)
    driver = sandboxes.get_driver()
    if driver.trusted_only:
        raise HouseFailure(f"The sandbox {driver.name} is not safe for uploaded code.")
    heartbeat = partial(validations.renew_validation, claim)
    return validate(driver, queries.source_of(version), Limits(), heartbeat=heartbeat)


@shared_task
def requeue_stale_validations() -> None:
    """Beat: ask again for validations whose worker died or whose message was lost."""
    validations.requeue_stale_validations()


@shared_task
def report_sandbox() -> None:
    """Beat: tell the site whether uploads can be run."""
    sandboxes.report_sandbox()
