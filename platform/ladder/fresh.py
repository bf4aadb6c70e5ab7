"""What many readers ask for alike, kept in this process for a moment instead of read anew for each."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from django.conf import settings

SHARE = 0.02
"""The share of a process's time that making a thing anew may cost: one that took 0.1 seconds is kept for 5."""
MAKING_SECONDS = 30.0
"""What a thread may take to make a thing anew before another one tries."""

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


class Fresh(Generic[K, T]):
    """Things by key, LADDER_FRESH_SECONDS old at most, or what keeps their making within its SHARE; with 0 always new.

    All readers get the same one and change nothing in it.
    """

    def __init__(self, make: Callable[[K], T]) -> None:
        self._make = make
        self._kept: dict[K, tuple[float, T]] = {}

    def __call__(self, key: K) -> T:
        """What belongs to the key."""
        if not settings.LADDER_FRESH_SECONDS:
            return self._make(key)
        began = time.monotonic()
        found = self._kept.get(key)
        if found is not None:
            if began < found[0]:
                return found[1]
            # Readers who come while this thread makes it anew take the old one, if that is not for ever.
            self._kept[key] = (began + MAKING_SECONDS, found[1])
        try:
            made = self._make(key)
        except BaseException:
            self._kept.pop(key, None)
            raise
        ended = time.monotonic()
        self._kept[key] = (ended + max(settings.LADDER_FRESH_SECONDS, (ended - began) / SHARE), made)
        return made
