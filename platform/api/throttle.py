"""How often one address may ask the API: counted by minutes of the clock, for all processes of the site together."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from django.core.cache import caches
from django.http import HttpRequest
from ninja.throttling import AnonRateThrottle
from redis.exceptions import RedisError

MINUTE = 60
KEPT = 2 * MINUTE
"""How long a count is kept: beyond the last moment of its minute."""
AWAY = (RedisError, OSError, ValueError)
"""What keeps the counts is gone, or has dropped this one between two looks, as files do when there are too many."""

logger = logging.getLogger(__name__)


class MinuteThrottle(AnonRateThrottle):
    """So many requests of an address a minute. Keeps nothing of a request itself, for all threads share it.

    Without Redis two requests at the same moment may count as one: whoever asks in parallel gets a few more answers.
    Nobody waits, and where counting fails everybody is answered.
    """

    timer: Callable[[], float] = staticmethod(time.time)

    def __init__(self, most: int) -> None:
        super().__init__(f"{most}/m")

    def allow_request(self, request: HttpRequest) -> bool:
        """Counts the request; False when it is one too many."""
        counts, key = caches["requests"], f"{self.get_ident(request)}-{int(self.timer() // MINUTE)}"
        try:
            counts.add(key, 0, KEPT)
            return counts.incr(key) <= (self.num_requests or 0)
        except AWAY as error:
            logger.warning("A request of the API was not counted: %s", error)
            return True

    def wait(self) -> float:
        """Seconds until the next minute."""
        return MINUTE - self.timer() % MINUTE
