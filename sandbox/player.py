"""The arena's contestant in a box: clocks, caps and faults, over any driver."""

from __future__ import annotations

import contextlib
from concurrent.futures import Future

import msgspec

from arena.archive import BotSource
from arena.bot import Clock
from arena.client import LinkedPlayer
from arena.clock import game_rule, start_rule
from arena.player import BotFault, FaultKind, HouseFailure
from arena.protocol import Ask, Reply, Request, decode_reply
from sandbox.background import in_background
from sandbox.drivers.base import Box, Channel, Driver, DriverUnavailable, Limits

_encode = msgspec.json.Encoder().encode
_STARTING = (Ask.LOAD, Ask.START)


class SandboxContestant:
    """A bot in a match: one box, and in it a fresh mind for every game.

    The box opens in the background when the first player is asked for, so that both bots of a match start at the same
    time; whoever asks the player anything waits for it. Close the contestant after the match, also one never used.
    """

    def __init__(
        self, driver: Driver, source: BotSource, limits: Limits | None = None, *, trusted: bool = False
    ) -> None:
        """Raises DriverUnavailable for an untrusted bot and a driver that confines nothing."""
        if driver.trusted_only and not trusted:
            raise DriverUnavailable(
                f"The sandbox {driver.name} is for the house's own bots only: install Docker or bubblewrap."
            )
        self._driver = driver
        self._source = source
        self._limits = limits or Limits()
        self._box: Future[Box] | None = None

    def new_player(self) -> LinkedPlayer:
        """A player with a mind of its own; the one before has lost its mind by then."""
        if self._box is None:
            self._box = in_background(lambda: self._driver.open_box(self._limits))
        box = self._box
        link = SandboxLink(in_background(lambda: box.result().new_mind()), self._limits)
        clock = Clock(self._limits.game_seconds, self._limits.decision_seconds)
        return LinkedPlayer(link, self._source.files, self._source.entry, clock)

    def close(self) -> None:
        """Destroy the box. May be called more than once; raises nothing."""
        if self._box is not None:
            with contextlib.suppress(HouseFailure, BotFault):
                self._box.result().close()


class SandboxLink:
    """An `arena.client.Link` over a Channel. Keeps the bank of CPU time of one game."""

    def __init__(self, channel: Future[Channel], limits: Limits) -> None:
        self._channel = channel
        self._limits = limits
        self._start_left = limits.start_seconds
        self._spent = 0.0
        self._wall_left = limits.wall_seconds(limits.game_seconds)

    @property
    def spent(self) -> float:
        """CPU seconds used in this game so far, start-up not counted."""
        return self._spent

    def ask(self, request: Request) -> Reply:
        """See Link.ask."""
        channel = self._channel.result()
        is_starting = request.ask in _STARTING
        game_left = self._limits.game_seconds - self._spent
        budget = self._start_left if is_starting else min(self._limits.decision_seconds, game_left)
        wall = self._limits.wall_seconds(budget)
        try:
            # The same line as arena.protocol.encode_request makes, in a sixth of its time.
            channel.send(_encode(request.to_wire()) + b"\n")
            received = channel.receive(
                cpu_budget=budget, wall_budget=wall if is_starting else min(wall, self._wall_left)
            )
        except BotFault as fault:
            if fault.kind is FaultKind.TIME:
                raise BotFault(FaultKind.TIME, f"{fault.message} {self._rule(is_starting)}") from None
            raise
        if request.ask is Ask.LOAD:
            channel.forbid_files()
        if is_starting:
            self._start_left -= received.cpu_seconds
        else:
            self._spent += received.cpu_seconds
            self._wall_left -= received.wall_seconds
        return decode_reply(received.line, request)

    def close(self) -> None:
        """See Link.close."""
        with contextlib.suppress(HouseFailure, BotFault):
            self._channel.result().close()

    def _rule(self, is_starting: bool) -> str:
        limits = self._limits
        if is_starting:
            return start_rule(limits.start_seconds)
        return game_rule(limits.decision_seconds, limits.game_seconds, self._spent)


def close_all(*contestants: SandboxContestant) -> None:
    """Close contestants at the same time: taking a container down is mostly waiting."""
    for done in [in_background(contestant.close) for contestant in contestants]:
        done.result()
