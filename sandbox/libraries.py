"""The shared libraries of this machine that its Python, its extension modules and numpy are linked with."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from sandbox.drivers.base import DriverUnavailable
from sandbox.interpreter import Interpreter
from sandbox.packages import numpy_files

FOLDERS = ("/usr/lib", "/lib", "/usr/lib64", "/lib64")
"""Where the loader looks for them."""


def libraries(python: Interpreter, programs: Iterable[Path] = ()) -> set[Path]:
    """All of them, libseccomp and the loader included, and those of `programs`, under the names that the loader knows.

    What numpy brings along is not among them. Raises DriverUnavailable.
    """
    seccomp = next(_find("libseccomp.so.2"), None)
    if seccomp is None:
        raise DriverUnavailable("libseccomp is not installed: apt-get install libseccomp2.")
    extensions = [path for path in numpy_files().values() if ".so" in path.suffixes]
    brought = {path.resolve() for path in extensions}
    modules = [path for path in python.stdlib.rglob("*.so") if path.is_file()]
    linked = _linked([python.executable, seccomp, *modules, *extensions, *programs])
    return {path for path in (seccomp, *linked) if path.resolve() not in brought}


def _find(name: str) -> Iterator[Path]:
    for folder in map(Path, FOLDERS):
        yield from folder.glob(name)
        yield from folder.glob(f"*/{name}")


def _linked(programs: list[Path]) -> set[Path]:
    found = subprocess.run(["ldd", *map(str, programs)], check=False, capture_output=True, text=True)
    words = (line.split(" (0x")[0].split("=>")[-1].strip() for line in found.stdout.splitlines() if " (0x" in line)
    return {Path(word) for word in words if word.startswith("/")}
