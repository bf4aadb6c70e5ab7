"""A process between the zygote and one mind: it carries out what the host commands about that mind, and sees it end.

It is one of its own for two reasons. Every later mind is a copy of the zygote's memory, so that the zygote must not
learn how a game went: neither a mind's exit status nor its CPU time nor the hour, all of which a bot chooses.

And it lets the mind look up files while it loads the bot, and no longer. The kernel is faster with names that it was
asked for before, there or not. By that a game could tell the next one about the cards it has seen, thousands of bits
of it. No access control helps, as the kernel looks names up first and refuses afterwards; but it can ask somebody
before it does either (seccomp_unotify(2)). It cannot be the mind that gives the right up: once the bot is loaded, the
bot is who speaks in that process.
"""

from __future__ import annotations

import fcntl
import os
import select
import struct
import time

from arena.jsontext import read_json
from sandbox.runner import lockdown
from sandbox.runner.libc import prctl
from sandbox.runner.line import lines, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _socket
    from collections.abc import Callable
    from typing import Any, NoReturn

# linux/seccomp.h: the two structs, and the ioctls that take them.
_REQUEST_BYTES, _RESPONSE = 80, struct.Struct("=QqiI")
_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_GO_ON = 1
_PR_SET_CHILD_SUBREAPER = 36
_POLL_SECONDS = 0.001


def keep(control: _socket.socket, cage: lockdown.Cage | None, live: Callable[[], NoReturn]) -> NoReturn:
    """The keeper's whole life: fork the mind, which is to `live`, tell the host, and obey it until the mind has ended.

    Its exit status is 0 unless there is no going on with this box. From `watch` on it may look up no file itself: it
    would wait for its own permission.
    """
    status = 1
    try:
        lockdown.die_with_parent()
        # Whatever a mind might leave behind becomes this process's child, where waitpid sees it. gVisor lets only a
        # box's first process ask for that, and has a box for every game.
        try:  # noqa: SIM105 - contextlib is slow to import
            prctl(_PR_SET_CHILD_SUBREAPER, 1)
        except OSError:
            pass
        listener = cage.watch() if cage and cage.can_watch else None
        mind = os.fork()
        if mind == 0:
            live()
        say(control, {"pid": mind})
        _obey(control, listener, mind)
        status = 0
    finally:
        os._exit(status)


def _obey(control: _socket.socket, listener: int | None, mind: int) -> None:
    commands = lines(control)
    while True:
        if listener is not None:
            _permit(listener, control)
        line = next(commands, None)
        if line is None:  # the host has hung up
            _end(mind, grace=0)
            return
        match read_json(line.decode()):
            case {"do": "seal"}:
                if listener is not None:
                    # Whoever asks from now on is told that there are no such calls.
                    os.close(listener)
                    listener = None
                say(control, {})
            case {"do": "cpu"}:
                # As glibc's clock_getcpuclockid makes it: the inverted process id, and the scheduler's clock (2).
                say(control, {"cpu": time.clock_gettime(~mind << 3 | 2)})
            case {"do": "reap", "grace": grace}:
                say(control, _end(mind, grace))
                return
            case unknown:
                say(control, {"failed": f"The keeper of a mind does not know the command {unknown}."})


def _permit(listener: int, control: _socket.socket) -> None:
    """Let the mind look up files until the host has something to say."""
    poll = select.poll()
    poll.register(listener, select.POLLIN)
    poll.register(control, select.POLLIN)
    while control.fileno() not in {number for number, _ in poll.poll()}:
        request = bytearray(_REQUEST_BYTES)
        try:
            fcntl.ioctl(listener, _RECEIVE, request)
            (ident,) = struct.unpack_from("=Q", request)
            fcntl.ioctl(listener, _SEND, _RESPONSE.pack(ident, 0, 0, _GO_ON))
        except FileNotFoundError:
            continue  # who has asked is gone


def _end(mind: int, grace: float) -> dict[str, Any]:
    """See the mind end: by itself within `grace` seconds, else by SIGKILL."""
    deadline = time.monotonic() + grace
    killed = False
    while os.waitid(os.P_PID, mind, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() >= deadline:
            os.kill(mind, lockdown.SIGKILL)
            killed = True
            break
        time.sleep(_POLL_SECONDS)
    _, status = os.waitpid(mind, 0)
    return {
        "exit": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
        "killed": killed,
        "left": _has_children(),
    }


def _has_children() -> bool:
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return False
    return True
