"""Everything a child of the zygote takes upon itself before it may meet the bot's code."""

import ctypes
import os
import resource
import signal
from collections.abc import Iterable
from pathlib import Path

from sandbox.runner.landlock import Landlock
from sandbox.runner.seccomp import Filter

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 1, 4, 38
_OPEN_FILES = 32


def prctl(option: int, value: int) -> None:
    """One of the kernel's per-process switches. Raises OSError."""
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"prctl({option}, {value}): {os.strerror(number)}")


def hide() -> None:
    """Nobody of the same user may read or trace this process from now on."""
    prctl(_PR_SET_DUMPABLE, 0)


class Cage:
    """What confines a child, prepared while nothing is confined yet."""

    def __init__(self, code: Iterable[Path]) -> None:
        """`code` are the folders of the arena's own modules. Raises OSError where the filter cannot be made."""
        self._filter = Filter()
        self._landlock = Landlock(code)

    def forbid_files(self) -> None:
        """Leave nothing readable but Python's library and the arena, for good. Raises OSError."""
        prctl(_PR_SET_NO_NEW_PRIVS, 1)
        self._landlock.load()

    def forbid_calls(self) -> None:
        """Leave no system call but those of a thread that computes, for good. Raises OSError."""
        hide()
        self._filter.load()

    @property
    def report(self) -> dict[str, int]:
        """What holds once both were called; `landlock` is its version, 0 where the kernel has none."""
        return {"seccomp": 1, "landlock": self._landlock.version}


def limit(*, memory_bytes: int, cpu_seconds: int) -> None:
    """The kernel's own limits on this process; it ends with its parent.

    `cpu_seconds` only backs up the host's clock, for a host that stopped looking.
    """
    prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))
    for kind, most in (
        (resource.RLIMIT_DATA, memory_bytes),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_NOFILE, _OPEN_FILES),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
    ):
        # gVisor refuses to touch what it does not support (message queues), even where the container has set it.
        if resource.getrlimit(kind) != (most, most):
            resource.setrlimit(kind, (most, most))
