"""Measures how many matches a second the whole arena plays on this machine, and where the time goes.

    python -m tests.services python -m bench.throughput            or with DATABASE_URL and REDIS_URL of one's own
    python -m tests.services python -m bench.throughput -n 300 --workers 2

First as in production: messages in Redis, Celery workers as `manage.py serve` starts them, real containers, the
referee, the record, the ratings in PostgreSQL; bots with the source of the house bot Simple; with the CPU time that
each party used for a match. Then, one match after another in this process, with clocks at every stage.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "platform"))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django  # noqa: E402

django.setup()

from django.conf import settings  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from arena.archive import BotSource  # noqa: E402
from arena.bots import house_source  # noqa: E402
from arena.protocol import Ask, Request  # noqa: E402
from arena.record import MatchRecord  # noqa: E402
from bench import accounts  # noqa: E402
from bots import sandboxes  # noqa: E402
from bots.models import Bot, BotVersion  # noqa: E402
from ladder import play, services  # noqa: E402
from ladder.models import Ladder, Match, MatchRecordBlob  # noqa: E402
from ladder.services import results  # noqa: E402
from sandbox.drivers.base import DriverUnavailable, Limits  # noqa: E402
from sandbox.player import SandboxLink  # noqa: E402
from sandbox.pool import WarmPool  # noqa: E402
from sandbox.select import choose_driver  # noqa: E402

GOAL = 3.0
"""Mirrored rated matches a second on two cores."""
BOTS = 8
STUCK_SECONDS = 60
"""Without a finished match, until it is given up."""


def entrants() -> list[BotVersion]:
    """Bots of different owners, all with the simple policy."""
    source = BotSource({"bot.py": house_source("simple")}, "bot.py")
    versions = []
    for number in range(BOTS):
        owner, _ = User.objects.get_or_create(username=f"bench-{number}")
        bot, _ = Bot.objects.get_or_create(slug=f"bench-{number}", defaults={"name": f"Bench {number}", "owner": owner})
        found = {"sha256": source.sha256, "source": source.to_bytes(), "filename": "bot.py"}
        version, _ = BotVersion.objects.get_or_create(
            bot=bot, number=1, defaults={"state": BotVersion.State.ACTIVE, **found}
        )
        versions.append(version)
    return versions


def enqueue(ladder: Ladder, versions: list[BotVersion], count: int) -> list[int]:
    """Queues so many rated matches; their keys."""
    pairs = [(n % BOTS, (n % BOTS + 1 + n // BOTS % (BOTS - 1)) % BOTS) for n in range(count)]
    return [services.enqueue_match(ladder=ladder, versions=[versions[a], versions[b]]).pk for a, b in pairs]


@contextmanager
def workers(count: int) -> Iterator[subprocess.Popen[bytes]]:
    """Celery workers for matches, `count` processes of them."""
    command = [sys.executable, "-m", "celery", "-A", "config.celery", "worker", "--loglevel", "WARNING"]
    command += ["-Q", "matches", "--hostname", "matches@%h", "--concurrency", str(count)]
    command += ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'platform'}:{ROOT}"}
    program = subprocess.Popen(command, cwd=ROOT, env=environment)
    try:
        yield program
    finally:
        program.terminate()
        program.wait(60)


def played(keys: list[int]) -> int:
    """How many of the matches are finished."""
    return Match.objects.filter(pk__in=keys, state=Match.State.FINISHED).count()


def wait_for(keys: list[int], program: subprocess.Popen[bytes]) -> None:
    """Until the matches are played. Ends the benchmark when they will never be."""
    done, since = 0, time.monotonic()
    while done < len(keys):
        time.sleep(0.1)
        now = played(keys)
        if now > done:
            done, since = now, time.monotonic()
        if program.poll() is not None or time.monotonic() - since > STUCK_SECONDS:
            sys.exit(f"{done} of {len(keys)} matches were played, and then no more; what the workers say stands above.")


def measure_throughput(ladder: Ladder, versions: list[BotVersion], count: int, processes: int) -> bool:
    """Prints the rate from the moment the workers are warm; whether it reaches the goal."""
    with workers(processes) as program:
        wait_for(enqueue(ladder, versions, 4 * processes), program)
        before = accounts.spent(program.pid)
        began = time.monotonic()
        keys = enqueue(ladder, versions, count)
        wait_for(keys, program)
        seconds = time.monotonic() - began
        after = accounts.spent(program.pid)
    rows = Match.objects.filter(pk__in=keys).values_list("claimed_at", "finished_at", "failures")
    each = [(finished - claimed).total_seconds() for claimed, finished, _ in rows if claimed and finished]
    rate = count / seconds
    print(f"{count} matches in {seconds:.1f} s with {processes} workers: {rate:.2f} a second", end="")
    print(f"  {'ok' if rate >= GOAL else 'MISSED'}, at least {GOAL:g}")
    print(
        f"From claim to result {1000 * statistics.median(each):.0f} ms, median; failures {sum(row[2] for row in rows)}"
    )
    blobs = MatchRecordBlob.objects.filter(match__in=keys).values_list("data", flat=True)
    records = [MatchRecord.from_bytes(bytes(data)) for data in blobs]
    hands = sum(len(game.hands) for record in records for game in record.games)
    size = sum(len(bytes(data)) for data in blobs) / hands
    print(f"Records: {size:.0f} bytes a hand with decision times  {'ok' if size <= 150 else 'MISSED'}, at most 150")
    print(f"\nCPU time of a match: {1000 * (sum(after.values()) - sum(before.values())) / count:.0f} ms; of which")
    for party in sorted(after, key=lambda party: before[party] - after[party]):
        print(f"  {1000 * (after[party] - before[party]) / count:>8.1f} ms  {party}", flush=True)
    return rate >= GOAL and size <= 150


Spent = dict[str, list[tuple[float, float]]]
"""By stage: seconds on the clock and of CPU time, the caller's thread alone."""


