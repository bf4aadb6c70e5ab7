"""Celery's entrances. Each may be delivered twice and may die anywhere: the database decides what happens."""

from __future__ import annotations

import os
import socket

from celery import shared_task
from django.conf import settings

from bots import sandboxes
from ladder import play, recovery, scheduler, strengths
from sandbox.drivers.base import DriverUnavailable


@shared_task(soft_time_limit=settings.MATCH_SECONDS, time_limit=settings.MATCH_SECONDS + 60)
def play_match(match_id: int) -> None:
    """Plays the match, unless another worker has it or it is over."""
    play.play(match_id, worker=f"{socket.gethostname()}:{os.getpid()}")


@shared_task
def schedule() -> None:
    """Beat: tops up the queue of every open ladder."""
    try:
        house_only = sandboxes.get_driver().trusted_only
    except DriverUnavailable:
        return  # nothing can be played here; `bots.tasks.report_sandbox` tells the operator
    scheduler.schedule(house_only=house_only)


@shared_task
def recover() -> None:
    """Beat: picks up what dead workers and lost messages left behind."""
    recovery.recover()


@shared_task
def fit_ladders() -> None:
    """Beat: Bradley-Terry ratings of the ladders with new results."""
    strengths.fit_ladders()
