"""A child of the zygote: one mind, for one game. It locks itself in, says so, and serves the bot to the host."""

from __future__ import annotations

import _socket
import gc
import os
import sys

from arena.protocol import decode_request, encode_reply
from arena.session import BotSession
from sandbox.runner import OUT_OF_MEMORY, lockdown
from sandbox.runner.line import connect, lines, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_CHANNEL = 3


def prepare() -> int:
    """What every mind finds done, once, in the zygote; the result is a descriptor of /dev/null. Raises OSError."""
    os.environ.clear()
    # For numpy's library, which looks here when it is loaded, and ends the process that cannot start its threads.
    # Not in os.environ, which stays empty: a bot needs none.
    os.putenv("OPENBLAS_NUM_THREADS", "1")
    os.chdir("/")
    sys.argv[:] = [""]
    return os.open(os.devnull, os.O_RDWR)


def live(address: str, null: int, cage: lockdown.Cage | None, *, memory_bytes: int, cpu_seconds: int) -> NoReturn:
    """Run a mind in this process until the host hangs up or the bot ends it; never returns.

    The host learns in the first line whether the lockdown holds: `{"ready": {...}}` or `{"failed": "why"}`.
    `null` is from `prepare`; `cage` is None for trusted bots on a machine that has no filter.
    """
    gc.enable()
    status = 1
    try:
        channel = connect(address)
        try:
            channel = _give_up_files(channel, null, cage)
            lockdown.limit(memory_bytes=memory_bytes, cpu_seconds=cpu_seconds)
            if cage:
                cage.forbid_calls()
        except Exception as error:
            say(channel, {"failed": f"{type(error).__name__}: {error}"})
        else:
            say(channel, {"ready": cage.report if cage else {}})
            session = BotSession(owns_process=True)
            for line in lines(channel):
                channel.sendall(encode_reply(session.handle(decode_request(line))))
            status = 0
    except MemoryError:
        status = OUT_OF_MEMORY
    finally:
        os._exit(status)


def _give_up_files(channel: _socket.socket, null: int, cage: lockdown.Cage | None) -> _socket.socket:
    """Close everything but the channel, which comes back under its new number. Raises OSError."""
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    if cage:
        cage.forbid_files()
    # The channel's number is never below 3, so that this overwrites at most what is to be closed anyway.
    moved = channel.detach()
    os.dup2(moved, _CHANNEL, inheritable=False)
    os.closerange(_CHANNEL + 1, os.sysconf("SC_OPEN_MAX"))
    return _socket.socket(fileno=_CHANNEL)
