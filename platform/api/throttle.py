"""How often one address may ask the API: counted by minutes of the clock, for all processes of the site together."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from django.core.cache import caches
from django.db import DatabaseError, InterfaceError
from django.http import HttpRequest
from ninja.throttling import AnonRateThrottle

MINUTE = 60
AWAY = (DatabaseError, InterfaceError, OSError)
"""What keeps the counts is busy or gone."""

logger = logging.getLogger(__name__)


class MinuteThrottle(AnonRateThrottle):
    """So many requests of an address a minute. Keeps nothing of a request itself, for all threads share it.

    Two requests at the same moment may count as one: whoever asks in parallel gets a few more answers. Nobody waits,
    and where counting fails everybody is answered.
    """

    timer: Callable[[], float] = staticmethod(time.time)

    def __init__(self, most: int) -> None:
        super().__init__(f"{most}/m")

    def allow_request(self, request: HttpRequest) -> bool:
        """Counts the request; False when it is one too many."""
        counts, key = caches["requests"], f"{self.get_ident(request)}-{int(self.timer() // MINUTE)}"
        try:
            count: int = counts.get(key, 0)
            if count >= (self.num_requests or 0):
                return False
            counts.set(key, count + 1, MINUTE)
        except AWAY as error:
            logger.warning("A request of the API was not counted: %s", error)
        return True

    def wait(self) -> float:
        """Seconds until the next minute."""
        return MINUTE - self.timer() % MINUTE
