"""How much CPU time a mind has used, as its kernel counts it.

The host reads the clock of the mind's process. It learns the process's id from the kernel (SO_PEERCRED), not from the
box, and the id stays the mind's until the zygote reaps it. A mind is one process that can start no other, so that this
is all it uses. Where the host cannot see the process (a worker that runs in a container itself, or gVisor), the
zygote reads the same clock from inside.
"""

from __future__ import annotations

import logging
import socket
import struct
import time
from collections.abc import Callable

logger = logging.getLogger(__name__)

CpuClock = Callable[[], float]
"""Seconds of CPU time used so far."""

_UCRED = struct.Struct("3i")


def peer_pid(connection: socket.socket) -> int:
    """The process that connected, in this process's own numbering; 0 if it is not visible from here."""
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _UCRED.size)
    pid, _, _ = _UCRED.unpack(credentials)
    return int(pid)


def process_clock(pid: int) -> CpuClock | None:
    """The clock of a process and all its threads, or None if it cannot be read.

    Its id is made as glibc's clock_getcpuclockid does: the inverted pid, and the scheduler's clock (2).
    """
    clock_id = ~pid << 3 | 2
    last = 0.0

    def read() -> float:
        nonlocal last
        try:
            last = time.clock_gettime(clock_id)
        except OSError:
            # The process is gone, and what it had used when last seen stands.
            return last
        return last

    try:
        time.clock_gettime(clock_id)
    except OSError:
        return None
    return read


def clock_of(connection: socket.socket, *, sees_processes: bool, reported: CpuClock) -> CpuClock:
    """The best clock for the mind at the other end; `reported` asks the zygote."""
    pid = peer_pid(connection) if sees_processes else 0
    clock = process_clock(pid) if pid > 0 else None
    if clock is None:
        logger.debug("CPU time is read inside the box: its processes are not visible from here.")
        return reported
    return clock
