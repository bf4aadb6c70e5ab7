"""Bots played in this very process, for authors and tests: nothing is walled off.

Only for code one trusts. What a bot is asked and what it may reply is exactly as in a sandbox; so is its clock, where
one is kept.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any

from arena import clock
from arena.bot import Bot, Clock
from arena.client import LinkedPlayer
from arena.player import BotFault, FaultKind
from arena.protocol import Ask, Reply, Request, fit_reply, read_reply
from arena.session import BotSession

_WATCH_SECONDS = 0.05


class LocalLink:
    """A `Link` to a session in this process."""

    def __init__(self, session: BotSession) -> None:
        self._session = session
        self._spent = 0.0

    @property
    def spent(self) -> float:
        """CPU seconds of this thread that the bot used, loading not counted."""
        return self._spent

    def ask(self, request: Request) -> Reply:
        """The session's reply. Raises ProtocolError."""
        began = time.thread_time()
        reply = self._session.reply(request)
        if request.ask is not Ask.LOAD:
            self._spent += time.thread_time() - began
        return reply

    def close(self) -> None:
        """There is nothing to end."""


class ClockedLink:
    """A `Link` to a session in this process's main thread that keeps the site's clock.

    A bot that does not come back is interrupted as by Ctrl-C, and its traceback shows where that was. So SIGINT has to
    raise KeyboardInterrupt, as it does unless somebody changed that.
    """

    def __init__(self, session: BotSession) -> None:
        self._session = session
        self._start_left = clock.START_SECONDS
        self._spent = 0.0

    @property
    def spent(self) -> float:
        """CPU seconds that the bot used, start-up not counted."""
        return self._spent

    def ask(self, request: Request) -> Reply:
        """The session's reply. Raises BotFault when it took too long, and ProtocolError."""
        is_starting = request.ask in (Ask.LOAD, Ask.START)
        budget = self._start_left if is_starting else min(clock.DECISION_SECONDS, clock.GAME_SECONDS - self._spent)
        began = time.process_time()
        reply, overrun = self._watched(request, budget)
        used = time.process_time() - began
        if used > budget:
            overrun = clock.cpu_overrun(used, budget)
        if overrun:
            rule = (
                clock.start_rule(clock.START_SECONDS)
                if is_starting
                else clock.game_rule(clock.DECISION_SECONDS, clock.GAME_SECONDS, self._spent)
            )
            error = reply.get("error", {})
            place = {name: error[name] for name in ("traceback", "file", "line") if name in error}
            raise BotFault(FaultKind.TIME, f"{overrun} {rule}", **place)
        if is_starting:
            self._start_left -= used
        else:
            self._spent += used
        return read_reply(fit_reply(reply), request)

    def close(self) -> None:
        """There is nothing to end."""

    def _watched(self, request: Request, budget: float) -> tuple[dict[str, Any], str]:
        """The session's reply, and a sentence if it had to be interrupted."""
        wall_budget = clock.WALL_FACTOR * budget + clock.WALL_GRACE_SECONDS
        done = threading.Event()
        overrun = ""

        def watch() -> None:
            nonlocal overrun
            cpu_began, began = time.process_time(), time.monotonic()
            while not done.wait(_WATCH_SECONDS):
                used = time.process_time() - cpu_began
                if used > budget:
                    overrun = clock.cpu_overrun(used, budget)
                elif time.monotonic() - began > wall_budget:
                    overrun = clock.wall_overrun(used, wall_budget)
                if overrun:
                    _interrupt()
                    return

        reply: dict[str, Any] = {}
        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            try:
                reply = self._session.handle(request.to_wire())
            finally:
                done.set()
                watcher.join()
        except KeyboardInterrupt:
            if not overrun:  # then it is a person's
                raise
        return reply, overrun


def _interrupt() -> None:
    """Do to the main thread what Ctrl-C does, also while it sleeps."""
    if sys.platform == "win32":
        _thread.interrupt_main()
    else:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


class LocalContestant:
    """A bot class that plays in this process. State that it keeps on the class outlives a game here."""

    def __init__(self, bot_class: type[Bot]) -> None:
        self._bot_class = bot_class

    def new_player(self) -> LinkedPlayer:
        """A player with an instance of its own."""
        return LinkedPlayer(LocalLink(BotSession(self._bot_class)), {}, "")


class UploadContestant:
    """An upload's files, imported anew for every game, in this process."""

    def __init__(self, files: Mapping[str, str], entry: str, *, clocked: bool = False) -> None:
        """With `clocked` the site's clock is kept; then it plays in the main thread alone."""
        self._files = dict(files)
        self._entry = entry
        self._clocked = clocked

    def new_player(self) -> LinkedPlayer:
        """A player with modules and an instance of its own."""
        if self._clocked:
            times = Clock(clock.GAME_SECONDS, clock.DECISION_SECONDS)
            return LinkedPlayer(ClockedLink(BotSession()), self._files, self._entry, times)
        return LinkedPlayer(LocalLink(BotSession()), self._files, self._entry)

    def close(self) -> None:
        """There is nothing to let go of."""
