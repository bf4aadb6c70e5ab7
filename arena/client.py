"""The arena's end of the wire: a `Player` over anything that carries one request and brings one reply back."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from arena.actions import BEST_ARRANGE, BEST_DEFEND, Action
from arena.bot import Clock, GameEnd, GameStart
from arena.events import Event
from arena.legal import Phase
from arena.player import BotFault, FaultKind
from arena.protocol import Ask, Loaded, ProtocolError, Reply, Request, Turn
from arena.view import View

MAX_LOG_CHARACTERS = 64 * 1024
"""What is kept of a bot's prints in one game."""

ASK_AT = {
    Phase.OFFER: Ask.DRAW,
    Phase.DRAW: Ask.DRAW,
    Phase.DISCARD: Ask.DISCARD,
    Phase.ARRANGE: Ask.ARRANGE,
    Phase.DEFEND: Ask.DEFEND,
}
"""What a bot is asked at each decision of a hand."""


class Link(Protocol):
    """The way to one fresh mind of a bot and back. It keeps the clock."""

    @property
    def spent(self) -> float:
        """Seconds charged to the bot so far, "load" not counted."""
        ...

    def ask(self, request: Request) -> Reply:
        """The bot's reply. Raises ProtocolError, BotFault or HouseFailure."""
        ...

    def close(self) -> None:
        """End the mind. May be called more than once; raises nothing."""
        ...


class LinkedPlayer:
    """A `Player` whose bot is at the other end of a `Link`."""

    def __init__(self, link: Link, files: Mapping[str, str], entry: str, clock: Clock | None = None) -> None:
        self._link = link
        self._files = files
        self._entry = entry
        self._clock = clock
        self._requests = 0
        self._untold: list[Event] = []
        self._log: list[str] = []
        self._room = MAX_LOG_CHARACTERS
        self.loaded: Loaded | None = None
        """What the bot's process said about the bot, once it was loaded."""

    @property
    def log(self) -> str:
        """What the bot printed so far, its first 64 Ki characters."""
        return "".join(self._log)

    @property
    def spent(self) -> float:
        """Seconds charged to the bot so far."""
        return self._link.spent

    def load(self) -> Loaded:
        """Load the bot and make its instance. Raises BotFault or HouseFailure."""
        answer = self._ask(Ask.LOAD, {"files": dict(self._files), "entry": self._entry})
        assert isinstance(answer, Loaded)  # read_reply gives nothing else for LOAD
        self.loaded = answer
        return answer

    def start(self, start: GameStart) -> None:
        """Load the bot and tell it that a game begins. Raises BotFault or HouseFailure."""
        self.load()
        self._ask(Ask.START, start.replace(clock=self._clock))

    def decide(self, view: View, events: Sequence[Event]) -> Action:
        """The bot's action at `view.decision`. Raises BotFault or HouseFailure."""
        self._untold += events
        if view.decision is None or self.loaded is None:
            raise RuntimeError("A player decides after its start, when it is its turn.")
        ask = ASK_AT[view.decision]
        if ask is Ask.ARRANGE and "arrange" not in self.loaded.overrides:
            return BEST_ARRANGE
        if ask is Ask.DEFEND and not self.loaded.overrides:
            return BEST_DEFEND
        if self._clock is not None:
            view = view.replace(time_left=round(max(0.0, self._clock.game_seconds - self.spent), 3))
        turn = Turn(view, self._untold)
        self._untold = []
        answer = self._ask(ask, turn)
        assert answer is not None  # read_reply gives an action for a decision
        assert not isinstance(answer, Loaded)
        return answer

    def end(self, end: GameEnd) -> None:
        """Tell the bot how the game ended. Raises BotFault or HouseFailure."""
        events = (*self._untold, *end.events)
        self._untold = []
        self._ask(Ask.END, end.replace(events=events))

    def close(self) -> None:
        """End the bot's process."""
        self._link.close()

    def _ask(self, ask: Ask, body: Mapping[str, Any] | GameStart | Turn | GameEnd) -> Loaded | Action | None:
        self._requests += 1
        request = Request(ask, self._requests, os.urandom(8).hex(), body)
        try:
            reply = self._link.ask(request)
        except ProtocolError as error:
            raise BotFault(FaultKind.PROTOCOL, str(error)) from None
        self._keep_log(reply)
        if (reported := reply.error) is not None:
            raise BotFault(
                reported.kind,
                reported.message,
                traceback=reported.traceback,
                file=reported.file,
                line=reported.line,
                code=reported.code,
            )
        return reply.answer

    def _keep_log(self, reply: Reply) -> None:
        text = reply.log + ("\n[more was printed than is kept]\n" if reply.log_truncated else "")
        if not text or not self._room:
            return
        self._log.append(text[: self._room])
        self._room -= len(self._log[-1])
