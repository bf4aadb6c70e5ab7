"""The parts some tests need that a machine may lack: how to tell, and how to get them."""

import functools
import json
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass

from tests import services

PROBE_SECONDS = 120
"""A part that is only slow to answer, beside other tests, is not missing."""


@dataclass(frozen=True)
class Part:
    """Something outside Python that a test needs."""

    probe: Callable[[], bool]
    how: str
    """A sentence: what is missing and what brings it."""

    def missing(self) -> str | None:
        """None when the part is here, else the sentence."""
        return None if self.probe() else self.how


def chromium() -> str | None:
    """The path of an installed Chromium or Chrome; the shell without a window, if there, takes a third of the work."""
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next(filter(None, map(shutil.which, names)), None)


@functools.cache
def compose() -> list[str] | None:
    """The command that starts a compose file: the engine's plugin, or the program of its own."""
    commands = (["docker", "compose"], ["docker-compose"])
    works = (
        command
        for command in commands
        if shutil.which(command[0])
        and subprocess.run([*command, "version"], check=False, capture_output=True, timeout=PROBE_SECONDS).returncode
        == 0
    )
    return next(works, None)


@functools.cache
def _runtimes() -> dict[str, object]:
    """What the Docker engine starts containers with, by name; nothing where no engine answers."""
    docker = shutil.which("docker")
    if docker is None:
        return {}
    try:
        probe = subprocess.run(
            [docker, "info", "--format", "{{json .Runtimes}}"], check=False, capture_output=True, timeout=PROBE_SECONDS
        )
    except subprocess.TimeoutExpired:
        return {}
    return json.loads(probe.stdout) or {} if probe.returncode == 0 else {}


@functools.cache
def _bubblewrap_works() -> bool:
    # Present is not enough: inside most containers the kernel refuses the namespaces it needs.
    bwrap = shutil.which("bwrap")
    command = [str(bwrap), "--unshare-all", "--ro-bind", "/", "/", "true"]
    return (
        bwrap is not None
        and subprocess.run(command, check=False, capture_output=True, timeout=PROBE_SECONDS).returncode == 0
    )


PARTS = {
    "docker": Part(
        lambda: bool(_runtimes()), "No Docker engine answers: install docker.io and start dockerd (see README.md)."
    ),
    "runsc": Part(
        lambda: "runsc" in _runtimes(),
        "The Docker engine has no runtime runsc: apt-get install runsc and name it to the engine (see docs/deploy).",
    ),
    "compose": Part(lambda: compose() is not None, "Docker's compose is missing: apt-get install docker-compose."),
    "bubblewrap": Part(
        _bubblewrap_works, "bubblewrap is missing or refused by the kernel: apt-get install bubblewrap."
    ),
    "redis": Part(lambda: shutil.which("redis-server") is not None, "redis-server is missing: apt-get install redis."),
    "postgres": Part(
        lambda: services.postgres_programs() is not None, "PostgreSQL is missing: apt-get install postgresql."
    ),
    "browser": Part(lambda: chromium() is not None, "Chromium is missing: apt-get install chromium."),
}
