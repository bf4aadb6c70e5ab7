"""A process between the zygote and a mind, which lets the mind look up files while it loads the bot, and no longer.

The kernel is faster with names that it was asked for before, there or not. By that a game could tell the next one about
the cards it has seen, thousands of bits of it. No access control helps, as the kernel looks names up first and refuses
afterwards; but it can ask somebody before it does either (seccomp_unotify(2)). It cannot be the mind that gives the
right up: once the bot is loaded, the bot is who speaks in that process.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # the part of `signal` that is written in C, and quick to import
import _socket
import fcntl
import os
import select
import struct

from sandbox.runner import lockdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

# linux/seccomp.h: the two structs, and the ioctls that take them.
_REQUEST_BYTES, _RESPONSE = 80, struct.Struct("=QqiI")
_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_GO_ON = 1
_SEAL = b"seal"
_LINE_BYTES = 32


class Keeper:
    """The zygote's end."""

    def __init__(self, cage: lockdown.Cage, live: Callable[[], NoReturn]) -> None:
        """Fork the keeper, and from it the mind, which is to `live`. Raises OSError."""
        self._line, theirs = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
        self.pid = os.fork()
        if self.pid == 0:
            self._line.close()
            _keep(theirs, cage, live)
        theirs.close()
        told = self._line.recv(_LINE_BYTES)
        if not told:
            raise OSError("The keeper of a mind ended before there was one.")
        self.mind_pid = int(told)

    def seal(self) -> None:
        """From now on the mind looks up nothing."""
        try:
            self._line.send(_SEAL)
            self._line.recv(_LINE_BYTES)
        except OSError:
            return  # the mind has ended, and the keeper with it

    def close(self) -> None:
        """Once it has ended."""
        self._line.close()


class _MindEnded(Exception):  # noqa: N818 - no error
    pass


def _keep(line: _socket.socket, cage: lockdown.Cage, live: Callable[[], NoReturn]) -> NoReturn:
    """The keeper's whole life. From `watch` on it may look up no file itself: it would wait for its own permission."""
    status = 1
    try:
        lockdown.die_with_parent()
        _signal.signal(_signal.SIGCHLD, _mind_ended)
        listener = cage.watch()
        mind = os.fork()
        if mind == 0:
            _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)
            live()
        try:
            line.send(str(mind).encode())
            _permit(listener, line)
        except _MindEnded:
            pass
        _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)
        # It is left to the zygote, its heir, to see how the mind ended.
        os.waitid(os.P_PID, mind, os.WEXITED | os.WNOWAIT)
        status = 0
    finally:
        os._exit(status)


def _permit(listener: int, line: _socket.socket) -> None:
    """Answer the kernel until the zygote says that it is enough; then whoever still asks is told that there are no such
    calls."""
    poll = select.poll()
    poll.register(listener, select.POLLIN)
    poll.register(line, select.POLLIN)
    while True:
        ready = {number for number, _ in poll.poll()}
        if line.fileno() in ready:
            os.close(listener)
            line.send(_SEAL)
            return
        request = bytearray(_REQUEST_BYTES)
        try:
            fcntl.ioctl(listener, _RECEIVE, request)
            (ident,) = struct.unpack_from("=Q", request)
            fcntl.ioctl(listener, _SEND, _RESPONSE.pack(ident, 0, 0, _GO_ON))
        except FileNotFoundError:
            continue  # who has asked is gone


def _mind_ended(number: int, frame: object) -> None:
    raise _MindEnded
