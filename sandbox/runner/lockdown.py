"""Everything a child of the zygote takes upon itself before it may meet the bot's code."""

from __future__ import annotations

import mmap
import os
import resource

from sandbox.runner.landlock import Landlock
from sandbox.runner.libc import prctl
from sandbox.runner.seccomp import Filter, Watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

SIGKILL = 9
"""The same everywhere; `signal` is slow to import."""
_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 4, 38
_OPEN_FILES = 32
_PROGRAM_BYTES, _MOST_PROGRAM_BYTES = 32 * 1024 * 1024, 512 * 1024 * 1024
"""Of address space beside a bot's data: for Python itself, and for all the libraries that it may load."""


def step_down(user: int, group: int) -> None:
    """From root to somebody without rights, for good. Raises OSError.

    Root's last deed is to close /proc to everybody else: no access control short of that keeps a bot from asking for
    the status of files there, and each such question uses up one of the numbers that the machine gives to inodes. What
    is in /dev can be opened but not listed, and there are no terminals.
    """
    for folder, mode in (("/proc", 0o700), ("/dev/pts", 0o700), ("/dev", 0o711)):
        # Some hosts refuse (AppArmor), and so does gVisor where there is nothing to close.
        try:
            os.chmod(folder, mode)
        except OSError:
            continue
    os.setgroups([])
    os.setresgid(group, group, group)
    os.setresuid(user, user, user)


def hide() -> None:
    """Nobody of the same user may read or trace this process from now on."""
    prctl(_PR_SET_DUMPABLE, 0)


def die_with_parent() -> None:
    """The kernel ends this process when its parent ends. Raises OSError."""
    prctl(_PR_SET_PDEATHSIG, SIGKILL)


class Cage:
    """What confines a child, prepared while nothing is confined yet."""

    def __init__(self, code: Iterable[str]) -> None:
        """`code` are the folders of the arena's own modules. Raises OSError where the filter cannot be made."""
        self._filter = Filter()
        self._landlock = Landlock(code)
        # gVisor asks nobody.
        try:
            self._watch: Watch | None = Watch()
        except OSError:
            self._watch = None

    @property
    def can_watch(self) -> bool:
        """Whether `watch` works here."""
        return self._watch is not None

    def watch(self) -> int:
        """From now on the kernel asks before this process, or a child to come, looks up a file; the result is the
        descriptor on which it does. Raises OSError."""
        if self._watch is None:
            raise OSError("The kernel asks nobody.")
        prctl(_PR_SET_NO_NEW_PRIVS, 1)
        return self._watch.listen()

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
    die_with_parent()
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
    # gVisor counts only the heap as data. Elsewhere this bounds what a process holds without any: page tables.
    most = memory_bytes + (_PROGRAM_BYTES if _may_map(memory_bytes) else _MOST_PROGRAM_BYTES)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _may_map(size: int) -> bool:
    try:
        mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
    except OSError:
        return False
    return True
