"""Measures the pages on a large database, and what recording one match costs in it.

    createdb arena_load
    export DATABASE_URL=postgresql://user@host:5432/arena_load
    python manage.py migrate && python manage.py setup
    python manage.py simulate --bots 10000 --matches 1000000
    python -m bench.pages

Readers ask for pages one after another without a pause, first pages and deep ones, of things drawn at random, from a
gunicorn that runs as in production. Server time is gunicorn's own (%(D)s of its access log): from the whole request
read to the last byte handed over, turns lost to other requests on the same cores included. What a reader waits includes
the queue before that, which is as long as the readers are hasty. CPU time is that of one process that answers them one
by one, after the others: what else the machine does meanwhile hardly shows in it.

The cost of recording is that of `claim_match` and `finish_match` of one prepared record, and of its part in
`tally_all`: here, and in a small database made beside this one and dropped again.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import os
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "platform"))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django  # noqa: E402

django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.db.models import Max  # noqa: E402
from django.test import Client  # noqa: E402
from django.utils.http import urlencode  # noqa: E402

from arena.bots.simple import Simple  # noqa: E402
from arena.local import LocalContestant  # noqa: E402
from arena.referee import play_match  # noqa: E402
from arena.rules import RULE_SETS  # noqa: E402
from bots.models import Bot, BotVersion  # noqa: E402
from ladder import services  # noqa: E402
from ladder.models import Ladder, Match, Rating, Seat  # noqa: E402
from ladder.order import order_of  # noqa: E402

MEDIAN_GOAL, P95_GOAL = 60.0, 150.0
"""Milliseconds of server time."""
SMALL = 1_000
"""Matches in the small database."""
CPU_SAMPLE = 300
"""Pages whose CPU time is measured."""
LOG_FORMAT = "%(D)s %(s)s %(U)s?%(q)s"

T = TypeVar("T")

Page = tuple[str, str]
"""What kind of page, and its address."""


def pages(rng: random.Random) -> Iterator[Page]:
    """Addresses without end, each kind as often as any other."""
    ladder = Ladder.objects.order_by("-last_sequence")[0]
    places = order_of(ladder.pk).places
    last = Match.objects.aggregate(last=Max("pk"))["last"]
    slugs = dict(Bot.objects.values_list("pk", "slug"))
    busiest = Rating.objects.order_by("-matches").values_list("version__bot__slug", flat=True)[0]

    def some_match() -> int:
        return rng.randrange(1, last + 1)

    def some_seat() -> Seat:
        return Seat.objects.filter(match__gte=some_match()).order_by("match")[0]

    while True:
        seat = some_seat()
        bot = slugs[seat.bot_id]
        two = f"/bots/{bot}/against/{slugs[seat.opponent_id]}/"
        of_bot = urlencode({"bot": bot, "before": str(some_match())})
        yield "ladder, first page", "/"
        yield "ladder, deep", f"/?{urlencode({'ladder': ladder.slug, 'after': str(rng.choice(places))})}"
        yield "ladder, search", f"/?{urlencode({'ladder': ladder.slug, 'q': bot[:3]})}"
        yield "matrix", "/matrix/"
        yield "bot", f"/bots/{bot}/"
        yield "bot with a long history", f"/bots/{busiest}/"
        yield "matches, first page", "/matches/"
        yield "matches, deep", f"/matches/?{urlencode({'before': some_match()})}"
        of_ladder = urlencode({"ladder": ladder.slug, "before": str(some_match())})
        yield "matches of a ladder, deep", f"/matches/?{of_ladder}"
        yield "matches of a bot, deep", f"/matches/?{of_bot}"
        yield "head to head", two
        yield "head to head, deep", f"{two}?{urlencode({'before': seat.match_id})}"
        yield "match", f"/matches/{seat.match_id}/"
        yield "replay", f"/matches/{seat.match_id}/games/{rng.choice((1, 2))}/"
        yield "replay, positions", f"/matches/{seat.match_id}/games/{rng.choice((1, 2))}/steps.json"


@contextlib.contextmanager
def site(folder: Path) -> Iterator[tuple[int, Path]]:
    """A gunicorn as `manage.py serve` starts it; yields its address and its log."""
    log = folder / "access.log"
    port = free_port()
    command = [sys.executable, "-m", "gunicorn", "--config", str(ROOT / "platform" / "config" / "gunicorn_conf.py")]
    command += ["--threads", "1"]  # as behind a proxy: the readers here send whole requests too
    command += ["--bind", f"127.0.0.1:{port}", "--access-logfile", str(log), "--access-logformat", LOG_FORMAT]
    server = subprocess.Popen(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": f"{ROOT / 'platform'}:{ROOT}"})
    try:
        for _ in range(300):
            with contextlib.suppress(OSError):
                get(port, "/healthz")
                break
            if server.poll() is not None:
                sys.exit("The site did not start; what it says stands above.")
            time.sleep(0.1)
        yield port, log
    finally:
        server.terminate()
        server.wait(30)


def free_port() -> int:
    """A TCP port of 127.0.0.1 that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def get(port: int, address: str, kept: http.client.HTTPConnection | None = None) -> int:
    """The status of one answer, read to its end."""
    link = kept or http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    link.request("GET", address, headers={"Accept-Encoding": "gzip"})
    answer = link.getresponse()
    answer.read()
    return answer.status


