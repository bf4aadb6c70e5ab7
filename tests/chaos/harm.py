"""What is done to the stage while matches are played; each function says in a line what it did."""

import contextlib
import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

import redis
from celery import current_app

from tests.chaos import engine, jumping
from tests.chaos.stage import Program, Stage

Harm = Callable[[Stage, random.Random], str]
JUMPS = (-86_400, -3_600, -150, 150, 3_600, 86_400)
"""Seconds."""


def kill_a_playing_process(stage: Stage, rng: random.Random) -> str:
    """SIGKILL to one process of a worker's pool."""
    worker = stage.a_worker(rng)
    children = worker.children()
    if not children:
        return kill_a_worker(stage, rng)
    pid = rng.choice(children)
    _signal(pid, signal.SIGKILL)
    return f"SIGKILL to process {pid} of {worker.name}"


def kill_a_worker(stage: Stage, rng: random.Random) -> str:
    """SIGKILL to a worker's main process; the kernel ends its pool."""
    return _kill(stage.a_worker(rng))


def kill_all_workers(stage: Stage, rng: random.Random) -> str:
    """SIGKILL to every process of every worker at once."""
    names = []
    for worker in stage.workers():
        with contextlib.suppress(ProcessLookupError):
            os.killpg(worker.pid, signal.SIGKILL)
        names.append(worker.name)
    return f"SIGKILL to all of {' and '.join(names) or 'no worker'}"


def kill_control(stage: Stage, rng: random.Random) -> str:
    """SIGKILL to the one who recovers, or to its clock."""
    return _kill(stage.programs[rng.choice(("control", "beat"))])


def stop_a_worker(stage: Stage, rng: random.Random) -> str:
    """SIGTERM, as at every deployment."""
    worker = stage.a_worker(rng)
    _signal(worker.pid, signal.SIGTERM)
    return f"SIGTERM to {worker.name}"


def flush_redis(stage: Stage, rng: random.Random) -> str:
    """Every message and every binding is gone."""
    with contextlib.closing(redis.Redis.from_url(stage.redis.url)) as client:
        client.flushall()
    return "Redis flushed"


def restart_redis(stage: Stage, rng: random.Random) -> str:
    """Gone for a moment, and back empty."""
    seconds = rng.uniform(0.2, 3)
    stage.redis.stop()
    time.sleep(seconds)
    stage.redis.start()
    return f"Redis restarted, away for {seconds:.1f} s"


def restart_postgres(stage: Stage, rng: random.Random) -> str:
    """Gone for a moment, in good order or not."""
    seconds, crash = rng.uniform(0.2, 3), rng.random() < 0.5
    stage.postgres.stop(crash=crash)
    time.sleep(seconds)
    stage.postgres.start()
    return f"PostgreSQL {'crashed' if crash else 'restarted'}, away for {seconds:.1f} s"


def deliver_twice(stage: Stage, rng: random.Random) -> str:
    """Messages that have been delivered come again, also of matches that are being played or are over."""
    from ladder.models import Match

    keys = list(Match.objects.order_by("-pk").values_list("pk", flat=True)[:12])
    for key in keys:
        for _ in range(2):
            current_app.send_task("ladder.tasks.play_match", args=[key])
    return f"{2 * len(keys)} messages sent again"


def jump_a_clock(stage: Stage, rng: random.Random) -> str:
    """One program's wall clock is somewhere else from now on."""
    program = rng.choice(list(stage.programs.values()))
    seconds = rng.choice(JUMPS)
    jumping.set_ahead(program.clock, seconds)
    return f"the clock of {program.name} jumps to {seconds:+d} s"


def take_the_engine_away(stage: Stage, rng: random.Random) -> str:
    """The engine drops what it was doing, its containers end with it, and it returns."""
    seconds = rng.uniform(1, 8)
    stage.door.shut()
    ids = [container["Id"] for container in engine.containers(stage.run_dir)]
    engine.kill(ids)
    _wait(stage, seconds)
    stage.door.open()
    return f"the engine away for {seconds:.1f} s, {len(ids)} containers ended"


def kill_the_boxes(stage: Stage, rng: random.Random) -> str:
    """Every runner of every box ends at once, in the middle of whatever it plays."""
    pids = [pid for pid in _below(stage.workers()) if _is_runner(pid)]
    if stage.driver == "docker":
        ids = [container["Id"] for container in engine.containers(stage.run_dir) if container["State"] == "running"]
        engine.kill(ids)
        return f"{len(ids)} containers killed"
    for pid in pids:
        _signal(pid, signal.SIGKILL)
    return f"{len(pids)} processes of boxes killed"


def harms(driver: str) -> tuple[Harm, ...]:
    """What can be done with this sandbox."""
    always = (
        kill_a_playing_process,
        restart_redis,
        jump_a_clock,
        kill_a_worker,
        restart_postgres,
        deliver_twice,
        stop_a_worker,
        flush_redis,
        kill_control,
        kill_the_boxes,
        kill_all_workers,
    )
    return (*always, take_the_engine_away) if driver == "docker" else always


def _kill(program: Program) -> str:
    _signal(program.pid, signal.SIGKILL)
    return f"SIGKILL to {program.name}"


def _signal(pid: int, number: signal.Signals) -> None:
    if pid:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def _wait(stage: Stage, seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        stage.keep_up()
        time.sleep(0.1)


def _below(programs: list[Program]) -> list[int]:
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            children.setdefault(int(stat.read_text().rpartition(")")[2].split()[1]), []).append(int(stat.parent.name))
    found, new = [], [program.pid for program in programs]
    while new:
        new = [child for pid in new for child in children.get(pid, [])]
        found += new
    return found


def _is_runner(pid: int) -> bool:
    try:
        return b"bwrap" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
