"""The connection to the Docker engine that DOCKER_HOST names, one for each process of ours."""

from __future__ import annotations

import os
import socket
import threading

import docker
import docker.errors
import docker.utils

from sandbox.drivers.base import DriverUnavailable

_UNIX = "unix://"
_LOCAL_ENGINE = f"{_UNIX}/var/run/docker.sock"
_HOW = "Install docker.io, start dockerd and let this user use it."
_CONNECT_SECONDS = 60
_lock = threading.Lock()
_clients: dict[int, docker.APIClient] = {}


def engine() -> docker.APIClient:
    """A client, which threads may share; a worker forked from this process makes its own. Raises DriverUnavailable."""
    pid = os.getpid()
    with _lock:
        client = _clients.get(pid)
        if client is None:
            _knock()
            try:
                client = docker.APIClient(version="auto", timeout=_CONNECT_SECONDS, **docker.utils.kwargs_from_env())
            except docker.errors.DockerException as error:
                raise DriverUnavailable(f"No Docker engine answers ({error}). {_HOW}") from error
            if local_engine():
                # No proxy stands before a local socket, and to look for one takes a third of the time of every call.
                client.trust_env = False
            _clients.clear()
            _clients[pid] = client
    return client


def local_engine() -> str:
    """The path of the engine's socket, or "" where DOCKER_HOST names an engine elsewhere."""
    host = os.environ.get("DOCKER_HOST") or _LOCAL_ENGINE
    return host.removeprefix(_UNIX) if host.startswith(_UNIX) else ""


def _knock() -> None:
    """See whether anybody is behind the engine's local socket; docker's own client forgets to close one that fails."""
    path = local_engine()
    if not path:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door:
        try:
            door.connect(path)
        except OSError as error:
            raise DriverUnavailable(f"No Docker engine answers at {path} ({error.strerror}). {_HOW}") from error
