"""A door in front of the Docker engine that lets through what boxes need, and nothing else.

Whoever holds the engine's socket is root on its host: who may create containers may create privileged ones. So the
workers of `docker-compose.yml` hold the socket of this door instead, which reads what is asked for: a container must be
the very one that `sandbox.drivers.docker` makes, and only such containers may be started, looked at and removed.

    python -m sandbox.gate /run/gin-rummy-arena/engine.sock
"""

from __future__ import annotations

import http.client
import json
import logging
import os
import re
import socket
import socketserver
import sys
from collections.abc import Callable
from dataclasses import replace
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

from sandbox.drivers.base import Limits
from sandbox.drivers.docker import EXTRA_BYTES, RUNTIMES, container_config
from sandbox.drivers.engine import engine, local_engine
from sandbox.drivers.slot import USER_IDS, Slot, run_dir
from sandbox.image import REPOSITORY
from sandbox.labels import APP

_MOST_BYTES = 256 * 1024
_SECONDS = 120.0
_LABELS = {"app", "arena", "owner", "deadline", "slot"}
_ID = "[0-9a-f]{12,64}"
_VERSION = re.compile(r"^/v1\.\d+(?=/)")

logger = logging.getLogger(__name__)


class RefusedError(Exception):
    """This is not let through; the text says why."""


Question = tuple[str, dict[str, list[str]], bytes]
"""The identifier in the path, what follows the question mark, the body."""


def _always(_: Question) -> None:
    """Reads what is no secret and changes nothing."""


def _lists_boxes(question: Question) -> None:
    wanted = json.loads(question[1].get("filters", ["{}"])[0]).get("label", [])
    if f"app={APP}" not in wanted or f"arena={run_dir()}" not in wanted:
        raise RefusedError("Only the containers of this arena's boxes may be listed.")


def _is_a_box(question: Question) -> None:
    if question[2]:
        raise RefusedError("There is nothing to be said about a box.")
    found = engine().inspect_container(question[0])["Config"]
    if not found["Labels"].keys() >= _LABELS or not _are_ours(found["Labels"]) or not _is_ours(found["Image"]):
        raise RefusedError("This container is not a box of this arena.")


def _makes_a_box(question: Question) -> None:
    if question[1]:
        raise RefusedError("A box has no name and no platform.")
    asked = json.loads(question[2])
    labels, host = asked["Labels"], asked["HostConfig"]
    if labels.keys() != _LABELS or not _are_ours(labels) or not all(isinstance(text, str) for text in labels.values()):
        raise RefusedError("A box has labels of its own.")
    if not _is_ours(asked["Image"]) or host["Runtime"] not in RUNTIMES:
        raise RefusedError("A box is made of the sandbox image, with a runtime that is known.")
    if not labels["slot"].isdecimal() or int(labels["slot"]) not in USER_IDS:
        raise RefusedError("A box has a slot.")
    slot = Slot(run_dir() / labels["slot"], int(labels["slot"]), int(labels["slot"]))
    if slot.sockets.is_symlink() or slot.folder.is_symlink():
        raise RefusedError("A slot is a folder.")
    most = Limits()
    limits = replace(
        most,
        memory_bytes=min(int(host["Memory"]) - EXTRA_BYTES[host["Runtime"]], most.memory_bytes),
        processes=max(1, min(int(host["PidsLimit"]), most.processes)),  # the engine takes 0 and -1 for no limit
    )
    expected = container_config(engine(), asked["Image"], slot, limits, host["Runtime"], labels)
    # Which of its own cores a worker takes is its own affair.
    for config in (host, expected["HostConfig"]):
        cores = config.pop("CpusetCpus", None)
        if not isinstance(cores, str | None):
            raise RefusedError("Cores are a text.")
    # docker's client leaves out what is null; and the engine, to which upper and lower case are the same, would let a
    # `hostconfig` that is null undo the settings.
    if asked != {key: value for key, value in json.loads(json.dumps(expected)).items() if value is not None}:
        raise RefusedError("This is not how a box is made.")


