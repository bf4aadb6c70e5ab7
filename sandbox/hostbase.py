"""A base image made of this machine's own Python, for engines that can reach no registry.

It holds the interpreter with its standard library, the C libraries these need, libseccomp, and the three commands that
the Dockerfile runs; nothing else of the machine.
"""

from __future__ import annotations

import hashlib
import io
import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path

import docker

from sandbox.drivers.base import DriverUnavailable
from sandbox.interpreter import Interpreter, find_interpreter
from sandbox.labels import APP, IMAGE_LABEL
from sandbox.libraries import libraries

_REPOSITORY = "gin-rummy-arena-base"
_COMMANDS = ("sh", "mkdir", "chmod")
_LEFT_OUT = {"test", "tests", "idlelib", "lib2to3", "turtledemo", "ensurepip", "dist-packages", "site-packages"}


def ensure_host_base(api: docker.APIClient) -> str:
    """The image's name, after making it if it is not there.

    Raises DriverUnavailable, docker's exceptions and OSError.
    """
    files = dict(_files(find_interpreter()))
    changes = [f"LABEL {IMAGE_LABEL}={APP}"]
    digest = hashlib.sha256(repr(changes).encode())
    for name, path in sorted(files.items()):
        found = path.stat()
        digest.update(f"{name} {found.st_size} {found.st_mtime_ns}\n".encode())
    tag = digest.hexdigest()[:16]
    name = f"{_REPOSITORY}:{tag}"
    if not api.images(name, quiet=True):
        api.import_image_from_data(_archive(files), repository=_REPOSITORY, tag=tag, changes=changes)
    return name


def _files(python: Interpreter) -> Iterator[tuple[str, Path]]:
    """What the image holds: its path there, relative to the root, and the file here."""
    programs = [python.executable]
    yield "usr/local/bin/python3", python.executable
    for command in _COMMANDS:
        found = shutil.which(command)
        if found is None:
            raise DriverUnavailable(f"The command {command} is missing on this machine.")
        programs.append(Path(found))
        yield f"bin/{command}", Path(found)
    for path in python.stdlib.rglob("*"):
        if path.is_file() and _LEFT_OUT.isdisjoint(path.relative_to(python.stdlib).parts):
            yield str(path)[1:], path
    for path in {*programs, *libraries(python, programs)}:
        yield str(path)[1:], path
    if Path("/etc/ld.so.cache").exists():
        yield "etc/ld.so.cache", Path("/etc/ld.so.cache")


def _archive(files: dict[str, Path]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", dereference=True) as archive:
        for name, path in files.items():
            entry = archive.gettarinfo(path, name)
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = ""
            entry.type = tarfile.REGTYPE
            with path.open("rb") as data:
                archive.addfile(entry, data)
    return buffer.getvalue()
