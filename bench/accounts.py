"""Who on this machine has used how much CPU time, as the kernel counts it: right on a busy machine too.

    before = spent(worker_pid)
    ...
    after = spent(worker_pid)           seconds by party; take the difference

The engine's parties are the whole machine's: what others do with it meanwhile counts as well.
"""

from __future__ import annotations

import os
from pathlib import Path

import redis
from django.db import connection

TICK = 1 / os.sysconf("SC_CLK_TCK")
"""Seconds."""
CGROUPS = Path("/sys/fs/cgroup")


def spent(workers: int) -> dict[str, float]:
    """CPU seconds so far: of the program `workers` and its children, the services, the engine and the boxes."""
    processes = _processes()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        backend = cursor.fetchone()[0]
    info = redis.Redis.from_url(os.environ["REDIS_URL"]).info("cpu")
    engine = [pid for pid, (name, *_) in processes.items() if name in ("dockerd", "containerd")]
    shims = [pid for pid, (name, *_) in processes.items() if name.startswith("containerd-shim")]
    boxes = _boxes()
    return {
        "workers: messages, referee, checks, results": _tree(processes, workers),
        "PostgreSQL": _tree(processes, processes[backend][1]) if backend in processes else 0.0,
        "Redis": info["used_cpu_user"] + info["used_cpu_sys"],
        "the bots and the runner in their boxes": boxes,
        "the Docker engine: dockerd, containerd": sum(sum(processes[pid][2:]) for pid in engine),
        # A shim that ends is counted to the first process, with runc and the box that it started.
        "starting and ending boxes: shims, runc": sum(sum(processes[pid][2:]) for pid in shims)
        + processes[1][3]
        - boxes,
    }


Process = tuple[str, int, float, float]
"""Name, parent, own CPU seconds, those of its children that have ended."""


def _processes() -> dict[int, Process]:
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            head, _, tail = path.read_text().rpartition(")")
        except OSError:  # it has ended
            continue
        fields = tail.split()
        own, ended = (TICK * (int(fields[at]) + int(fields[at + 1])) for at in (11, 13))
        found[int(path.parent.name)] = (head.partition("(")[2], int(fields[1]), own, ended)
    return found


def _tree(processes: dict[int, Process], root: int) -> float:
    """CPU seconds of a process and of all below it."""
    below = [pid for pid, process in processes.items() if process[1] == root]
    return sum(processes[root][2:]) + sum(_tree(processes, pid) for pid in below)


def _boxes() -> float:
    """CPU seconds of all containers, gone ones included."""
    first = CGROUPS / "cpuacct" / "docker" / "cpuacct.usage"
    if first.exists():
        return int(first.read_text()) / 1e9
    lines = (CGROUPS / "docker" / "cpu.stat").read_text().splitlines()
    return int(dict(line.split() for line in lines)["usage_usec"]) / 1e6
