"""What the workers do about tables. Each task may be delivered twice and may die anywhere: the claim decides."""

from typing import Any

from celery import shared_task
from celery.signals import worker_shutting_down

from tables import host, services


@shared_task
def host_table(table_id: int) -> None:
    """Host the table, unless its game is over or another worker does."""
    host.host(table_id)


@shared_task
def tend_tables() -> None:
    """Beat: find hosts for tables that have none, and forget the games of long ago."""
    services.tend_tables()


@worker_shutting_down.connect
def hand_back(**_: Any) -> None:
    """Hosts that wait for a person give their tables to another worker at once; it goes on where they stood."""
    host.stopping.set()