def _are_ours(labels: dict[str, Any]) -> bool:
    return bool(labels["app"] == APP and labels["arena"] == str(run_dir()))


def _is_ours(image: object) -> bool:
    return isinstance(image, str) and re.fullmatch(rf"{REPOSITORY}:[0-9a-f]{{16}}", image) is not None


_PASSES: tuple[tuple[str, str, Callable[[Question], None]], ...] = (
    ("GET", "/_ping", _always),
    ("GET", "/version", _always),
    ("GET", "/info", _always),
    ("GET", "/images/json", _always),
    ("GET", r"/images/[\w.:/@-]+/json", _always),
    ("GET", "/containers/json", _lists_boxes),
    ("POST", "/containers/create", _makes_a_box),
    ("POST", f"/containers/({_ID})/start", _is_a_box),
    ("GET", f"/containers/({_ID})/json", _is_a_box),
    ("DELETE", f"/containers/({_ID})", _is_a_box),
)
"""Method, path without its version, and what must hold besides."""


def check(method: str, target: str, body: bytes) -> tuple[str, bytes]:
    """The target and the body to send on. Raises RefusedError for what does not pass, and docker's exceptions.

    Both are written anew, from what was understood here: that a key comes twice, for one, the engine sees otherwise.
    """
    parts = urlsplit(target)
    path = _VERSION.sub("", parts.path)
    for allowed, pattern, holds in _PASSES:
        match = re.fullmatch(pattern, path)
        if match and method == allowed and ".." not in path:
            try:
                holds((match.group(1) if match.groups() else "", parse_qs(parts.query), body))
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise RefusedError(f"This is not what a worker asks: {error!r}") from None
            target = f"{parts.path}?{parts.query}" if parts.query else parts.path
            return target, json.dumps(json.loads(body)).encode() if body else b""
    raise RefusedError(f"{method} {path} does not pass.")


class _Engine(http.client.HTTPConnection):
    """A connection to the engine itself."""

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(_SECONDS)
        self.sock.connect(local_engine())


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = _SECONDS

    def _pass(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        if "Transfer-Encoding" in self.headers or not 0 <= length <= _MOST_BYTES:
            self.close_connection = True
            self._answer(HTTPStatus.FORBIDDEN, _sentence("This is too long."))
            return
        body = self.rfile.read(length)
        try:
            target, body = check(self.command, self.path, body)
            upstream = _Engine("engine")
            # No header of the worker's is passed on.
            upstream.request(self.command, target, body or None, {"Content-Type": "application/json"} if body else {})
            response = upstream.getresponse()
            status, answer, kind = response.status, response.read(), response.headers.get("Content-Type", "")
            upstream.close()
        except RefusedError as reason:
            logger.warning("Refused: %s", reason)
            self._answer(HTTPStatus.FORBIDDEN, _sentence(str(reason)))
        except Exception as error:
            logger.warning("The engine does not answer as it should: %s", error)
            self._answer(getattr(error, "status_code", None) or HTTPStatus.BAD_GATEWAY, _sentence(str(error)))
        else:
            self._answer(status, answer, kind)

    do_GET = do_POST = do_DELETE = _pass  # noqa: N815 - the names that the base class looks for

    def _answer(self, status: int, body: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        if kind:
            self.send_header("Content-Type", kind)
        if status != HTTPStatus.NO_CONTENT:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if status != HTTPStatus.NO_CONTENT:
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name in the base class
        logger.debug(format, *args)


def _sentence(text: str) -> bytes:
    return json.dumps({"message": text}).encode()


class Gate(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    """The door, at a path that only this process's user may open; use it as a context, with `serve_forever`."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, path: Path) -> None:
        path.unlink(missing_ok=True)
        before = os.umask(0o177)
        try:
            super().__init__(str(path), _Handler)
        finally:
            os.umask(before)


def main() -> None:
    """The command line."""
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
    with Gate(Path(sys.argv[1])) as gate:
        cast(Any, gate).serve_forever()


if __name__ == "__main__":
    main()
