"""Celery's entrances. Each may be delivered twice and may die anywhere: the database decides what happens."""

from __future__ import annotations

import os
import socket

from celery import shared_task
from django.conf import settings

from bots import queries
from ladder import play, recovery, scheduler, services, strengths, trends, watch


@shared_task(soft_time_limit=settings.MATCH_SECONDS, time_limit=settings.MATCH_SECONDS + 60)
def play_match(match_id: int) -> None:
    """Plays the match, unless another worker has it or it is over."""
    play.play(match_id, worker=f"{socket.gethostname()}:{os.getpid()}")


@shared_task
def schedule() -> None:
    """Beat: tops up the queue of every open ladder."""
    sandbox = queries.sandbox_status()
    if sandbox is None or not sandbox.driver:
        return  # no worker can play; `bots.tasks.report_sandbox` has told the operator
    scheduler.schedule(house_only=not sandbox.runs_uploads)


@shared_task
def recover() -> None:
    """Beat: picks up what dead workers and lost messages left behind."""
    recovery.recover()


@shared_task
def fit_ladders() -> None:
    """Beat: Bradley-Terry ratings of the ladders with new results."""
    strengths.fit_ladders()


@shared_task
def update_trends() -> None:
    """Beat: how the ladders stood a day ago, once an hour."""
    trends.update_trends()


@shared_task
def tally_ladders() -> None:
    """Beat: what the pages of bots show follows the matches that were finished since."""
    services.tally_ladders()


@shared_task
def watch_ladders() -> None:
    """Beat: the checks of ratings that are due."""
    watch.watch()
