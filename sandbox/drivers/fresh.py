"""A box that is another one for every game, for drivers whose boxes have a kernel of their own.

gVisor keeps much of what a kernel keeps (numbers of terminals and files, caches) inside the box, where one game could
leave it for the next. The box of the second game opens while the first is being played.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from concurrent.futures import Future

from arena.player import BotFault, HouseFailure
from sandbox.background import in_background
from sandbox.drivers.box import ZygoteBox
from sandbox.drivers.channel import SocketChannel


class BoxPerGame:
    """See Box. `open_box` opens one that serves one game, and raises HouseFailure."""

    def __init__(self, open_box: Callable[[], ZygoteBox]) -> None:
        self._open = open_box
        self._box = open_box()
        self._next: Future[ZygoteBox] | None = None
        self._ended: list[Future[None]] = []
        self._has_played = self._is_closed = False

    @property
    def zygote_pid(self) -> int:
        """That of the game being played."""
        return self._box.zygote_pid

    def new_mind(self) -> SocketChannel:
        """See Box.new_mind."""
        if self._is_closed:
            raise HouseFailure("The box is closed.")
        if self._has_played:
            with contextlib.suppress(HouseFailure, BotFault):
                self._box.end_mind()
            self._ended.append(in_background(self._box.close))
            upcoming, self._next = self._next, None
            self._box = upcoming.result() if upcoming else self._open()
        else:
            self._has_played = True
            # A match has two games, and few boxes see a third.
            self._next = in_background(self._open)
        return self._box.new_mind()

    def is_alive(self) -> bool:
        """See Box.is_alive."""
        return not self._is_closed and self._box.is_alive()

    def close(self) -> None:
        """See Box.close."""
        self._is_closed = True
        self._ended.append(in_background(self._box.close))
        upcoming, self._next = self._next, None
        if upcoming is not None:
            with contextlib.suppress(HouseFailure):
                upcoming.result().close()
        for done in self._ended:
            done.result()
        self._ended.clear()