def clocked(spent: Spent, owner: Any, name: str, stage: Callable[..., str]) -> None:
    """Puts a clock around `owner.name`; `stage` says, from its arguments, to what its time counts."""
    inner = getattr(owner, name)

    def timed(*args: Any, **kwargs: Any) -> Any:
        began, used = time.perf_counter(), time.thread_time()
        try:
            return inner(*args, **kwargs)
        finally:
            spent[stage(*args, **kwargs)].append((time.perf_counter() - began, time.thread_time() - used))

    setattr(owner, name, timed)


def ask_stage(link: SandboxLink, request: Request) -> str:
    """A bot's import and start, or its decisions."""
    return {Ask.LOAD: "load the bot", Ask.START: "start a game"}.get(request.ask, "messages and the bots' thinking")


def measure_stages(ladder: Ladder, versions: list[BotVersion], count: int) -> None:
    """Prints what one match's time consists of. The first match is not counted: it finds the pool empty."""
    spent: Spent = defaultdict(list)
    clocked(spent, services, "claim_match", lambda **_: "claim (database)")
    clocked(spent, services, "finish_match", lambda **_: "store and rate (database), the check included")
    clocked(spent, results, "_check", lambda *_: "check by replaying")
    clocked(spent, play, "play_match", lambda *_, **__: "referee and all it waits for")
    clocked(spent, WarmPool, "open_box", lambda *_: "wait for a box (both at once)")
    clocked(spent, SandboxLink, "ask", ask_stage)
    clocked(spent, play, "close_all", lambda *_: "take both boxes down")
    pool = sandboxes.get_driver()
    totals: list[tuple[float, float]] = []
    for number, key in enumerate(enqueue(ladder, versions, count + 1)):
        if number == 1:
            spent.clear()
            totals.clear()
        pool.wait()
        began, used = time.perf_counter(), time.process_time()
        if not play.play(key, worker="bench"):
            sys.exit("A match was not played; why stands above.")
        totals.append((time.perf_counter() - began, time.process_time() - used))
    sandboxes.close_driver()
    wall, used = statistics.median(each for each, _ in totals), statistics.mean(each for _, each in totals)
    print(f"\nOne match alone, both boxes warm: {1000 * wall:.0f} ms, median of {count},", end=" ")
    print(f"{1000 * used:.0f} ms of CPU time in this process; of which, by the clock and in CPU time")
    for stage, times in sorted(spent.items(), key=lambda item: -sum(used for _, used in item[1])):
        wall, used = (1000 * sum(each) / count for each in zip(*times, strict=True))
        calls = len(times) / count
        print(f"  {wall:>8.1f} ms {used:>8.1f} ms  {stage}" + (f", {calls:.0f} times" if calls > 2 else ""))


def measure_boxes(count: int) -> None:
    """Prints what a cold box costs: what the pool does for every box in the background."""
    driver = choose_driver(settings.ARENA_SANDBOX)
    opened, minded, closed = [], [], []
    for _ in range(count):
        began = time.perf_counter()
        box = driver.open_box(Limits())
        opened.append(time.perf_counter() - began)
        began = time.perf_counter()
        box.new_mind()
        minded.append(time.perf_counter() - began)
        began = time.perf_counter()
        box.close()
        closed.append(time.perf_counter() - began)
    print(f"\nA box, of which a match takes two: open {1000 * statistics.median(opened):.0f} ms,", end=" ")
    print(f"first mind {1000 * statistics.median(minded):.0f} ms, down {1000 * statistics.median(closed):.0f} ms")


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.throughput", description=__doc__)
    parser.add_argument("-n", type=int, default=120, dest="matches", help="how many matches (default 120)")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument(
        "--stages", type=int, default=20, metavar="N", help="matches played alone, with clocks (default 20; 0 for none)"
    )
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("Ended from outside."))
    if connection.vendor != "postgresql" or not os.environ.get("REDIS_URL"):
        parser.error("Set DATABASE_URL (PostgreSQL) and REDIS_URL, or run it by `python -m tests.services`.")
    try:
        sandboxes.get_driver()
    except DriverUnavailable as unavailable:
        parser.error(str(unavailable))
    sandboxes.close_driver()
    call_command("migrate", verbosity=0)
    ladder, versions = services.ensure_default_ladder(), entrants()
    met = measure_throughput(ladder, versions, options.matches, options.workers)
    sandboxes.take_a_core(0)
    measure_boxes(10)
    if options.stages:
        measure_stages(ladder, versions, options.stages)
    return 0 if met else 1


if __name__ == "__main__":
    raise SystemExit(main())
