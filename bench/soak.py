"""Plays match after match with honest bots and bots that fault in every way, and looks for what is left over.

    python -m bench.soak -n 2000            in the sandbox that `auto` chooses
    python -m bench.soak -n 20 --driver bubblewrap

Every third match is of two honest bots, in the others one of the two faults at its first discard. Each must end as it
does in this process, and for the reason that belongs to the fault. At the end no box, process, file or descriptor may
be left, and this process must not have grown; a line now and then shows that none of it does meanwhile. The exit status
is 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from arena.archive import BotSource
from arena.bots import house_source
from arena.bots.simple import Simple
from arena.local import LocalContestant, UploadContestant
from arena.player import FaultKind
from arena.record import MatchRecord
from arena.referee import play_match
from arena.rules import CLASSIC
from sandbox.drivers.base import MEBIBYTE, Limits
from sandbox.drivers.engine import engine
from sandbox.drivers.owner import Owner
from sandbox.drivers.slot import run_dir
from sandbox.labels import APP
from sandbox.player import SandboxContestant, close_all
from sandbox.pool import WarmPool
from sandbox.select import DRIVERS, choose_driver

RULES = CLASSIC.replace(name="short", target=30)
LIMITS = Limits(start_seconds=1.0, decision_seconds=0.3, game_seconds=1.0)
HONEST = BotSource({"bot.py": house_source("simple")}, "bot.py")
FAULTS = {
    "1 / 0": {FaultKind.EXCEPTION},
    "return None": {FaultKind.ILLEGAL},
    "while True: pass": {FaultKind.TIME},
    "os._exit(3)": {FaultKind.CRASH},
    "bytearray(10**9)": {FaultKind.MEMORY},
    "os.write(3, b'{}\\n'); os._exit(0)": {FaultKind.PROTOCOL},
    "os.write(3, b'x' * 50_000); time.sleep(9)": {FaultKind.OUTPUT},
    "os.kill(os.getpid(), 9)": {FaultKind.EXCEPTION},
    "os.close(3)": {FaultKind.CRASH},
}
"""What a faulty bot does instead of a discard, and what that counts as."""
GROWTH_BYTES = 64 * MEBIBYTE
PROGRESS = 100
"""Matches from one line about how things are to the next."""


def faulty(action: str) -> BotSource:
    """A bot that plays until its first discard."""
    text = (
        "import os, time\nfrom arena import Bot, Draw\n\nclass Faulty(Bot):\n"
        "    def choose_draw(self, view):\n"
        "        return Draw.PASS if Draw.PASS in view.legal else Draw.STOCK\n"
        f"    def choose_discard(self, view):\n        {action}\n"
    )
    return BotSource({"bot.py": text}, "bot.py")


def problems(number: int, pool: WarmPool, rng: random.Random) -> Iterator[str]:
    """Play one match; one line for everything that is wrong with it."""
    seed = rng.randbytes(32)
    action = None if number % 3 == 0 else rng.choice(list(FAULTS))
    opponent = HONEST if action is None else faulty(action)
    first, second = SandboxContestant(pool, HONEST, LIMITS), SandboxContestant(pool, opponent, LIMITS)
    try:
        record = play_match(RULES, seed, first, second)
    finally:
        close_all(first, second)
    # Here a bot that raises an exception stands for every faulty one: some games end before its first discard.
    rival = LocalContestant(Simple) if action is None else UploadContestant(faulty("1 / 0").files, "bot.py")
    expected = play_match(RULES, seed, LocalContestant(Simple), rival)
    if _outcome(record) != _outcome(expected):
        yield f"match {number}, {action}: {_outcome(record)} and not {_outcome(expected)}: {_faults(record)}"
    elif any(fault.kind not in FAULTS[action or ""] for game in record.games for fault in game.faults):
        yield f"match {number}, {action}: {_faults(record)}"


def _outcome(record: MatchRecord) -> list[tuple[object, ...]]:
    """What must be the same in the sandbox and in this process; how a bot failed is left out."""
    return [
        (game.ending, game.winner, game.scores, [(fault.seat, fault.hand, fault.move) for fault in game.faults])
        for game in record.games
    ]


def _faults(record: MatchRecord) -> str:
    return "; ".join(f"{fault.kind.value}: {fault.message}" for game in record.games for fault in game.faults)


def left_over(driver: str) -> dict[str, int]:
    """What this process holds at this moment, by kind."""
    containers = []
    if driver == "docker":
        labels = [f"app={APP}", f"owner={Owner.me()}"]
        containers = engine().containers(all=True, filters={"label": labels})
        engine().close()  # connections that idle for the next call are no leak, and how many do is chance
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    slots = [folder for folder in run_dir().iterdir() if folder.name.isdigit()]
    descriptors = list(Path("/proc/self/fd").iterdir())
    files = list(run_dir().rglob("*"))
    held = {
        "containers": containers,
        "slots": slots,
        "files": files,
        "processes": children,
        "descriptors": descriptors,
    }
    return {kind: len(things) for kind, things in held.items()}


def resident_bytes() -> int:
    """Of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__)
    parser.add_argument("-n", type=int, default=2000, dest="matches", help="how many matches (default 2000)")
    parser.add_argument("--driver", default="auto", choices=["auto", *DRIVERS])
    parser.add_argument("--seed", default="soak")
    options = parser.parse_args()
    # What others leave in the usual run folder is none of this run's affair. Sockets need a short path.
    with tempfile.TemporaryDirectory(prefix="soak-", dir="/tmp") as folder:
        os.environ["SANDBOX_RUN_DIR"] = folder
        return soak(options)


def soak(options: argparse.Namespace) -> int:
    """Play and print; 1 if anything is wrong, else 0."""
    pool = WarmPool(choose_driver(options.driver))
    rng = random.Random(options.seed)
    found = list(problems(0, pool, rng))
    pool.close()
    before, memory = left_over(pool.name), resident_bytes()
    pool = WarmPool(choose_driver(pool.name))
    began = time.monotonic()
    for number in range(1, options.matches + 1):
        for line in problems(number, pool, rng):
            print(line, flush=True)
            found.append(line)
        if number % PROGRESS == 0:
            disk, now = shutil.disk_usage(run_dir()).used / MEBIBYTE, resident_bytes() / MEBIBYTE
            print(
                f"{number} matches, {time.monotonic() - began:.0f} s: {len(found)} wrong, {now:.0f} MiB of memory,"
                f" {disk:.0f} MiB on the run folder's disk, held {left_over(pool.name)}",
                flush=True,
            )
    pool.close()
    after, grown = left_over(pool.name), resident_bytes() - memory
    found += [f"{after[kind] - held} {kind} are left over" for kind, held in before.items() if after[kind] > held]
    if grown > GROWTH_BYTES:
        found.append(f"this process grew by {grown / MEBIBYTE:.0f} MiB")
    print(
        f"{options.matches} matches in {pool.name}, {time.monotonic() - began:.0f} s; left over: {after},"
        f" before: {before}; memory {grown / MEBIBYTE:+.1f} MiB"
    )
    print("\n".join(found) or "Nothing is wrong.")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
