"""Messages to the workers, by name: the services send them and the tasks import the services."""

from celery import current_app


def validate_later(version_id: int) -> None:
    """Ask a worker to validate the version. Losing the message is harmless: `requeue_stale_validations` repeats it."""
    current_app.send_task("bots.tasks.validate_version", args=[version_id])


def play_trial_later(trial_id: int) -> None:
    """Ask a worker to play the trial. Losing the message is harmless: `requeue_stale_trials` repeats it."""
    current_app.send_task("bots.tasks.play_trial", args=[trial_id])