def read(port: int, asked: Sequence[Page], readers: int) -> dict[str, list[float]]:
    """Milliseconds that `readers` waited for the pages, by kind."""
    waits: dict[str, list[float]] = defaultdict(list)
    todo = iter(asked)
    lock = threading.Lock()

    def reader() -> None:
        link = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        while True:
            with lock:
                page = next(todo, None)
            if page is None:
                return
            began = time.perf_counter()
            status = get(port, page[1], link)
            waits[page[0]].append(1000 * (time.perf_counter() - began))
            if status != http.client.OK:
                sys.exit(f"The page {page[1]} answered {status}; what the site says of it stands above.")

    pool = ThreadPoolExecutor(readers)
    try:
        for done in as_completed([pool.submit(reader) for _ in range(readers)]):
            done.result()
    finally:
        with lock:  # whatever happened, nobody begins another page
            todo = iter(())
        pool.shutdown()
    return waits


def server_times(log: Path, asked: Sequence[Page]) -> dict[str, list[float]]:
    """Milliseconds in the server by kind of page, from its access log."""
    kinds = {re.sub(r"\?$", "", address): kind for kind, address in asked}
    times: dict[str, list[float]] = defaultdict(list)
    for line in log.read_text().splitlines():
        micros, status, address = line.split(" ", 2)
        kind = kinds.get(address.removesuffix("?"))
        if kind is not None and status == "200":
            times[kind].append(int(micros) / 1000)
    return times


def p95(values: Sequence[float]) -> float:
    """The 95th percentile."""
    return statistics.quantiles(values, n=20)[-1] if len(values) > 1 else values[0]


def cpu_times(asked: Sequence[Page]) -> dict[str, list[float]]:
    """Milliseconds of this process's CPU time by kind of page, answered once before."""
    settings.ALLOWED_HOSTS = ["testserver"]
    client, times = Client(), defaultdict(list)
    for kind, address in asked:
        client.get(address)
        began = time.process_time()
        client.get(address)
        times[kind].append(1000 * (time.process_time() - began))
    return times


