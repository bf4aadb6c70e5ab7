"""A driver that runs nothing: every mind follows a script, in virtual time. For the tests of whatever stands above.

    driver = ScriptedDriver(lambda: [Reply(b'{"id":1,...}'), Hang()])

Each mind gets the steps that the factory makes; one step answers one request. A step may be a function of the
request's line, for replies that must echo it.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from arena.clock import cpu_overrun, wall_overrun
from arena.player import BotFault, FaultKind, HouseFailure
from sandbox.drivers.base import Limits, Received


@dataclass(frozen=True, slots=True)
class Reply:
    """Answers, after some time."""

    line: bytes
    """Without its newline."""
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Hang:
    """Never answers; computes or, with `computing` false, sleeps."""

    computing: bool = True


@dataclass(frozen=True, slots=True)
class Die:
    """The process ends."""

    exit_code: int = 1


@dataclass(frozen=True, slots=True)
class OutOfMemory:
    """The kernel ends the process for its memory."""


@dataclass(frozen=True, slots=True)
class SpeakUp:
    """Answers, and then says something more that nobody asked for."""

    line: bytes


@dataclass(frozen=True, slots=True)
class Break:
    """The house fails."""

    message: str = "The scripted house fails."


Step = Reply | Hang | Die | OutOfMemory | SpeakUp | Break | Callable[[bytes], "Reply | SpeakUp"]
Script = Callable[[], Iterable[Step]]


class ScriptedChannel:
    """See Channel."""

    def __init__(self, steps: Iterable[Step], limits: Limits) -> None:
        self._steps = deque(steps)
        self._limits = limits
        self._asked: deque[bytes] = deque()
        self._gone: BotFault | None = None
        self._has_spoken = False
        self.sent: list[bytes] = []
        """Every line that was sent, for tests to look at."""
        self.is_closed = False

    def send(self, line: bytes) -> None:
        """See Channel.send."""
        if self._gone is not None:
            raise self._gone
        if self._has_spoken:
            raise BotFault(FaultKind.PROTOCOL, "The bot sent data without being asked.")
        self.sent.append(line)
        self._asked.append(line)

    def receive(self, *, cpu_budget: float, wall_budget: float) -> Received:
        """See Channel.receive."""
        if self._gone is not None:
            raise self._gone
        step: Step = Hang(computing=False)
        if self._asked:
            request = self._asked.popleft()
            step = self._steps.popleft() if self._steps else Die(0)
            if callable(step):
                step = step(request)
        match step:
            case Reply(line, cpu, wall):
                return self._timed(line, cpu, wall, cpu_budget, wall_budget)
            case SpeakUp(line):
                self._has_spoken = True
                return self._timed(line, 0.0, 0.0, cpu_budget, wall_budget)
            case Hang(computing):
                return self._timed(b"", math.inf if computing else 0.0, math.inf, cpu_budget, wall_budget)
            case Die(exit_code):
                message = f"The bot's process ended itself with exit code {exit_code}."
                self._gone = BotFault(FaultKind.CRASH, message)
            case OutOfMemory():
                self._gone = BotFault(FaultKind.MEMORY, "The bot's process was ended because it ran out of memory.")
            case Break(message):
                raise HouseFailure(message)
        assert self._gone is not None
        raise self._gone

    def forbid_files(self) -> None:
        """See Channel.forbid_files."""

    def close(self) -> None:
        """See Channel.close."""
        self.is_closed = True
        self._gone = self._gone or BotFault(FaultKind.CRASH, "The bot closed its connection to the arena.")

    def _timed(self, line: bytes, cpu: float, wall: float, cpu_budget: float, wall_budget: float) -> Received:
        if cpu > cpu_budget:
            raise BotFault(FaultKind.TIME, cpu_overrun(cpu_budget, cpu_budget))
        if wall > wall_budget:
            raise BotFault(FaultKind.TIME, wall_overrun(cpu, wall_budget))
        if len(line) > self._limits.reply_bytes:
            raise BotFault(FaultKind.OUTPUT, f"The bot sent a line longer than {self._limits.reply_bytes} bytes.")
        if b"\n" in line:
            raise BotFault(FaultKind.PROTOCOL, "The bot sent more than the one line that was due.")
        return Received(line, cpu, wall)


class ScriptedBox:
    """See Box."""

    def __init__(self, script: Script, limits: Limits) -> None:
        self._script = script
        self._limits = limits
        self.minds: list[ScriptedChannel] = []
        """Every mind so far."""
        self.is_closed = False

    def new_mind(self) -> ScriptedChannel:
        """See Box.new_mind."""
        if self.is_closed:
            raise HouseFailure("The box is closed.")
        if self.minds:
            self.minds[-1].close()
        self.minds.append(ScriptedChannel(self._script(), self._limits))
        return self.minds[-1]

    def is_alive(self) -> bool:
        """See Box.is_alive."""
        return not self.is_closed

    def close(self) -> None:
        """See Box.close."""
        self.is_closed = True
        for mind in self.minds:
            mind.close()


class ScriptedDriver:
    """See Driver."""

    name = "scripted"
    trusted_only = False

    def __init__(self, script: Script) -> None:
        self._script = script
        self.boxes: list[ScriptedBox] = []
        """Every box so far."""

    def check(self) -> None:
        """See Driver.check."""

    def open_box(self, limits: Limits) -> ScriptedBox:
        """See Driver.open_box."""
        self.boxes.append(ScriptedBox(self._script, limits))
        return self.boxes[-1]

    def reap(self) -> int:
        """See Driver.reap."""
        return 0
