"""What the workers do about bots. Each task may be delivered twice and may die anywhere: the claim decides."""

import logging
from time import monotonic
from typing import Any

from billiard import current_process
from celery import shared_task
from celery.signals import worker_process_init, worker_process_shutdown, worker_ready, worker_shutdown

from arena.checks import ValidationReport
from arena.player import HouseFailure
from bots import queries, sandboxes, validations
from bots.models import BotVersion
from sandbox.drivers.base import Limits
from sandbox.validation import validate

log = logging.getLogger(__name__)

TELL_SECONDS = 1.0
"""How often a running validation is written down. Hands take milliseconds; whoever waits looks once a second."""


class _ClaimLostError(Exception):
    """Another worker holds the validation by now; this one stops."""


@shared_task
def validate_version(version_id: int) -> None:
    """Validate the version in the sandbox, unless that is done or another worker is at it."""
    claim = validations.claim_validation(version_id=version_id)
    if claim is None:
        return
    try:
        report = _validate(claim)
    except _ClaimLostError:
        log.warning("The validation of version %s went to another worker.", version_id)
    except HouseFailure as failure:
        log.warning("The validation of version %s failed on our side: %s", version_id, failure)
        validations.release_validation(claim=claim, error=str(failure))
    except Exception:
        validations.release_validation(claim=claim, error="An unexpected error; it is in the worker's log.")
        raise
    else:
        validations.record_validation(claim=claim, report=report)


def _validate(claim: validations.ValidationClaim) -> ValidationReport:
    version = BotVersion.objects.get(pk=claim.version_id)
    driver = sandboxes.get_driver()
    if driver.trusted_only:
        raise HouseFailure(f"The sandbox {driver.name} is not safe for uploaded code.")
    sandboxes.reap_sometimes(driver)

    told = (-1, 0.0)

    def keep_claim(so_far: ValidationReport) -> None:
        nonlocal told
        checks, now = len(so_far.checks), monotonic()
        if checks == told[0] and now - told[1] < TELL_SECONDS:
            return
        told = checks, now
        if not validations.renew_validation(claim=claim, so_far=so_far):
            raise _ClaimLostError

    return validate(driver, queries.source_of(version), Limits(), progress=keep_claim)


@shared_task
def requeue_stale_validations() -> None:
    """Beat: ask again for validations whose worker died or whose message was lost."""
    validations.requeue_stale_validations()


@shared_task
def report_sandbox() -> None:
    """Beat: tell the site whether uploads can be run."""
    sandboxes.report_sandbox()


@worker_ready.connect
def report_at_start(sender: Any, **_: Any) -> None:
    """Tell the site at once: what it knows may be from another day, with another sandbox."""
    if "validations" in sender.app.amqp.queues.consume_from:
        report_sandbox.delay()


@worker_process_init.connect
def settle(**_: Any) -> None:
    """A process of a pool takes its place: one match, one core. A worker without such processes stays on all cores."""
    number = getattr(current_process(), "index", None)
    if number is not None:
        sandboxes.take_a_core(number)


@worker_process_shutdown.connect
@worker_shutdown.connect
def leave(**_: Any) -> None:
    """A worker's process ends: the boxes it keeps warm are for nobody else."""
    sandboxes.close_driver()
