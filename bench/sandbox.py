"""Measures what the sandbox costs on this machine, in one run.

    python -m bench.sandbox             in a minute or two; --rounds for more

All that is compared is measured in turns, on one core as in a worker: trust the ratios. On a busy machine a match in
boxes waits for its turn at every move, one in this process hardly ever; measure that on an idle one. "plain" is the
same runner as a plain subprocess, with nothing around it (the driver `process`).
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from arena.archive import BotSource
from arena.bot import GameStart
from arena.bots import house_source
from arena.bots.simple import Simple
from arena.client import LinkedPlayer
from arena.game import Game
from arena.local import LocalContestant
from arena.player import Contestant, HouseFailure, Player
from arena.protocol import Reply, Request, decode_reply, decode_request, encode_reply, encode_request
from arena.referee import play_match
from arena.rules import CLASSIC
from arena.session import BotSession
from arena.view import view_of
from sandbox.background import in_background
from sandbox.drivers.base import MEBIBYTE, Box, Driver, DriverUnavailable, Limits
from sandbox.drivers.docker import DockerDriver
from sandbox.drivers.engine import engine
from sandbox.drivers.owner import Owner
from sandbox.drivers.process import ProcessDriver
from sandbox.image import ensure_image
from sandbox.labels import APP
from sandbox.player import SandboxContestant, close_all
from sandbox.pool import WarmPool

SIMPLE = BotSource({"bot.py": house_source("simple")}, "bot.py")
QUICK = BotSource(
    {
        "bot.py": "from arena import Bot, Discard, Draw\nclass Quick(Bot):\n"
        "    def choose_draw(self, view): return view.legal[0]\n"
        "    def choose_discard(self, view): return view.legal_discards[0]\n"
    },
    "bot.py",
)
SEED = b"the decks of the benchmark"
TARGETS = {"runc": 1.5, "runsc": 3.0}
"""How many times a plain subprocess's time a decision may take."""
DECISIONS_A_TURN = 50
IMPORT = """
import gc, sys, time
gc.disable()
sys.path.insert(0, "/opt/arena")
began = time.process_time()
import arena
print(time.process_time() - began)
"""


@dataclass(frozen=True, slots=True)
class Measured:
    """One line of the report."""

    what: str
    value: str
    target: str = ""
    holds: bool = True

    def __str__(self) -> str:
        verdict = f"  {'ok' if self.holds else 'MISSED'}, {self.target}" if self.target else ""
        return f"{self.what:<58} {self.value:>12}{verdict}"


def at_most(what: str, value: float, most: float, unit: str) -> Measured:
    """A line with a target."""
    target = f"at most {most:g} {unit}" if most < math.inf else ""
    return Measured(what, f"{value:.2f} {unit}", target, value <= most)


@contextmanager
def contestant(driver: Driver, source: BotSource) -> Iterator[SandboxContestant]:
    """A bot in a box, closed at the end."""
    made = SandboxContestant(driver, source, trusted=True)
    try:
        yield made
    finally:
        made.close()


def started(entrant: Contestant, seat: int) -> Player:
    """A player that is ready to decide."""
    player = entrant.new_player()
    player.start(GameStart(CLASSIC, seat, "00" * 8))
    return player


def decisions(drivers: dict[str, Driver], rounds: int) -> list[Measured]:
    """A decision's round trip, from the view to the checked action, with a bot that does not think."""
    game = Game(CLASSIC, SEED)
    view = view_of(game, game.turn)
    seconds: dict[str, list[float]] = {name: [] for name in drivers}
    for _ in range(rounds):
        for name, driver in drivers.items():
            with contestant(driver, QUICK) as entrant:
                player = started(entrant, view.seat)
                for _ in range(DECISIONS_A_TURN):
                    began = time.perf_counter()
                    player.decide(view, ())
                    seconds[name].append(time.perf_counter() - began)
    medians = {name: statistics.median(found) for name, found in seconds.items()}
    plain = medians["plain"]
    lines = [Measured(f"a decision, {name}", f"{median * 1e6:.0f} us") for name, median in medians.items()]
    for name, most in TARGETS.items():
        if name in medians:
            lines.append(at_most(f"a decision, {name} : plain", medians[name] / plain, most, "x"))
    return lines


def open_both(driver: Driver) -> float:
    """Seconds from "match wanted" until both boxes are open and a mind is locked in in each."""

    def opened() -> Box:
        box = driver.open_box(Limits())
        box.new_mind()
        return box

    began = time.perf_counter()
    boxes = [future.result() for future in [in_background(opened) for _ in range(2)]]
    seconds = time.perf_counter() - began
    for done in [in_background(box.close) for box in boxes]:
        done.result()
    return seconds


def start_both(driver: Driver) -> float:
    """The same, until both bots are loaded and started as well."""
    began = time.perf_counter()
    first, second = (SandboxContestant(driver, SIMPLE, trusted=True) for _ in range(2))
    try:
        for seat, player in enumerate([first.new_player(), second.new_player()]):
            player.start(GameStart(CLASSIC, seat, "00" * 8))
        return time.perf_counter() - began
    finally:
        close_all(first, second)


def starts(name: str, driver: Driver, rounds: int) -> list[Measured]:
    """Warm against cold."""
    lines = []
    pool = WarmPool(driver)
    try:
        for what, measure, most in (("there", open_both, 15.0), ("loaded and started", start_both, math.inf)):
            cold, warm = [], []
            measure(pool)
            for _ in range(rounds):
                pool.wait()
                warm.append(measure(pool) * 1e3)
                pool.wait()
                cold.append(measure(driver) * 1e3)
            lines.append(Measured(f"both bots {what}, cold, {name}", f"{statistics.median(cold):.1f} ms"))
            lines.append(at_most(f"both bots {what}, warm, {name}", statistics.median(warm), most, "ms"))
    finally:
        pool.close()
    return lines


