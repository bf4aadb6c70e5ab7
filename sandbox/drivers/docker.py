"""The driver for Docker: a container for every box, with everything off that a bot does not need.

What a container gets is in `_host_config`, in one place and the same for every bot. The runner locks the bot in once
more from within. The engine is asked to create, start, inspect and remove; moves never pass through it.
"""

from __future__ import annotations

import contextlib
import functools
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docker
import docker.errors
import docker.types

from arena.player import HouseFailure
from sandbox.drivers.base import MEBIBYTE, DriverUnavailable, Limits
from sandbox.drivers.box import ZygoteBox
from sandbox.drivers.container import Container, destroy_again
from sandbox.drivers.engine import engine
from sandbox.drivers.fresh import BoxPerGame
from sandbox.drivers.owner import Owner, is_abandoned, is_left_behind
from sandbox.drivers.slot import Slot, reap_slots, run_dir
from sandbox.image import ensure_image
from sandbox.labels import APP
from sandbox.selftest import prove

_PROFILE = Path(__file__).resolve().parents[1] / "bot-seccomp.json"
_SOCKETS = "/run/arena"
RUNTIMES = ("runc", "crun", "runsc")
_RUNSC_PROCESSES = 256
"""gVisor's own threads count as processes of the container."""
EXTRA_BYTES = {"runc": 0, "crun": 0, "runsc": 128 * MEBIBYTE}
"""Beside the bot's memory, by runtime: gVisor's own counts as well."""
_CAPABILITIES = ["SETUID", "SETGID"]
"""The runner starts as root, closes what only root can close, and becomes the slot's user (`lockdown.step_down`)."""
_CPU_PERIOD = 100_000
_OPEN_FILES = 128
"""crun holds every masked path open under the container's own limit. A bot's process may open fewer (`lockdown.py`)."""

_MASKED_IN_PROC = """
    acpi asound buddyinfo bus cgroups consoles cpuinfo devices diskstats driver execdomains fb filesystems fs interrupts
    iomem ioports irq kallsyms kcore key-users keys kmsg kpagecgroup kpagecount kpageflags latency_stats loadavg locks
    meminfo misc modules mtrr net pagetypeinfo partitions pressure sched_debug schedstat scsi slabinfo softirqs stat
    swaps sys sysvipc timer_list timer_stats tty uptime version vmallocinfo vmstat zoneinfo
"""
_MASKED_PATHS = ["/sys", *(f"/proc/{name}" for name in _MASKED_IN_PROC.split())]
"""The engine's own list, and all of the machine's counters besides: they run on from one game to the next."""


class DockerDriver:
    """See Driver."""

    name = "docker"
    trusted_only = False

    def __init__(self, runtime: str = "") -> None:
        """`runtime` is one of RUNTIMES; without one SANDBOX_DOCKER_RUNTIME says, and else it is runc."""
        self._wanted = runtime

    @property
    def runtime(self) -> str:
        """What the engine starts containers with. Raises DriverUnavailable for one that is not supported."""
        runtime = self._wanted or os.environ.get("SANDBOX_DOCKER_RUNTIME") or RUNTIMES[0]
        if runtime not in RUNTIMES:
            raise DriverUnavailable(f"SANDBOX_DOCKER_RUNTIME is {runtime!r}; it must be one of {', '.join(RUNTIMES)}.")
        return runtime

    def check(self) -> None:
        """See Driver.check. Builds the image when it is missing."""
        api = engine()
        try:
            api.ping()
            runtimes = api.info()["Runtimes"]
        except (docker.errors.DockerException, OSError) as error:
            raise DriverUnavailable(f"The Docker engine does not answer: {error}") from error
        if self.runtime not in runtimes:
            raise DriverUnavailable(
                f"The Docker engine has no runtime {self.runtime}: install it and add it to the engine's runtimes, or"
                " set SANDBOX_DOCKER_RUNTIME to another."
            )
        _image.cache_clear()
        prove(self)

    def open_box(self, limits: Limits) -> ZygoteBox | BoxPerGame:
        """See Driver.open_box."""
        if self.runtime == "runsc":
            return BoxPerGame(lambda: self._open_container(limits))
        return self._open_container(limits)

    def _open_container(self, limits: Limits) -> ZygoteBox:
        api = engine()
        deadline = time.time() + limits.box_seconds
        slot = Slot.take(deadline)
        try:
            with slot.listen("control") as listener:
                container = self._start(api, slot, limits, deadline)
                try:
                    return ZygoteBox.open(slot, listener, container, limits)
                except BaseException:
                    container.destroy()
                    raise
        except BaseException:
            slot.remove()
            raise

    def reap(self) -> int:
        """See Driver.reap."""
        api = engine()
        count = destroy_again(api)
        try:
            count += _reap_containers(api, [f"arena={run_dir()}"], is_left_behind)
            # Of arenas that never start again: a test's, a benchmark's. The gate shows nobody another arena's boxes.
            with contextlib.suppress(docker.errors.APIError):
                count += _reap_containers(api, [], is_abandoned)
        except (docker.errors.DockerException, OSError) as error:
            raise DriverUnavailable(f"The Docker engine does not answer: {error}") from error
        return count + reap_slots()

    def _start(self, api: docker.APIClient, slot: Slot, limits: Limits, deadline: float) -> Container:
        runtime = self.runtime
        labels = labels_of(slot, Owner.me(), deadline)

        def create() -> str:
            config = container_config(api, _image(), slot, limits, runtime, labels)
            return str(api.create_container_from_config(config)["Id"])

        try:
            try:
                ident = create()
            except docker.errors.ImageNotFound:  # somebody has removed it since
                _image.cache_clear()
                ident = create()
        except (docker.errors.DockerException, OSError) as error:
            raise HouseFailure(f"The engine did not make a container: {error}") from error
        container = Container(api, ident, own_kernel=runtime == "runsc")
        try:
            api.start(ident)
        except (docker.errors.DockerException, OSError) as error:
            container.destroy()
            raise HouseFailure(f"The engine did not start a container: {error}") from error
        return container


