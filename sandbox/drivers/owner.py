"""Who owns a box: the process that opened it, told apart from any later process with the same id.

Boxes carry their owner's name in labels and files, so that somebody else can tell, after a SIGKILL, what was left
behind.
"""

from __future__ import annotations

import os
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_START_FIELD = 22 - 3
"""Of /proc/PID/stat (proc(5)), after the two fields that end with the program's name."""


@dataclass(frozen=True, slots=True)
class Owner:
    """A process on some machine."""

    host: str
    boot_id: str
    pid_namespace: str
    """Process ids mean nothing outside of theirs."""
    pid: int
    start: str
    """In clock ticks since boot."""

    @classmethod
    def me(cls) -> Self:
        """This process."""
        pid = os.getpid()
        return cls(socket.gethostname(), _boot_id(), _pid_namespace(), pid, _start_of(pid) or "0")

    def __str__(self) -> str:
        return f"{self.host}/{self.boot_id}/{self.pid_namespace}/{self.pid}/{self.start}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `str(owner)` back. Raises ValueError."""
        host, boot_id, pid_namespace, pid, start = text.split("/")
        return cls(host, boot_id, pid_namespace, int(pid), start)

    def is_alive(self) -> bool | None:
        """Whether the process still runs; None if that cannot be told from here."""
        if self.boot_id != _boot_id():
            # Either another machine, or this one before it was started again.
            return False if self.host == socket.gethostname() else None
        if self.pid_namespace != _pid_namespace():
            return None
        return _start_of(self.pid) == self.start


def is_left_behind(owner: str, deadline: str) -> bool:
    """Whether a box with these two marks has nobody any more. A mark that cannot be read counts as none."""
    try:
        alive = Owner.parse(owner).is_alive()
    except ValueError:
        alive = None
    if alive is not None:
        return not alive
    try:
        return time.time() > float(deadline)
    except ValueError:
        return True


def is_abandoned(owner: str, deadline: str) -> bool:
    """Whether both marks of a box say that it has nobody: then even another arena, which cannot ask, may remove it."""
    try:
        return Owner.parse(owner).is_alive() is False and time.time() > float(deadline)
    except ValueError:
        return False


def _boot_id() -> str:
    return _BOOT_ID.read_text().strip()


def _pid_namespace() -> str:
    return str(Path("/proc/self/ns/pid").stat().st_ino)


def _start_of(pid: int) -> str | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else fields[_START_FIELD]
