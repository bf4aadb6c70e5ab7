"""Beat's scheduler: what is due goes by a clock that never jumps, and nothing piles up where nobody listens."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from celery.beat import ScheduleEntry
from celery.beat import Scheduler as CeleryScheduler

MOST_WAITING = 20
"""Messages on a queue beyond which beat adds none: nobody takes them, and the next one would say the same."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _steady_now() -> datetime:
    return _EPOCH + timedelta(seconds=time.monotonic())


@contextmanager
def _signals_wait() -> Iterator[None]:
    """SIGTERM and SIGINT are handled after the block. Not by blocking them: another thread could take them then."""
    if threading.current_thread() is not threading.main_thread():
        yield  # handlers run in the main thread, whatever this one does
        return
    heard: list[int] = []
    before = {
        number: signal.signal(number, lambda number, _: heard.append(number))
        for number in (signal.SIGTERM, signal.SIGINT)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for told in heard:
            signal.raise_signal(told)


class Entry(ScheduleEntry):
    """A task with its interval. By the wall's clock beat would rest for an hour when that is set back by one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        interval: Any = self.schedule
        if interval.nowfun is None:
            interval.nowfun = _steady_now
            self.last_run_at = _steady_now()


class Scheduler(CeleryScheduler):
    """Sends each task at its interval. Keeps no file: when a task ran last is in the database where it matters.

    Messages carry no expiry, since the worker would judge that by a clock of its own.
    """

    Entry = Entry

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # Beat listens to signals before it makes its scheduler, and asks for the scheduler then: half made, and half of
        # Celery imported, there is none to be had.
        with _signals_wait():
            super().__init__(*args, **kwargs)

    def apply_async(self, entry: Any, producer: Any = None, advance: bool = True, **kwargs: Any) -> Any:
        """Send the entry's task, unless its queue is full; None then."""
        if self._waiting(entry) >= MOST_WAITING:
            return None
        return super().apply_async(entry, producer=producer, advance=advance, **kwargs)

    def _waiting(self, entry: Any) -> int:
        queue = self.app.amqp.router.route(entry.options, entry.task)["queue"].name
        # Asked on a connection of its own: the producer's is the producer's to mend when the broker was away.
        with self.app.connection_for_read() as connection:
            try:
                channel: Any = connection.channel()
                return int(channel.queue_declare(queue=queue, passive=True).message_count)
            except (*connection.connection_errors, *connection.channel_errors):
                # Not there yet, or the broker is away: sending makes the queue, and tries again.
                return 0
