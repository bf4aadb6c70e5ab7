"""What many readers ask for alike, kept in this process for a moment instead of read anew for each."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from django.conf import settings

SHARE = 0.02
"""The share of a process's time that making a thing anew may cost: one that took 0.1 seconds is kept for 5."""

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


class Fresh(Generic[K, T]):
    """Things by key, LADDER_FRESH_SECONDS old at most, or what keeps their making within its SHARE.

    All readers get the same one and change nothing in it.
    """

    def __init__(self, make: Callable[[K], T]) -> None:
        self._make = make
        self._kept: dict[K, tuple[float, T]] = {}

    def __call__(self, key: K) -> T:
        """What belongs to the key."""
        began = time.monotonic()
        found = self._kept.get(key)
        if found is not None:
            if began < found[0]:
                return found[1]
            # Readers who come while this thread makes it anew take the old one.
            self._kept[key] = (math.inf, found[1])
        try:
            made = self._make(key)
        except BaseException:
            self._kept.pop(key, None)
            raise
        ended = time.monotonic()
        rest = max(settings.LADDER_FRESH_SECONDS, (ended - began) / SHARE) if settings.LADDER_FRESH_SECONDS else 0
        self._kept[key] = (ended + rest, made)
        return made
