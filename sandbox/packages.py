"""numpy for bots: all they may import besides the standard library, `arena` and their own modules.

It is a copy of what this process could import itself: the release that requirements.txt pins by its hash. So a box gets
it without any network, and only where the box's Python is of the same version as the worker's. SANDBOX_NUMPY=0 leaves
it out.
"""

from __future__ import annotations

import functools
import os
from importlib import metadata
from pathlib import Path

from sandbox.drivers.base import DriverUnavailable

FOLDER = "packages"
"""Beside `arena` and `sandbox` in a box."""
_NEEDED = {"numpy", "numpy.libs"}
_LEFT_OUT = {"tests", "include", "f2py", "distutils", "_pyinstaller"}
_SUFFIXES_LEFT_OUT = {".pyi", ".pxd", ".a", ".h"}


def numpy_files() -> dict[str, Path]:
    """The files of numpy by path below FOLDER; none if it is turned off. Raises DriverUnavailable."""
    wanted = os.environ.get("SANDBOX_NUMPY") or "1"
    if wanted not in ("0", "1"):
        raise DriverUnavailable(f"SANDBOX_NUMPY is {wanted!r}; it must be 1 or 0.")
    return _found() if wanted == "1" else {}


def numpy_fingerprint() -> bytes:
    """Something that changes when the files do. Raises DriverUnavailable."""
    return "".join(f"{name} {path.stat().st_size}\n" for name, path in numpy_files().items()).encode()


@functools.cache
def _found() -> dict[str, Path]:
    try:
        files = metadata.files("numpy") or []
    except metadata.PackageNotFoundError:
        return {}
    return {
        file.as_posix(): Path(str(file.locate()))
        for file in sorted(files)
        if file.parts[0] in _NEEDED and _LEFT_OUT.isdisjoint(file.parts) and file.suffix not in _SUFFIXES_LEFT_OUT
    }
