"""A child of the zygote: one mind, for one game. It locks itself in, says so, and serves the bot to the host."""

import gc
import json
import os
import signal
import socket
import sys
from typing import NoReturn

from arena.protocol import decode_request, encode_reply
from arena.session import BotSession
from sandbox.runner import OUT_OF_MEMORY, lockdown

_CHANNEL = 3
_READ_BYTES = 64 * 1024


def live(address: str, cage: lockdown.Cage | None, *, memory_bytes: int, cpu_seconds: int) -> NoReturn:
    """Run a mind in this process until the host hangs up or the bot ends it; never returns.

    The host learns in the first line whether the lockdown holds: `{"ready": {...}}` or `{"failed": "why"}`.
    `cage` is None for trusted bots on a machine that has no filter.
    """
    gc.enable()
    status = 1
    try:
        channel = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        channel.connect(address)
        try:
            channel = _give_up_files(channel, cage)
            lockdown.limit(memory_bytes=memory_bytes, cpu_seconds=cpu_seconds)
            if cage:
                cage.forbid_calls()
        except Exception as error:
            _send(channel, {"failed": f"{type(error).__name__}: {error}"})
        else:
            _send(channel, {"ready": cage.report if cage else {}})
            _serve(channel)
            status = 0
    except MemoryError:
        status = OUT_OF_MEMORY
    finally:
        os._exit(status)


def _give_up_files(channel: socket.socket, cage: lockdown.Cage | None) -> socket.socket:
    """Close everything but the channel, which comes back under its new number. Raises OSError."""
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    os.environ.clear()
    # For numpy's library, which looks here when it is loaded, and ends the process that cannot start its threads.
    # Not in os.environ, which stays empty: a bot needs none.
    os.putenv("OPENBLAS_NUM_THREADS", "1")
    os.chdir("/")
    sys.argv[:] = [""]
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if cage:
        cage.forbid_files()
    # The channel's number is never below 3, so that this overwrites at most what is to be closed anyway.
    moved = channel.detach()
    os.dup2(moved, _CHANNEL, inheritable=False)
    os.closerange(_CHANNEL + 1, os.sysconf("SC_OPEN_MAX"))
    return socket.socket(fileno=_CHANNEL)


def _send(channel: socket.socket, message: object) -> None:
    channel.sendall(json.dumps(message).encode() + b"\n")


def _serve(channel: socket.socket) -> None:
    session = BotSession(owns_process=True)
    buffer = bytearray()
    while True:
        while (end := buffer.find(b"\n")) < 0:
            data = channel.recv(_READ_BYTES)
            if not data:
                return
            buffer += data
        line = bytes(buffer[:end])
        del buffer[: end + 1]
        channel.sendall(encode_reply(session.handle(decode_request(line))))
