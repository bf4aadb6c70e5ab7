"""The sandbox image: built from this very code, under a tag that changes with it, so that no stale image is ever used.

`python -m sandbox.image build [--base IMAGE]` builds it beforehand; the Docker driver does so when it is missing. The
base may be pinned by its digest, `python:3.11-slim-bookworm@sha256:...`.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import logging
import os
import socket
import sys
import tarfile
import time

import docker
import docker.errors
import docker.utils

from sandbox.drivers.base import DriverUnavailable
from sandbox.drivers.engine import engine
from sandbox.hostbase import ensure_host_base
from sandbox.labels import APP, IMAGE_LABEL
from sandbox.packages import FOLDER, numpy_files, numpy_fingerprint
from sandbox.sources import DOCKERFILE, ROOT, runner_digest, runner_files

DEFAULT_BASE = "python:3.11-slim-bookworm"
HOST = "host"
"""As a base: an image of this machine's own Python (`hostbase.py`)."""
REPOSITORY = "gin-rummy-arena-sandbox"
_MAKER_LABEL = "made-by"
_OLD_SECONDS, _SUPERSEDED_SECONDS = 7 * 24 * 3600, 600
"""Until an image that nobody uses is removed: anybody's, and one in place of which we have built another."""

_unreachable: set[str] = set()
"""Bases that could not be pulled. A worker checks its sandbox every minute and need not ask the registry each time."""

logger = logging.getLogger(__name__)


def ensure_image(base: str | None = None) -> str:
    """The image's name, after building it if it is not there. `base` is SANDBOX_BASE_IMAGE if not given.

    Without either it is the official Python image, or HOST where that can be neither found nor pulled.
    Raises DriverUnavailable.
    """
    api = engine()
    try:
        base, base_id = _find_base(api, base or os.environ.get("SANDBOX_BASE_IMAGE"))
        dockerfile = (ROOT / DOCKERFILE).read_bytes()
        tag = runner_digest(dockerfile, base_id.encode(), numpy_fingerprint())
        name = f"{REPOSITORY}:{tag}"
        if not api.images(name, quiet=True):
            _build(api, name, base, dockerfile)
            _remove_old(api, name, base)
    except (docker.errors.DockerException, OSError) as error:
        raise DriverUnavailable(f"The sandbox image cannot be built: {error}") from error
    return name


def _find_base(api: docker.APIClient, wanted: str | None) -> tuple[str, str]:
    """The base's name and id. By its id, a base that was built anew under its old name makes another image."""
    base = wanted or DEFAULT_BASE
    if wanted is None and base in _unreachable:
        base = HOST
    if base != HOST and not _is_here(api, base):
        repository, tag = docker.utils.parse_repository_tag(base)  # the tag is a digest after an @
        try:
            api.pull(repository, tag or "latest")
        except docker.errors.APIError as error:
            if wanted is not None:
                raise DriverUnavailable(
                    f"The base image {base} is not here and cannot be pulled: set SANDBOX_BASE_IMAGE to a Debian image"
                    f" with Python 3.11 or newer, or to {HOST}. The engine says: {error.explanation}"
                ) from error
            _unreachable.add(base)
            logger.warning("%s cannot be pulled; the sandbox image is built on this machine's own Python.", base)
            base = HOST
    if base == HOST:
        base = ensure_host_base(api)
    return base, str(api.inspect_image(base)["Id"])


def _is_here(api: docker.APIClient, name: str) -> bool:
    try:
        api.inspect_image(name)
    except docker.errors.ImageNotFound:
        return False
    return True


def _remove_old(api: docker.APIClient, name: str, base: str) -> None:
    """Delete images of earlier versions, and bases of this machine's Python, that nothing uses any more.

    A worker that still needs one builds it again. Other arenas may use the same engine, and other workers of ours may
    be building this very image. The engine itself keeps what a container, or another image, is made of.
    """
    for image in api.images(filters={"label": f"{IMAGE_LABEL}={APP}"}):
        if not {name, base}.isdisjoint(image["RepoTags"] or ()):
            continue
        is_superseded = image["Labels"].get(_MAKER_LABEL, _maker()) == _maker()  # a base has no maker
        if time.time() - image["Created"] > (_SUPERSEDED_SECONDS if is_superseded else _OLD_SECONDS):
            with contextlib.suppress(docker.errors.APIError):
                api.remove_image(image["Id"])


def _maker() -> str:
    """This copy of the arena. Whatever base and libraries it builds on, it needs one image at a time."""
    return f"{socket.gethostname()}:{ROOT}"


def _build(api: docker.APIClient, name: str, base: str, dockerfile: bytes) -> None:
    log: list[str] = []
    for event in api.build(
        fileobj=_context(dockerfile),
        custom_context=True,
        dockerfile=DOCKERFILE,
        buildargs={"BASE_IMAGE": base, "NUMPY": str(int(bool(numpy_files())))},
        tag=name,
        labels={IMAGE_LABEL: APP, _MAKER_LABEL: _maker()},
        network_mode="none",
        rm=True,
        forcerm=True,
        decode=True,
    ):
        log.append(event.get("stream", ""))
        if "error" in event:
            lines = "".join(log).strip().splitlines()
            raise DriverUnavailable(
                f"The sandbox image cannot be built on {base}: {event['error']} {' '.join(lines[-3:])}"
            )


def _context(dockerfile: bytes) -> io.BytesIO:
    """What the build sees: the runner's files, numpy's and the Dockerfile."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for path, data in {**runner_files(), DOCKERFILE: dockerfile}.items():
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode = len(data), 0o644
            archive.addfile(entry, io.BytesIO(data))
        folder = tarfile.TarInfo(FOLDER)
        folder.type, folder.mode = tarfile.DIRTYPE, 0o755
        archive.addfile(folder)
        for path, found in numpy_files().items():
            # With its time of change, by which Python knows whether the bytecode beside it is still good.
            archive.add(found, f"{FOLDER}/{path}", filter=_for_all)
    buffer.seek(0)
    return buffer


def _for_all(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.mode = 0o644
    entry.uname = entry.gname = ""
    return entry


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m sandbox.image", description=__doc__)
    commands = parser.add_subparsers(required=True)
    build = commands.add_parser("build", help="build the image if it is not there, and print its name")
    build.add_argument("--base", help=f"base image instead of SANDBOX_BASE_IMAGE, or {HOST}")
    arguments = parser.parse_args()
    try:
        sys.stdout.write(ensure_image(arguments.base) + "\n")
    except DriverUnavailable as reason:
        sys.stderr.write(f"{reason}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
