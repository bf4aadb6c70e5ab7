"""What a mind has had of the CPUs, and what it has waited for them, as the host's kernel counts both.

A mind is one process of one thread that can start no other, and the host knows its id from the kernel (SO_PEERCRED),
not from the box; the id stays the mind's until it is reaped in its box. In gVisor the mind is a process of gVisor's own
kernel, which is a tree of processes of the host's: while the mind is asked, everything else in that tree is idle, so
the tree's time is the mind's. Where the host cannot see the processes (a worker that runs in a container without the
host's process numbers), the clock is read inside the box, and what the mind waits is not known.
"""

from __future__ import annotations

import logging
import socket
import struct
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

logger = logging.getLogger(__name__)

_UCRED = struct.Struct("3i")
_PROC = Path("/proc")
_NANOSECOND = 1e-9


class Meter(Protocol):
    """One mind's account."""

    def used(self) -> float:
        """Seconds of CPU time so far."""
        ...

    def waited(self) -> float:
        """Seconds so far for which it could have run and no CPU was free; a wait counts once it is over."""
        ...

    def is_runnable(self) -> bool:
        """Whether it runs or waits for a CPU at this moment: neither sleeping nor gone."""
        ...


class HostMeter:
    """The account of processes that the host's kernel runs, with all their threads."""

    def __init__(self, pids: Sequence[int]) -> None:
        """Raises OSError when one of them cannot be read."""
        # As glibc's clock_getcpuclockid makes it: the inverted process id, and the scheduler's clock (2).
        self._used = {~pid << 3 | 2: 0.0 for pid in pids}
        self._folders = [_PROC / str(pid) / "task" for pid in pids]
        for clock in self._used:
            time.clock_gettime(clock)
        self.waited()

    def used(self) -> float:
        """See Meter. Of a process that is gone, what it had used when last seen."""
        for clock in self._used:
            try:
                self._used[clock] = time.clock_gettime(clock)
            except OSError:
                continue
        return sum(self._used.values())

    def waited(self) -> float:
        """See Meter. Documentation/scheduler/sched-stats.rst: the second number is the time on a run queue, in ns."""
        return sum(int(text.split()[1]) for text in self._read("schedstat")) * _NANOSECOND

    def is_runnable(self) -> bool:
        """See Meter."""
        return any(text.rpartition(")")[2].split()[0] == "R" for text in self._read("stat"))

    def _read(self, name: str) -> Iterator[str]:
        """That file of every thread that is still there."""
        for folder in self._folders:
            try:
                threads = list(folder.iterdir())
            except FileNotFoundError:
                continue
            for thread in threads:
                try:
                    yield (thread / name).read_text()
                except (FileNotFoundError, ProcessLookupError):
                    continue


class ReportedMeter:
    """The account as somebody else tells it, who knows of no waiting."""

    def __init__(self, used: Callable[[], float]) -> None:
        self.used = used

    def waited(self) -> float:
        """See Meter."""
        return 0.0

    def is_runnable(self) -> bool:
        """See Meter."""
        return False


def peer_pid(connection: socket.socket) -> int:
    """The process that connected, in this process's own numbering; 0 if it is not visible from here."""
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _UCRED.size)
    pid, _, _ = _UCRED.unpack(credentials)
    return int(pid)


def tree_of(pid: int) -> list[int]:
    """A process and all below it. Raises OSError."""
    found = [pid]
    for parent in found:
        for thread in (_PROC / str(parent) / "task").iterdir():
            found += map(int, (thread / "children").read_text().split())
    return found


def meter_of(connection: socket.socket, *, kernel_pid: int | None, reported: Callable[[], float]) -> Meter:
    """The best account of the mind at the other end.

    `kernel_pid` is the process of the box's own kernel, None if that is the host's; `reported` asks the zygote.
    """
    pid = peer_pid(connection) if kernel_pid is None else kernel_pid
    try:
        if pid > 0:
            return HostMeter([pid] if kernel_pid is None else tree_of(pid))
    except OSError as error:
        logger.debug("The processes of a box cannot be read: %s", error)
    logger.debug("CPU time is read inside the box: its processes are not visible from here.")
    return ReportedMeter(reported)