class WrittenLink:
    """A `Link` to a session in this process that gets and gives the very lines that a box's mind does."""

    spent = 0.0

    def __init__(self) -> None:
        self._session = BotSession()

    def ask(self, request: Request) -> Reply:
        """The session's reply, read from its line."""
        return decode_reply(encode_reply(self._session.handle(decode_request(encode_request(request)))), request)

    def close(self) -> None:
        """There is nothing to end."""


class WrittenContestant:
    """The simple policy as an upload, in this process and through the messages."""

    def new_player(self) -> LinkedPlayer:
        """A player with modules and an instance of its own."""
        return LinkedPlayer(WrittenLink(), SIMPLE.files, SIMPLE.entry)


def matches(name: str, driver: Driver, rounds: int) -> list[Measured]:
    """A mirrored match of the simple policy: in warm boxes, and in this process, asked directly or by messages.

    The boxes of the next match are opened meanwhile, as in a worker. Every round has decks of its own, as every match
    has: what this process remembers of the hands of the last would make it faster than it is.
    """
    boxed, local, written = [], [], []
    pool = WarmPool(driver)

    def in_boxes(seed: bytes) -> None:
        first, second = (SandboxContestant(pool, SIMPLE, trusted=True) for _ in range(2))
        try:
            boxed.append(timed(lambda: play_match(CLASSIC, seed, first, second)))
        finally:
            close_all(first, second)

    try:
        in_boxes(SEED)
        boxed.clear()
        for number in range(rounds):
            seed = SEED + bytes([number])
            pool.wait()
            in_boxes(seed)
            pool.wait()  # what it opens would take the time of the others
            local.append(timed(partial(play_match, CLASSIC, seed, LocalContestant(Simple), LocalContestant(Simple))))
            written.append(timed(partial(play_match, CLASSIC, seed, WrittenContestant(), WrittenContestant())))
    finally:
        pool.close()
    inside, direct, by_messages = (statistics.median(found) for found in (boxed, local, written))
    return [
        Measured("a mirrored match of Simple, one process, directly", f"{direct * 1e3:.1f} ms"),
        Measured("a mirrored match of Simple, one process, by messages", f"{by_messages * 1e3:.1f} ms"),
        Measured(f"a mirrored match of Simple, {name}, warm", f"{inside * 1e3:.1f} ms"),
        at_most(f"a match, {name} : one process by messages", inside / by_messages, math.inf, "x"),
        at_most(f"a match, {name} : one process directly", inside / direct, 3, "x"),
    ]


def timed(action: Callable[[], object]) -> float:
    """Seconds it takes."""
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def import_seconds(rounds: int) -> list[Measured]:
    """`import arena` in a container of the sandbox image as the runner does it: its flags, and nothing collected."""
    api, image = engine(), ensure_image()
    found = []
    for _ in range(rounds):
        ident = api.create_container(
            image, entrypoint=["python3", "-I", "-S", "-B", "-X", "utf8", "-c", IMPORT], network_disabled=True
        )["Id"]
        try:
            api.start(ident)
            api.wait(ident)
            found.append(float(api.logs(ident).decode()))
        finally:
            api.remove_container(ident, force=True)
    return [at_most("import arena in a container, CPU time", statistics.median(found) * 1e3, 20, "ms")]


def idle_memory(name: str, driver: Driver) -> list[Measured]:
    """What a container with nothing but its runner holds, page cache not counted."""
    api = engine()
    box = driver.open_box(Limits())
    try:
        (container,) = api.containers(filters={"label": [f"app={APP}", f"owner={Owner.me()}"]})
        stats = api.stats(container["Id"], stream=False)["memory_stats"]
        cache = stats["stats"].get("total_inactive_file", stats["stats"].get("inactive_file", 0))
        return [Measured(f"memory of an idle container, {name}", f"{(stats['usage'] - cache) / MEBIBYTE:.1f} MiB")]
    finally:
        box.close()


def containers() -> dict[str, Driver]:
    """Docker with every runtime that works here."""
    found: dict[str, Driver] = {}
    for runtime in TARGETS:
        driver = DockerDriver(runtime)
        try:
            driver.check()
        except DriverUnavailable as reason:
            print(f"Without {runtime}: {reason}")
        else:
            found[runtime] = driver
    return found


def report(rounds: int) -> Iterator[Sequence[Measured]]:
    """Every measurement, as it is made."""
    boxes = containers()
    yield decisions({"plain": ProcessDriver(), **boxes}, rounds)
    for name, driver in boxes.items():
        yield starts(name, driver, rounds)
        yield idle_memory(name, driver)
        yield matches(name, driver, rounds)
    if boxes:
        yield import_seconds(rounds)


def main() -> int:
    """The command line; the exit status says whether every target holds."""
    parser = argparse.ArgumentParser(prog="python -m bench.sandbox", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="how often each measurement is made (default 7)")
    options = parser.parse_args()
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    print(f"{len(cores)} cores, load {os.getloadavg()[0]:.1f}; medians of {options.rounds} rounds on one core")
    lines: list[Measured] = []
    try:
        for some in report(options.rounds):
            for line in some:
                print(line, flush=True)
            lines += some
    except HouseFailure as failure:
        print(f"The sandbox failed: {failure}")
        return 2
    print(f"load {os.getloadavg()[0]:.1f} at the end")
    return 0 if all(line.holds for line in lines) else 1


if __name__ == "__main__":
    raise SystemExit(main())
