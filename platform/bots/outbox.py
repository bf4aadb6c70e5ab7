"""Messages to the workers, by name: the services send them and the tasks import the services."""

from datetime import timedelta

from celery import current_app

from bots.resending import Patience

VALIDATION = Patience(timedelta(minutes=1), timedelta(minutes=5))
TRIAL = Patience(timedelta(seconds=20), timedelta(minutes=1))
"""Somebody sits waiting for it."""


def validate_later(version_id: int) -> None:
    """Ask a worker to validate the version. Losing the message is harmless: `requeue_stale_validations` repeats it."""
    current_app.send_task("bots.tasks.validate_version", args=[version_id])


def play_trial_later(trial_id: int) -> None:
    """Ask a worker to play the trial. Losing the message is harmless: `requeue_stale_trials` repeats it."""
    current_app.send_task("bots.tasks.play_trial", args=[trial_id])
