"""The line to a mind over a socket: one deadline for a whole line, in CPU time and on the wall's clock.

The CPU time is what counts. The wall's clock is there for a bot that sleeps, and it stands still while the bot would
run if it had a CPU: on a busy machine an honest bot takes long, and is not late.
"""

from __future__ import annotations

import contextlib
import math
import select
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass

from arena.clock import cpu_overrun, wall_overrun
from arena.player import BotFault, FaultKind, HouseFailure
from sandbox.drivers.base import Received
from sandbox.drivers.cpu import Meter
from sandbox.runner import OUT_OF_MEMORY

_READ_BYTES = 64 * 1024
_SEND_SECONDS = 10.0
_SHORTEST_WAIT = 0.001
_LOOK_AGAIN_SECONDS = 0.02
"""Whether a mind that runs, or waits for a CPU, beyond its time on the wall's clock has come to rest."""
_NOTABLE_SECONDS = 0.01
"""An answer that took so much longer than it computed is looked into; the next such answer makes up for the others."""
_GRACE_SECONDS = 1.0
"""For a process that has closed its socket to end by itself, so that it can be told how."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a mind's process ended, as the zygote saw it."""

    exit_code: int | None
    signal: int | None
    was_killed: bool
    """By the zygote: the process still ran when its end was asked for."""

    def fault(self) -> BotFault:
        """What that means when the bot ended it."""
        if self.was_killed:
            return BotFault(FaultKind.CRASH, "The bot closed its connection to the arena.")
        if self.exit_code == OUT_OF_MEMORY or self.signal == signal.SIGKILL:
            # Nobody in the box can send SIGKILL but the kernel.
            return BotFault(FaultKind.MEMORY, "The bot's process was ended because it ran out of memory.")
        if self.signal == signal.SIGXCPU:
            return BotFault(FaultKind.TIME, "The bot's process was ended because it used up its CPU time.")
        if self.signal is not None:
            return BotFault(FaultKind.CRASH, f"The bot's process was ended by {_name(self.signal)}.")
        return BotFault(FaultKind.CRASH, f"The bot's process ended itself with exit code {self.exit_code}.")


class SocketChannel:
    """A Channel over a connected socket. `ended(grace)` sees the process end and tells how."""

    def __init__(
        self,
        connection: socket.socket,
        meter: Meter,
        *,
        reply_bytes: int,
        ended: Callable[[float], Ending],
        forbid_files: Callable[[], object],
    ) -> None:
        """`forbid_files()` and `ended(grace)` ask the zygote."""
        connection.setblocking(False)
        self._connection = connection
        self._replies = select.poll()
        self._replies.register(connection, select.POLLIN)
        self._meter = meter
        self._charged = meter.used()
        self._excused = meter.waited()
        self._reply_bytes = reply_bytes
        self._ended = ended
        self._forbid_files = forbid_files
        self._fault: BotFault | None = None

    def send(self, line: bytes) -> None:
        """See Channel.send."""
        try:
            # recv and never recvmsg: with the latter the bot could pass descriptors.
            early = self._connection.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            pass
        except OSError:
            raise self._gone() from None
        else:
            raise BotFault(FaultKind.PROTOCOL, "The bot sent data without being asked.") if early else self._gone()
        unsent = memoryview(line)
        patience: _Patience | None = None
        while unsent:
            try:
                unsent = unsent[self._connection.send(unsent) :]
            except BlockingIOError:
                patience = patience or _Patience(self._meter, _SEND_SECONDS, self._excused)
                if (left := patience.left()) <= 0:
                    raise BotFault(FaultKind.TIME, "The bot's process does not read what it is asked.") from None
                select.select((), (self._connection,), (), left)
            except OSError:
                raise self._gone() from None

    def receive(self, *, cpu_budget: float, wall_budget: float) -> Received:
        """See Channel.receive."""
        patience = _Patience(self._meter, wall_budget, self._excused)
        line = self._read_line(self._charged + cpu_budget, cpu_budget, patience)
        wall = patience.elapsed()
        before, self._charged = self._charged, self._meter.used()
        used = self._charged - before
        if used > cpu_budget:
            raise _cpu_fault(used, cpu_budget)
        if wall - used > _NOTABLE_SECONDS:
            excused, self._excused = self._excused, self._meter.waited()
            wall -= self._excused - excused
        return Received(line, used, max(wall, used))

    def _read_line(self, cpu_end: float, cpu_budget: float, patience: _Patience) -> bytes:
        buffer = bytearray()
        # The first wait needs no look at the clocks: whatever was used before shows after it.
        self._wait(min(cpu_budget, patience.seconds))
        while True:
            try:
                data = self._connection.recv(_READ_BYTES)
            except BlockingIOError:
                cpu_left = cpu_end - self._meter.used()
                if cpu_left <= 0:
                    raise _cpu_fault(cpu_budget - cpu_left, cpu_budget) from None
                if (wall_left := patience.left()) <= 0:
                    raise BotFault(FaultKind.TIME, wall_overrun(cpu_budget - cpu_left, patience.seconds)) from None
                # CPU time of one thread cannot outrun the wall's: nothing is due before the smaller of the two.
                self._wait(min(cpu_left, wall_left))
                continue
            except OSError:
                data = b""
            if not data:
                raise self._gone()
            buffer += data
            end = buffer.find(b"\n")
            if end > self._reply_bytes or (end < 0 and len(buffer) > self._reply_bytes):
                raise BotFault(FaultKind.OUTPUT, f"The bot sent a line longer than {self._reply_bytes} bytes.")
            if end >= 0:
                if end != len(buffer) - 1:
                    raise BotFault(FaultKind.PROTOCOL, "The bot sent more than the one line that was due.")
                return bytes(buffer[:end])

    def _wait(self, seconds: float) -> None:
        """Until the mind says something, or that time is over."""
        self._replies.poll(math.ceil(max(seconds, _SHORTEST_WAIT) * 1000))

    def forbid_files(self) -> None:
        """See Channel.forbid_files."""
        self._forbid_files()

    def close(self) -> None:
        """See Channel.close."""
        self._connection.close()
        with contextlib.suppress(HouseFailure, BotFault):
            self._ended(0)

    def _gone(self) -> BotFault:
        """How the mind ended, found out once."""
        if self._fault is None:
            self._fault = self._ended(_GRACE_SECONDS).fault()
        return self._fault


class _Patience:
    """A budget on the wall's clock that stands still while the mind waits for a CPU."""

    def __init__(self, meter: Meter, seconds: float, excused: float) -> None:
        """`excused` is what the mind had waited before."""
        self.seconds = seconds
        self._meter = meter
        self._excused = excused
        self._began = time.monotonic()

    def elapsed(self) -> float:
        """Seconds since the beginning, its waiting included."""
        return time.monotonic() - self._began

    def left(self) -> float:
        """Seconds until there is reason to look again; none or less when the budget is used up."""
        left = self.seconds - self.elapsed()
        if left > 0:
            return left
        # In this order: the wait of a mind at rest is over, and so it is counted.
        if self._meter.is_runnable():
            return _LOOK_AGAIN_SECONDS
        return left + self._meter.waited() - self._excused


def _cpu_fault(used: float, budget: float) -> BotFault:
    return BotFault(FaultKind.TIME, cpu_overrun(used, budget))


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
