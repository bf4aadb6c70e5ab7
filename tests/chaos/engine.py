"""The Docker engine behind a door of our own: it can be shut without disturbing anybody else's containers."""

import contextlib
import os
import socket
import threading
from pathlib import Path
from typing import Any

import docker

from sandbox.labels import APP

_REAL = "unix:///var/run/docker.sock"


class EngineDoor:
    """A socket that passes everything on to the real engine while it is open."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._real = (os.environ.get("DOCKER_HOST") or _REAL).removeprefix("unix://")
        self._listener: socket.socket | None = None
        self._lock = threading.Lock()
        self._connections: set[socket.socket] = set()

    def open(self) -> None:
        """The engine is back."""
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(str(self.path))
        listener.listen(64)
        self._listener = listener
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def shut(self) -> None:
        """The engine goes away in the middle of whatever it was asked."""
        if self._listener is None:
            return
        self.path.unlink()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._listener = None
        with self._lock:
            connections, self._connections = self._connections, set()
        for connection in connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            server.connect(self._real)
            with self._lock:
                self._connections |= {client, server}
            for source, target in ((client, server), (server, client)):
                threading.Thread(target=self._pass_on, args=(source, target), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        with self._lock:
            self._connections -= {source, target}


def containers(run_dir: Path) -> list[dict[str, Any]]:
    """The containers with sockets below `run_dir`, running or not; asked of the real engine."""
    with contextlib.closing(docker.APIClient(base_url=os.environ.get("DOCKER_HOST") or _REAL)) as api:
        found: list[dict[str, Any]] = api.containers(all=True, filters={"label": [f"app={APP}", "owner"]})
    return [one for one in found if any(mount["Source"].startswith(f"{run_dir}/") for mount in one["Mounts"])]


def kill(ids: list[str]) -> None:
    """End containers from outside, as an engine that dies takes its own along."""
    with contextlib.closing(docker.APIClient(base_url=os.environ.get("DOCKER_HOST") or _REAL)) as api:
        for ident in ids:
            with contextlib.suppress(docker.errors.DockerException):
                api.kill(ident)
