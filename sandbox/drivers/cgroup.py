"""A control group around a box of bubblewrap's, where this process may make one. Docker makes its own; of that, too, it
is read here whether the kernel has killed for memory.

Both versions are served. Under v1 each controller has a hierarchy of its own; under v2 there is one, whose root must
hand the controllers down. Where neither can be written (a worker that is not root, or runs in a container), there is no
group, and the limits on the process itself remain.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import logging
import time
from dataclasses import dataclass
from pathlib import Path

from sandbox.drivers.base import Limits

logger = logging.getLogger(__name__)

_PARENT = "gin-rummy-arena"
_V1 = {"memory": "memory", "pids": "pids"}
_REMOVE_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Group:
    """One box's folders: one under v2, one for each controller under v1."""

    folders: tuple[Path, ...]

    def add(self, pid: int) -> None:
        """Move a process in; its children to come are born there."""
        for folder in self.folders:
            (folder / "cgroup.procs").write_text(str(pid))

    def oom_kills(self) -> int:
        """How many processes of the group the kernel killed for its memory."""
        for folder in self.folders:
            for name in ("memory.events", "memory.oom_control"):
                with contextlib.suppress(OSError):
                    lines = (folder / name).read_text().splitlines()
                    return sum(int(line.split()[1]) for line in lines if line.startswith("oom_kill "))
        return 0

    def remove(self) -> None:
        """Delete the group, once the processes in it are gone."""
        for folder in self.folders:
            _remove_folder(folder)


def create(name: str, limits: Limits) -> Group | None:
    """A group with the limits' memory and number of processes, or None where none can be made."""
    folders: list[Path] = []
    for parent, settings in _settings(limits):
        folder = parent / name
        try:
            folder.mkdir()
            folders.append(folder)
            for setting, value in settings.items():
                _write(folder / setting, value)
        except OSError as error:
            logger.info("No control group for a box: %s", error)
            Group(tuple(folders)).remove()
            return None
    return Group(tuple(folders)) if folders else None


def memory_group(pid: int) -> Group | None:
    """Where the kernel counts the memory of a process, whoever made the group; None where it is not to be seen."""
    try:
        lines = Path(f"/proc/{pid}/cgroup").read_text().splitlines()
    except OSError:
        return None
    # cgroups(7): 4:memory:/path for a controller of v1, and 0::/path for v2.
    paths = {kind: path for _, kinds, path in (line.split(":", 2) for line in lines) for kind in kinds.split(",")}
    mounts = _mounts()
    for controller, mount in (("memory", "memory"), ("", "cgroup2")):
        if controller in paths and mount in mounts:
            folder = mounts[mount] / paths[controller].lstrip("/")
            return Group((folder,)) if folder.is_dir() else None
    return None


def remove(name: str) -> None:
    """Delete what a dead owner left of the group of that name."""
    for parent in _parents():
        _remove_folder(parent / name)


def _settings(limits: Limits) -> list[tuple[Path, dict[str, str]]]:
    memory, processes = str(limits.memory_bytes), str(limits.processes)
    parents = _parents()
    if len(parents) == 1:
        return [(parents[0], {"memory.max": memory, "memory.swap.max": "0", "pids.max": processes})]
    if not parents:
        return []
    by_memory, by_pids = parents
    return [
        (by_memory, {"memory.limit_in_bytes": memory, "memory.memsw.limit_in_bytes": memory}),
        (by_pids, {"pids.max": processes}),
    ]


@functools.cache
def _parents() -> tuple[Path, ...]:
    """The folders to make groups in: none, one (v2) or two (v1: memory, pids)."""
    mounts = _mounts()
    try:
        if "memory" in mounts and "pids" in mounts:
            parents = [mounts[_V1[controller]] / _PARENT for controller in ("memory", "pids")]
            for parent in parents:
                parent.mkdir(exist_ok=True)
            return tuple(parents)
        if "cgroup2" in mounts:
            root = mounts["cgroup2"]
            parent = root / _PARENT
            parent.mkdir(exist_ok=True)
            for folder in (root, parent):
                (folder / "cgroup.subtree_control").write_text("+memory +pids")
            return (parent,)
    except OSError as error:
        logger.info("Control groups cannot be made here: %s", error)
    return ()


def _mounts() -> dict[str, Path]:
    """Where the hierarchies are mounted: by v1 controller, and as "cgroup2"."""
    found: dict[str, Path] = {}
    for line in Path("/proc/mounts").read_text().splitlines():
        _, mountpoint, kind, options, *_ = line.split()
        if kind == "cgroup2":
            found["cgroup2"] = Path(mountpoint)
        elif kind == "cgroup":
            for controller in _V1:
                if controller in options.split(","):
                    found[controller] = Path(mountpoint)
    return found


def _write(path: Path, value: str) -> None:
    try:
        path.write_text(value)
    except FileNotFoundError:
        # A kernel that does not account swap lacks this file, and has no other way to say no to swap.
        if "sw" not in path.name:
            raise


def _remove_folder(folder: Path) -> None:
    deadline = time.monotonic() + _REMOVE_SECONDS
    while True:
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError as error:
            if error.errno != errno.EBUSY or time.monotonic() > deadline:
                logger.warning("The control group %s cannot be removed: %s", folder, error)
                return
            time.sleep(0.002)
        else:
            return
