"""What the runner says and hears: JSON objects, one a line, on a socket of the host's."""

from __future__ import annotations

import _socket

from arena.jsontext import write_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_READ_BYTES = 64 * 1024


def connect(address: str) -> _socket.socket:
    """To a socket of the host's. Raises OSError.

    Of Python's sockets this is the part that is written in C; what `socket` adds to it is slow to import.
    """
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    connection.connect(address)
    return connection


def lines(connection: _socket.socket) -> Iterator[bytes]:
    """The host's lines, without their newlines, until it hangs up. Raises OSError."""
    buffer = bytearray()
    while True:
        while (end := buffer.find(b"\n")) < 0:
            data = connection.recv(_READ_BYTES)
            if not data:
                return
            buffer += data
        line = bytes(buffer[:end])
        del buffer[: end + 1]
        yield line


def say(connection: _socket.socket, message: object) -> None:
    """Send a message of the runner's own. Raises OSError."""
    connection.sendall(write_json(message).encode() + b"\n")
