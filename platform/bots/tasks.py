"""What the workers do about bots. Each task may be delivered twice and may die anywhere: the claim decides."""

import logging
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any

from billiard import current_process
from celery import shared_task
from celery.signals import worker_process_init, worker_process_shutdown, worker_ready, worker_shutdown

from arena.archive import BotSource
from arena.bots import house_source
from arena.checks import ValidationReport
from arena.game import Game
from arena.player import HouseFailure
from arena.record import MatchRecord
from arena.referee import play_match
from arena.rules import CLASSIC
from bots import queries, sandboxes, trials, validations
from bots.models import BotVersion
from sandbox.drivers.base import Limits
from sandbox.player import SandboxContestant, close_all
from sandbox.validation import validate

log = logging.getLogger(__name__)

TELL_SECONDS = 1.0
"""How often a running validation or trial is written down. Hands take milliseconds; who waits looks once a second."""
SEED_BYTES = 32


class _ClaimLostError(Exception):
    """Another worker holds the claim by now; this one stops."""


@contextmanager
def _attempt(
    what: str, claim: object, *, release: Callable[..., object], hand_back: Callable[..., object]
) -> Iterator[None]:
    """Inside it what was claimed is done and recorded, or else the claim is given back: with an error of the house, or
    because the worker is told to stop. A claim that another worker has by now is none of this one's business."""
    try:
        yield
    except _ClaimLostError:
        log.warning("%s went to another worker.", what)
    except SystemExit:  # this worker is told to stop
        with suppress(Exception):  # the sweep finds it
            hand_back(claim=claim)
        raise
    except HouseFailure as failure:
        log.warning("%s failed on our side: %s", what, failure)
        release(claim=claim, error=str(failure))
    except Exception:
        release(claim=claim, error="An unexpected error; it is in the worker's log.")
        raise


@shared_task
def validate_version(version_id: int) -> None:
    """Validate the version in the sandbox, unless that is done or another worker is at it."""
    claim = validations.claim_validation(version_id=version_id)
    if claim is None:
        return
    what = f"The validation of version {version_id}"
    with _attempt(what, claim, release=validations.release_validation, hand_back=validations.hand_back_validation):
        validations.record_validation(claim=claim, report=_validate(claim))


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
def play_trial(trial_id: int) -> None:
    """Play the trial in the sandbox, unless that is done or another worker is at it."""
    claim = trials.claim_trial(trial_id=trial_id)
    if claim is None:
        return
    with _attempt(f"Trial {trial_id}", claim, release=trials.release_trial, hand_back=trials.hand_back_trial):
        trials.record_trial(claim=claim, record=_play(claim))


def _play(claim: trials.TrialClaim) -> MatchRecord:
    driver = sandboxes.get_driver()
    sandboxes.reap_sometimes(driver)
    source, opponent = trials.draft_of(claim)
    # A driver that is not safe for uploads refuses the draft, as it would the version that is made of it.
    draft = SandboxContestant(driver, source)
    house = SandboxContestant(driver, BotSource({"bot.py": house_source(opponent)}, "bot.py"), trusted=True)
    hands, told = 0, 0.0

    def after_hand(_number: int, _game: Game) -> None:
        nonlocal hands, told
        hands += 1
        if monotonic() - told < TELL_SECONDS:
            return
        told = monotonic()
        if not trials.renew_trial(claim=claim, hands=hands):
            raise _ClaimLostError

    try:
        return play_match(CLASSIC, secrets.token_bytes(SEED_BYTES), draft, house, on_hand=after_hand)
    finally:
        close_all(draft, house)


@shared_task
def requeue_stale_trials() -> None:
    """Beat: ask again for trials whose worker died or whose message was lost, and forget the old ones."""
    trials.requeue_stale_trials()


@shared_task
def requeue_stale_validations() -> None:
    """Beat: ask again for validations whose worker died or whose message was lost."""
    validations.requeue_stale_validations()


@shared_task
def report_sandbox() -> None:
    """Beat: tell the site whether uploads can be run, and see to it that nothing in a box is slow to read."""
    sandboxes.report_sandbox()
    sandboxes.keep_files_in_memory()


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