def _reap_containers(api: docker.APIClient, labels: list[str], is_nobodys: Callable[[str, str], bool]) -> int:
    """Remove the boxes with these labels of which owner and deadline say so; how many there were."""
    found = [
        Container(api, container["Id"])
        for container in api.containers(all=True, filters={"label": [f"app={APP}", *labels]})
        if is_nobodys(container["Labels"].get("owner", ""), container["Labels"].get("deadline", ""))
    ]
    for container in found:
        container.destroy()
    return len(found)


def labels_of(slot: Slot, owner: Owner, deadline: float) -> dict[str, str]:
    """What is written on a container. An arena is known by its run folder: its workers share that, and several arenas
    may share an engine."""
    return {
        "app": APP,
        "arena": str(run_dir()),
        "owner": str(owner),
        "deadline": str(deadline),
        "slot": slot.name,
    }


def container_config(
    api: docker.APIClient, image: str, slot: Slot, limits: Limits, runtime: str, labels: dict[str, str]
) -> dict[str, Any]:
    """What the engine is asked for: the one kind of container that there is (`sandbox.gate` lets no other pass)."""
    config: dict[str, Any] = api.create_container_config(
        image,
        command=[str(slot.uid), str(slot.gid)],
        user="0:0",
        hostname="box",
        network_disabled=True,
        labels=labels,
        host_config=_host_config(api, slot, limits, runtime),
    )
    return config


def _host_config(api: docker.APIClient, slot: Slot, limits: Limits, runtime: str) -> dict[str, Any]:
    memory = limits.memory_bytes + EXTRA_BYTES[runtime]
    config: dict[str, Any] = api.create_host_config(
        runtime=runtime,
        network_mode="none",
        ipc_mode="none",
        read_only=True,
        cap_drop=["ALL"],
        cap_add=_CAPABILITIES,
        security_opt=["no-new-privileges:true", f"seccomp={_profile()}"],
        binds={str(slot.sockets): {"bind": _SOCKETS, "mode": "ro"}},
        mem_limit=memory,
        memswap_limit=memory,
        pids_limit=_RUNSC_PROCESSES if runtime == "runsc" else limits.processes,
        cpu_period=_CPU_PERIOD,
        cpu_quota=_CPU_PERIOD,
        cpuset_cpus=_cores(),
        ulimits=[
            docker.types.Ulimit(name=name, soft=most, hard=most)
            for name, most in (
                ("nofile", _OPEN_FILES),
                ("core", 0),
                ("fsize", MEBIBYTE),
                ("memlock", 0),
                ("msgqueue", 0),
            )
        ],
        oom_score_adj=500,
        log_config=docker.types.LogConfig(type="none"),
    )
    config["MaskedPaths"] = _MASKED_PATHS
    if runtime == "runsc":
        # It masks no paths, and has no Landlock to keep a bot from them; the runner needs neither of the two.
        config["Tmpfs"] = dict.fromkeys(("/proc", "/sys"), "ro,size=4k,nr_inodes=1")
    return config


def _cores() -> str | None:
    """The cores of a worker that is pinned to some of them: a match is fastest with all its parts on one."""
    mine = os.sched_getaffinity(0)
    return ",".join(map(str, sorted(mine))) if len(mine) < (os.cpu_count() or 1) else None


@functools.cache
def _image() -> str:
    return ensure_image()


@functools.cache
def _profile() -> str:
    return _PROFILE.read_text()
