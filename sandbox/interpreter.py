"""Which of this machine's Pythons a box may hold: one that others than its owner may run."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from sandbox.drivers.base import DriverUnavailable

_PROBE_SECONDS = 20
_PROBE = "import sys, sysconfig; print(sys.version_info >= (3, 11), sysconfig.get_path('stdlib'))"
_NOBODY = 65534


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python that a box can hold."""

    executable: Path
    stdlib: Path


@functools.cache
def find_interpreter() -> Interpreter:
    """A Python of at least 3.11 that the box's user may run. Raises DriverUnavailable.

    The worker's own comes first; under a root whose home is closed (pyenv) the system's is next.
    """
    as_another_user = os.geteuid() == 0
    own = Path(sys.base_prefix) / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    for candidate in (own, Path("/usr/bin/python3"), Path("/usr/local/bin/python3")):
        if (found := _probe(candidate, as_another_user)) is not None:
            return found
    raise DriverUnavailable(
        "No Python of at least 3.11 that bots' unprivileged users may run was found: apt-get install python3."
    )


def _probe(candidate: Path, as_another_user: bool) -> Interpreter | None:
    nobody = _NOBODY if as_another_user else None
    try:
        executable = candidate.resolve(strict=True)
        result = subprocess.run(
            [executable, "-I", "-S", "-c", _PROBE],
            check=True,
            capture_output=True,
            text=True,
            timeout=_PROBE_SECONDS,
            cwd="/",
            env={},
            user=nobody,
            group=nobody,
            extra_groups=[] if as_another_user else None,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    is_new_enough, stdlib = result.stdout.split()
    return Interpreter(executable, Path(stdlib)) if is_new_enough == "True" else None
