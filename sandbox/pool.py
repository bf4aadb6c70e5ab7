"""Boxes opened ahead of time: a match that wants one gets it at once.

    pool = WarmPool(driver, size=2)     a Driver like the one it holds
    pool.open_box(limits) -> Box        a warm one; another is opened in the background meanwhile
    pool.close()                        destroys the boxes that nobody asked for

A warm box is like any other, but that its first mind is born and locked in already: it holds a runner that has never
seen a bot, plays one bot in one match, and is destroyed. Nothing goes back into the pool. A process makes its pool with
its first box, so that one which never plays opens none; a process forked from it starts with an empty one. Boxes of a
worker that dies end with it, and are reaped.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass

from arena.player import BotFault, HouseFailure
from sandbox.background import in_background
from sandbox.drivers.base import Box, Channel, Driver, Limits

SIZE = 2
"""Both boxes of the next match."""
_LONGEST_WAIT_SHARE = 0.5
"""Of a box's life, spent in the pool; the rest is for the match."""
_PAUSE_SECONDS = 0.05
"""Before the next box is opened: the match that took the last one starts first, and that takes milliseconds."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Warm:
    """A box that is open, or is being opened."""

    limits: Limits
    wanted_at: float
    box: Future[Box]

    def fits(self, limits: Limits) -> bool:
        """Whether it may be used under these limits, as far as can be told without waiting for it."""
        is_young = time.monotonic() - self.wanted_at < _LONGEST_WAIT_SHARE * limits.box_seconds
        return limits == self.limits and is_young

    def destroy(self) -> None:
        """Wait for it and close it."""
        with contextlib.suppress(HouseFailure, BotFault):
            self.box.result().close()


class _Prepared:
    """A Box whose first mind waits in it."""

    def __init__(self, box: Box) -> None:
        self._box = box
        try:
            self._first: Channel | None = box.new_mind()
        except BaseException:
            box.close()
            raise

    def new_mind(self) -> Channel:
        first, self._first = self._first, None
        return first or self._box.new_mind()

    def is_alive(self) -> bool:
        return self._box.is_alive()

    def close(self) -> None:
        self._box.close()


class WarmPool:
    """See Driver. At most `size` boxes wait in it, those being opened included."""

    def __init__(self, driver: Driver, size: int = SIZE) -> None:
        self._driver = driver
        self._size = size
        self._forget()

    @property
    def name(self) -> str:
        """See Driver.name."""
        return self._driver.name

    @property
    def trusted_only(self) -> bool:
        """See Driver.trusted_only."""
        return self._driver.trusted_only

    def check(self) -> None:
        """See Driver.check."""
        self._driver.check()

    def open_box(self, limits: Limits) -> Box:
        """See Driver.open_box. Opens one itself when no warm one is to be had."""
        if self._pid != os.getpid():
            self._forget()
        with self._lock:
            misfits = [warm for warm in self._waiting if not warm.fits(limits)]
            for warm in misfits:
                self._waiting.remove(warm)
            taken = self._waiting.popleft() if self._waiting else None
        for warm in misfits:
            in_background(warm.destroy)
        box = _alive(taken)
        if box is None:
            box = self._driver.open_box(limits)
        self._fill(limits)
        return box

    def wait(self) -> None:
        """Until every box that is being opened is open, or has failed to."""
        with self._lock:
            waiting = list(self._waiting)
        for warm in waiting:
            warm.box.exception()

    def reap(self) -> int:
        """See Driver.reap."""
        return self._driver.reap()

    def close(self) -> None:
        """Destroy what waits and open no more ahead. The pool still opens boxes when asked. May be repeated."""
        if self._pid != os.getpid():
            self._forget()
        with self._lock:
            self._is_closed = True
            left = list(self._waiting)
            self._waiting.clear()
        for done in [in_background(warm.destroy) for warm in left]:
            done.result()

    def _fill(self, limits: Limits) -> None:
        with self._lock:
            while not self._is_closed and len(self._waiting) < self._size:
                box = in_background(lambda: self._open_ahead(limits))
                self._waiting.append(_Warm(limits, time.monotonic(), box))

    def _open_ahead(self, limits: Limits) -> Box:
        time.sleep(_PAUSE_SECONDS)
        return _Prepared(self._driver.open_box(limits))

    def _forget(self) -> None:
        """Start empty. After a fork the boxes are the parent's: this drops no more than our copies of its sockets."""
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._waiting: deque[_Warm] = deque()
        self._is_closed = False


def _alive(warm: _Warm | None) -> Box | None:
    """The box, once it is open; None if it never opened or has ended since."""
    if warm is None:
        return None
    try:
        box = warm.box.result()
    except HouseFailure as failure:
        logger.warning("A box could not be opened ahead of time: %s", failure)
        return None
    if box.is_alive():
        return box
    in_background(box.close)
    return None
