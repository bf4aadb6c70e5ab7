"""The connection to the Docker engine that DOCKER_HOST names, one for each process of ours."""

from __future__ import annotations

import os
import threading

import docker
import docker.errors
import docker.utils

from sandbox.drivers.base import DriverUnavailable

APP = "gin-rummy-arena"
"""The label `app` of everything we make in the engine."""

_CONNECT_SECONDS = 60
_lock = threading.Lock()
_clients: dict[int, docker.APIClient] = {}


def engine() -> docker.APIClient:
    """A client, which threads may share; a worker forked from this process makes its own. Raises DriverUnavailable."""
    pid = os.getpid()
    with _lock:
        client = _clients.get(pid)
        if client is None:
            try:
                client = docker.APIClient(version="auto", timeout=_CONNECT_SECONDS, **docker.utils.kwargs_from_env())
            except docker.errors.DockerException as error:
                raise DriverUnavailable(
                    f"No Docker engine answers ({error}): install docker.io, start dockerd and let this user use it."
                ) from error
            _clients.clear()
            _clients[pid] = client
    return client
