"""What a box could leave behind, as far as this process made it."""

import os
from pathlib import Path

import docker.errors

from sandbox.drivers import cgroup
from sandbox.drivers.base import DriverUnavailable
from sandbox.drivers.engine import engine
from sandbox.drivers.owner import Owner
from sandbox.labels import APP


def of_this_process(run_dir: Path) -> list[str]:
    """One line for each thing found."""
    slots = [path.name for path in run_dir.iterdir() if path.name.isdigit()]
    sockets = [str(path) for path in run_dir.rglob("*") if path.is_socket()]
    return [
        *(f"slot {name}" for name in slots),
        *(f"socket {path}" for path in sockets),
        *(f"process {line}" for line in _processes(run_dir)),
        *(f"container {name}" for name in containers_of(str(Owner.me()))),
        *(f"control group {name}" for name in control_groups(run_dir)),
    ]


def containers_of(owner: str) -> list[str]:
    """The containers that belong to an owner, running or not."""
    try:
        found = engine().containers(all=True, filters={"label": [f"app={APP}", f"owner={owner}"]})
    except (docker.errors.DockerException, DriverUnavailable):
        return []
    return [str(container["Id"]) for container in found]


def control_groups(run_dir: Path) -> list[str]:
    """The groups around boxes of bubblewrap's with slots in a run folder."""
    folders = [folder for parent in cgroup._parents() for folder in parent.iterdir()]
    return [str(folder) for folder in folders if folder.name.startswith(f"{run_dir.name}-")]


def _processes(run_dir: Path) -> list[str]:
    """Runners below this process, and whatever else names its run folder."""
    found = []
    parents = {}
    lines = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                stat = (folder / "stat").read_text().rpartition(")")[2].split()
                lines[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            parents[int(folder.name)] = int(stat[1])
    for pid, line in lines.items():
        if pid != os.getpid() and (str(run_dir) in line or ("sandbox/runner" in line and _is_below_us(pid, parents))):
            found.append(f"{pid} {line[:200]}")
    return found


def _is_below_us(pid: int, parents: dict[int, int]) -> bool:
    while pid > 1:
        if pid == os.getpid():
            return True
        pid = parents.get(pid, 0)
    return False