def measure_pages(requests: int, readers: int, seed: str) -> bool:
    """Prints every kind of page's times; whether all of them reach the goals."""
    asked: list[Page] = []
    stream = pages(random.Random(seed))
    while len(asked) < requests:
        asked.append(next(stream))
    random.Random(seed).shuffle(asked)
    with tempfile.TemporaryDirectory(prefix="arena-pages-") as folder, site(Path(folder)) as (port, log):
        read(port, asked[: len(asked) // 4], readers)  # templates are compiled, connections open, orders sorted
        log.write_text("")
        began = time.monotonic()
        waits = read(port, asked, readers)
        seconds = time.monotonic() - began
        times = server_times(log, asked)
    cpu = cpu_times(asked[:: max(1, len(asked) // CPU_SAMPLE)])
    print(f"{len(asked)} pages for {readers} readers in {seconds:.1f} s, {len(asked) / seconds:.0f} a second")
    print(f"{'milliseconds':<28}{'server':>20}{'reader waits':>20}{'CPU':>10}")
    print(f"{'':<28}{'median':>10}{'p95':>10}{'median':>10}{'p95':>10}{'median':>10}")
    everything = [each for kind in times for each in times[kind]]
    met = True
    for kind in [*times, "all"]:
        server = times.get(kind, everything)
        waited = waits.get(kind) or [each for one in waits.values() for each in one]
        used = cpu.get(kind) or [each for one in cpu.values() for each in one]
        holds = statistics.median(server) <= MEDIAN_GOAL and p95(server) <= P95_GOAL
        met = met and holds
        figures = [
            statistics.median(server),
            p95(server),
            statistics.median(waited),
            p95(waited),
            statistics.median(used),
        ]
        print(f"{kind:<28}{''.join(f'{each:>10.1f}' for each in figures)}  {'ok' if holds else 'MISSED'}")
    print(f"Goals: server median at most {MEDIAN_GOAL:.0f} ms, p95 at most {P95_GOAL:.0f} ms.")
    return met


Cost = tuple[float, float, float]
"""Of one match recorded: milliseconds on the clock, milliseconds of this process's CPU time, queries."""


def record_costs(count: int) -> list[Cost]:
    """What each of `count` matches costs to be claimed, checked, stored and rated, in this database.

    And to be counted for the pages of bots, which happens in the background: a share of what all of them cost together.
    """
    ladder = Ladder.objects.order_by("-last_sequence")[0]
    versions = list(
        BotVersion.objects.filter(number=1, ratings__ladder=ladder, ratings__successors=None)
        .select_related("bot")
        .order_by("pk")[:100:5]
    )
    rules = RULE_SETS[ladder.rule_set]
    record = play_match(rules, b"the decks of the benchmark......", LocalContestant(Simple), LocalContestant(Simple))
    services.tally_all(ladder=ladder)
    costs = []
    for number in range(count):
        pair = versions[number % len(versions)], versions[(number + 1) % len(versions)]
        match = services.enqueue_match(ladder=ladder, versions=pair)
        claim, claiming = cost_of(partial(services.claim_match, match_id=match.pk, worker="bench"))
        assert claim is not None
        Match.objects.filter(pk=match.pk).update(seed=record.seed.hex())
        claim = replace(claim, seed=record.seed)
        stored, finishing = cost_of(partial(services.finish_match, claim=claim, record=record))
        assert stored
        costs.append((claiming[0] + finishing[0], claiming[1] + finishing[1], claiming[2] + finishing[2]))
    counted, counting = cost_of(partial(services.tally_all, ladder=ladder))
    assert counted == count
    wall, cpu, queries = (each / count for each in counting)
    return [(each[0] + wall, each[1] + cpu, each[2] + queries) for each in costs]


def cost_of(action: Callable[[], T]) -> tuple[T, Cost]:
    """The result of an action, and its cost."""
    queries = 0

    def counted(execute: Callable[..., Any], *args: Any) -> Any:
        nonlocal queries
        queries += 1
        return execute(*args)

    with connection.execute_wrapper(counted):
        began, used = time.perf_counter(), time.process_time()
        result = action()
        return result, (1000 * (time.perf_counter() - began), 1000 * (time.process_time() - used), queries)


def measure_recording(count: int) -> None:
    """Prints what recording costs here and in a database of SMALL matches."""
    here = Ladder.objects.aggregate(most=Max("last_sequence"))["most"]
    name = f"{settings.DATABASES['default']['NAME']}_small"
    with connection.cursor() as cursor:
        cursor.execute(f'DROP DATABASE IF EXISTS "{name}"')
        cursor.execute(f'CREATE DATABASE "{name}"')
    url = re.sub(r"/[^/]+$", f"/{name}", os.environ["DATABASE_URL"])
    environment = os.environ | {"DATABASE_URL": url}
    try:
        for command in (["migrate", "-v0"], ["setup", "-v0"], ["simulate", "--matches", str(SMALL), "--bots", "100"]):
            program = [sys.executable, str(ROOT / "manage.py"), *command]
            subprocess.run(program, check=True, env=environment, stdout=subprocess.DEVNULL)
        # In turns: what else the machine does meanwhile falls on both.
        found: dict[int, list[Cost]] = {here: [], SMALL: []}
        for _ in range(3):
            found[here] += record_costs(count)
            again = [sys.executable, "-m", "bench.pages", "--record", str(count)]
            out = subprocess.run(again, check=True, env=environment, stdout=subprocess.PIPE, text=True, cwd=ROOT)
            found[SMALL] += [
                (float(wall), float(cpu), float(queries))
                for wall, cpu, queries in map(str.split, out.stdout.splitlines())
            ]
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f'DROP DATABASE IF EXISTS "{name}"')
    medians = {}
    for matches, costs in found.items():
        walls, cpus, queries = zip(*costs, strict=True)
        medians[matches] = [statistics.median(each) for each in (walls, cpus, queries)]
        print(
            f"Recording a match among {matches}: {medians[matches][0]:.1f} ms median, {p95(walls):.1f} ms p95;"
            f" {medians[matches][1]:.1f} ms of CPU time, {medians[matches][2]:.0f} queries"
        )
    wall, cpu, asked = (large / small for large, small in zip(medians[here], medians[SMALL], strict=True))
    print(f"Among {here} against {SMALL}: {wall:.2f} times the time, {cpu:.2f} the CPU time, {asked:.2f} the queries")


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.pages", description=__doc__)
    parser.add_argument("-n", type=int, default=3_000, dest="requests", help="how many pages (default 3000), or 0")
    parser.add_argument("--readers", type=int, default=20)
    parser.add_argument("--seed", default="pages")
    parser.add_argument("--record", type=int, default=0, metavar="N", help="only time N recorded matches, bare figures")
    parser.add_argument("--no-record", action="store_true", help="only the pages")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("Ended from outside."))
    if connection.vendor != "postgresql":
        parser.error("This measures PostgreSQL: set DATABASE_URL.")
    if options.record:
        for cost in record_costs(options.record):
            print(*cost)
        return 0
    print(f"{Bot.objects.count()} bots, {Match.objects.count()} matches")
    call_command("collectstatic", interactive=False, verbosity=0)
    met = measure_pages(options.requests, options.readers, options.seed) if options.requests else True
    if not options.no_record:
        measure_recording(100)
    return 0 if met else 1


if __name__ == "__main__":
    raise SystemExit(main())
