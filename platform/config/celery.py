"""The Celery application: `celery -A config worker` with platform/ on the path (Celery skips manage.py)."""

import contextlib
import logging
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from billiard import active_children
from celery import Celery, Task
from celery.exceptions import Reject
from celery.signals import worker_shutting_down
from celery.utils.log import get_multiprocessing_logger
from django.conf import settings

from config import broker

for folder in (Path(__file__).resolve().parents[2], Path(__file__).resolve().parents[1]):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

_is_draining = threading.Event()
"""Set in the worker's main process once it is told to stop, and so in the children it forks from then on."""
_HAND_BACK_SECONDS = 10
"""What a child has, once told to end, to hand back what it does."""
_TIMES_TOLD = 3


class ArenaTask(Task):  # type: ignore[type-arg]
    """A task that a worker told to stop leaves to others."""

    abstract = True

    def before_start(self, *_: Any) -> None:
        """Raises Reject in a child that took the place of one that `drain` ended: the pool starts it all the same."""
        if _is_draining.is_set():
            raise Reject("this worker is told to stop", requeue=True)


broker.register()
app = Celery("arena", task_cls=ArenaTask)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_shutting_down.connect
def drain(**_: Any) -> None:
    """A worker is told to stop: its matches may finish for DRAIN_SECONDS, and are handed back then (`ladder.play`)."""
    _is_draining.set()
    # The pool calls every child that ends an error. From now on we end them.
    if (pool := get_multiprocessing_logger()) is not None:
        pool.setLevel(logging.CRITICAL)
    late = threading.Timer(settings.DRAIN_SECONDS, _end_children)
    late.daemon = True
    late.start()


def _end_children() -> None:
    # The first signal raises SystemExit in the child, which hands its match back. Python loses an exception that comes
    # in a destructor, so a child may miss it: the second ends it whatever it does, and its lease runs out. Those that
    # the pool starts meanwhile end by themselves: one that waits for work holds the pool's lock, which would be lost.
    told = active_children()
    for _ in range(_TIMES_TOLD):
        for child in {*told}.intersection(active_children()):
            child.terminate()
        time.sleep(_HAND_BACK_SECONDS)
    # A child that ended while it held the pool's lock leaves the next one, and this process, waiting for it for ever.
    for pid in filter(None, [child.pid for child in active_children()]):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    os._exit(1)
