"""The sandbox image: built from this very code, under a tag that changes with it, so that no stale image is ever used.

`python -m sandbox.image build [--base IMAGE]` builds it beforehand; the Docker driver does so when it is missing.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import tarfile

import docker
import docker.errors

from sandbox.drivers.base import DriverUnavailable
from sandbox.drivers.engine import APP, engine
from sandbox.sources import DOCKERFILE, ROOT, runner_digest, runner_files

DEFAULT_BASE = "python:3.11-slim-bookworm"
_REPOSITORY = "gin-rummy-arena-sandbox"


def ensure_image(base: str | None = None) -> str:
    """The image's name, after building it if it is not there. `base` is SANDBOX_BASE_IMAGE if not given.

    Raises DriverUnavailable.
    """
    base = base or os.environ.get("SANDBOX_BASE_IMAGE") or DEFAULT_BASE
    api = engine()
    dockerfile = (ROOT / DOCKERFILE).read_bytes()
    try:
        name = f"{_REPOSITORY}:{runner_digest(dockerfile, _base_id(api, base).encode())}"
        if not api.images(name, quiet=True):
            _build(api, name, base, dockerfile)
    except (docker.errors.DockerException, OSError) as error:
        raise DriverUnavailable(f"The sandbox image cannot be built: {error}") from error
    return name


def _base_id(api: docker.APIClient, base: str) -> str:
    """What the base is right now: a base that was built anew under its old name makes another image."""
    try:
        return str(api.inspect_image(base)["Id"])
    except docker.errors.ImageNotFound:
        pass
    try:
        api.pull(*base.rsplit(":", 1)) if ":" in base.rpartition("/")[2] else api.pull(base, "latest")
        return str(api.inspect_image(base)["Id"])
    except docker.errors.APIError as error:
        raise DriverUnavailable(
            f"The base image {base} is not here and cannot be pulled: set SANDBOX_BASE_IMAGE to a Debian image with"
            f" Python 3.11 or newer. The engine says: {error.explanation}"
        ) from error


def _build(api: docker.APIClient, name: str, base: str, dockerfile: bytes) -> None:
    log: list[str] = []
    for event in api.build(
        fileobj=_context(dockerfile),
        custom_context=True,
        dockerfile=DOCKERFILE,
        buildargs={"BASE_IMAGE": base},
        tag=name,
        labels={"app": APP},
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
    """What the build sees: the runner's files and the Dockerfile, in an archive that depends on nothing else."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for path, data in {**runner_files(), DOCKERFILE: dockerfile}.items():
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode = len(data), 0o644
            archive.addfile(entry, io.BytesIO(data))
    buffer.seek(0)
    return buffer


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m sandbox.image", description=__doc__)
    commands = parser.add_subparsers(required=True)
    build = commands.add_parser("build", help="build the image if it is not there, and print its name")
    build.add_argument("--base", help="base image instead of SANDBOX_BASE_IMAGE")
    arguments = parser.parse_args()
    try:
        sys.stdout.write(ensure_image(arguments.base) + "\n")
    except DriverUnavailable as reason:
        sys.stderr.write(f"{reason}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
