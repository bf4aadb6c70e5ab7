"""A box around a zygote, the same for every driver that starts a real process."""

from __future__ import annotations

import contextlib
import json
import math
import os
import select
import socket
import time
from functools import partial
from typing import Any, Protocol

from arena.player import BotFault, FaultKind, HouseFailure
from sandbox.drivers.base import Limits
from sandbox.drivers.channel import Ending, SocketChannel
from sandbox.drivers.cpu import meter_of, peer_pid
from sandbox.drivers.slot import Listener, Slot

_GRACE_SECONDS = 1.0
_LOOK_SECONDS = 0.5
_LONGEST_HELLO = 4096


class Enclosure(Protocol):
    """What a driver starts the zygote in: a container, a sandboxed process."""

    @property
    def kernel_pid(self) -> int | None:
        """The process that is the box's own kernel (gVisor); None where the host's kernel runs what is inside."""
        ...

    def is_running(self) -> bool:
        """Whether it still runs."""
        ...

    def epitaph(self) -> str:
        """Once it has ended: what is known about why."""
        ...

    def ran_out_of_memory(self) -> bool:
        """Once it has ended: whether the kernel ended it for its memory."""
        ...

    def destroy(self) -> None:
        """End it and remove all of it. Raises nothing."""
        ...


class ZygoteBox:
    """See Box."""

    def __init__(
        self, slot: Slot, enclosure: Enclosure, control: socket.socket, limits: Limits, *, trusted: bool
    ) -> None:
        self._slot = slot
        self._enclosure = enclosure
        self._control = control
        self._replies = control.makefile("rb")
        self._limits = limits
        self._trusted = trusted
        self._minds = 0
        self._connection: socket.socket | None = None
        self._is_closed = False
        self.zygote_pid = peer_pid(control)
        """In this process's numbering."""
        self._read_reply()

    @classmethod
    def open(
        cls, slot: Slot, listener: Listener, enclosure: Enclosure, limits: Limits, *, trusted: bool = False
    ) -> ZygoteBox:
        """The box of an enclosure just started, once its zygote has connected. Raises HouseFailure."""
        deadline = time.monotonic() + limits.open_seconds
        while (control := listener.accept(_LOOK_SECONDS)) is None:
            if not enclosure.is_running():
                raise HouseFailure(f"The box ended while it was being opened: {enclosure.epitaph()}")
            if time.monotonic() > deadline:
                raise HouseFailure(f"The box did not open within {limits.open_seconds:.0f} s.")
        control.settimeout(limits.open_seconds)
        return cls(slot, enclosure, control, limits, trusted=trusted)

    def new_mind(self) -> SocketChannel:
        """See Box.new_mind."""
        self.end_mind()
        self._minds += 1
        number = self._minds
        name = f"mind-{number}"
        budget = self._limits.start_seconds + self._limits.game_seconds + self._limits.decision_seconds
        with self._slot.listen(name) as listener:
            self._command(
                "mind",
                socket=name,
                memory_bytes=self._limits.memory_bytes - self._limits.overhead_bytes,
                cpu_seconds=2 * math.ceil(budget),
                trusted=self._trusted,
            )
            connection = listener.accept(self._limits.open_seconds)
        if connection is None:
            raise HouseFailure("A new mind did not connect.")
        self._connection = connection
        connection.settimeout(self._limits.open_seconds)
        hello = _read_hello(connection)
        if "ready" not in hello:
            raise HouseFailure(f"A new mind could not be locked in: {hello.get('failed', 'it ended at once')}")
        meter = meter_of(
            connection,
            kernel_pid=self._enclosure.kernel_pid,
            reported=lambda: float(self._command("cpu")["cpu"]),
        )
        return SocketChannel(
            connection,
            meter,
            reply_bytes=self._limits.reply_bytes,
            ended=partial(self._end_mind, number),
            forbid_files=lambda: self._command("seal"),
        )

    def end_mind(self) -> None:
        """Kill the mind, if there is one. Raises HouseFailure, and BotFault when it has taken the box with it."""
        self._end_mind(self._minds, grace=0)

    def is_alive(self) -> bool:
        """See Box.is_alive. The zygote says nothing unless asked, and hangs up when it ends."""
        if self._is_closed:
            return False
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        return not poll.poll(0)

    def close(self) -> None:
        """See Box.close."""
        if self._is_closed:
            return
        zygote = _handle_of(self.zygote_pid) if self.is_alive() else None
        self._is_closed = True
        if self._connection is not None:
            self._connection.close()
        self._replies.close()
        self._control.close()
        if zygote is not None:
            # It ends when it is hung up on. An engine has less to do for a box that is over than for one to be killed.
            _wait_for(zygote, _GRACE_SECONDS)
        self._enclosure.destroy()
        self._slot.remove()

    def _end_mind(self, number: int, grace: float) -> Ending:
        """See the mind of that number end: by itself within `grace` seconds, or killed."""
        if number != self._minds or self._connection is None:
            return Ending(exit_code=None, signal=None, was_killed=True)
        self._connection.close()
        self._connection = None
        ended = self._command("reap", grace=grace)
        if ended["left"]:
            raise HouseFailure("A mind left a process behind in its box.")
        return Ending(ended["exit"], ended["signal"], ended["killed"])

    def _command(self, do: str, **arguments: Any) -> dict[str, Any]:
        with contextlib.suppress(OSError, ValueError):
            self._control.sendall(json.dumps({"do": do, **arguments}).encode() + b"\n")
        return self._read_reply()

    def _read_reply(self) -> dict[str, Any]:
        try:
            line = self._replies.readline()
        except (OSError, ValueError):
            line = b""
        if not line:
            raise self._lost()
        reply: dict[str, Any] = json.loads(line)
        if "failed" in reply:
            raise HouseFailure(reply["failed"])
        return reply

    def _lost(self) -> Exception:
        """Why the zygote does not answer. The bot cannot end it, except by using up the box's memory."""
        if self._is_closed:
            return HouseFailure("The box is closed.")
        deadline = time.monotonic() + _GRACE_SECONDS
        while self._enclosure.is_running():
            if time.monotonic() > deadline:
                return HouseFailure("The box stopped answering.")
            time.sleep(0.01)
        if self._enclosure.ran_out_of_memory():
            return BotFault(FaultKind.MEMORY, "The bot's box was ended because it ran out of memory.")
        return HouseFailure(f"The box ended unexpectedly: {self._enclosure.epitaph()}")


def _handle_of(pid: int) -> int | None:
    """A descriptor that tells when the process has ended; None for one that cannot be seen from here."""
    try:
        return os.pidfd_open(pid) if pid > 0 else None
    except OSError:
        return None


def _wait_for(handle: int, seconds: float) -> None:
    """Until the process has ended, or for so long; closes the descriptor."""
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    poll.poll(1000 * seconds)
    os.close(handle)


def _read_hello(connection: socket.socket) -> dict[str, Any]:
    """What the mind's process says before it meets the bot."""
    data = b""
    try:
        while not data.endswith(b"\n") and len(data) < _LONGEST_HELLO:
            part = connection.recv(_LONGEST_HELLO)
            if not part:
                break
            data += part
        hello = json.loads(data)
    except (OSError, ValueError):
        return {}
    return hello if isinstance(hello, dict) else {}
