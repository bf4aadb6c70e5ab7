"""Plays match after match with honest bots and bots that fault in every way, and looks for what is left over.

    python -m bench.soak -n 2000            in the sandbox that `auto` chooses
    python -m bench.soak -n 20 --driver bubblewrap

Every third match is of two honest bots, in the others one of the two faults at its first discard. Each must end as it
does in this process, and for the reason that belongs to the fault. Several are played at a time, for most of a match is
waiting for the engine. At the end no box, process, file, socket or descriptor may be left, neither this process nor the
machine may miss memory, nor the disks room; lines now and then show how things are meanwhile, and a table ends it all.
The exit status is 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from arena.archive import BotSource
from arena.bots import house_source
from arena.bots.simple import Simple
from arena.local import LocalContestant, UploadContestant
from arena.player import FaultKind, HouseFailure
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
AT_A_TIME = 4
"""Matches that are under way together."""
GROWTH_MIB = {
    "memory of this process": 64,
    "memory in use": 2048,
    "disk of the run folder": 512,
    "disk of the engine": 512,
}
"""How much more there may be at the end, in MiB. Memory and disks are the whole machine's, which should do nothing else
meanwhile."""
PROGRESS = 100
"""Matches from one line about how things are to the next."""
_in_this_process = threading.Lock()
"""Bots in this process share its modules and its standard output: one match at a time."""


def faulty(action: str) -> BotSource:
    """A bot that plays until its first discard."""
    text = (
        "import os, time\nfrom arena import Bot, Draw\n\nclass Faulty(Bot):\n"
        "    def choose_draw(self, view):\n"
        "        return Draw.PASS if Draw.PASS in view.legal else Draw.STOCK\n"
        f"    def choose_discard(self, view):\n        {action}\n"
    )
    return BotSource({"bot.py": text}, "bot.py")


def actions(matches: int, rng: random.Random) -> Iterator[tuple[int, str, bytes]]:
    """What is to be played: the match's number, what its faulty bot does ("" without one), the decks' seed."""
    for number in range(1, matches + 1):
        yield number, "" if number % 3 == 0 else rng.choice(list(FAULTS)), rng.randbytes(32)


def problem(number: int, action: str, seed: bytes, pool: WarmPool) -> str:
    """Play one match; what is wrong with it, or ""."""
    opponent = faulty(action) if action else HONEST
    first, second = SandboxContestant(pool, HONEST, LIMITS), SandboxContestant(pool, opponent, LIMITS)
    try:
        record = play_match(RULES, seed, first, second)
    except HouseFailure as failure:
        return f"match {number}, {action}: {failure}"
    finally:
        close_all(first, second)
    # Here a bot that raises an exception stands for every faulty one: some games end before its first discard.
    rival = UploadContestant(faulty("1 / 0").files, "bot.py") if action else LocalContestant(Simple)
    with _in_this_process:
        expected = play_match(RULES, seed, LocalContestant(Simple), rival)
    if _outcome(record) != _outcome(expected):
        return f"match {number}, {action}: {_outcome(record)} and not {_outcome(expected)}: {_faults(record)}"
    if any(fault.kind not in FAULTS[action] for game in record.games for fault in game.faults):
        return f"match {number}, {action}: {_faults(record)}"
    return ""


def _outcome(record: MatchRecord) -> list[tuple[object, ...]]:
    """What must be the same in the sandbox and in this process; how a bot failed is left out."""
    return [
        (game.ending, game.winner, game.scores, [(fault.seat, fault.hand, fault.move) for fault in game.faults])
        for game in record.games
    ]


def _faults(record: MatchRecord) -> str:
    return "; ".join(f"{fault.kind.value}: {fault.message}" for game in record.games for fault in game.faults)


def held(driver: str) -> dict[str, int]:
    """What this process holds at this moment, by kind, and what is used of the machine, in MiB."""
    containers, disk = [], str(run_dir())
    if driver == "docker":
        labels = [f"app={APP}", f"owner={Owner.me()}"]
        containers = engine().containers(all=True, filters={"label": labels})
        disk = next((path for path in (engine().info()["DockerRootDir"],) if Path(path).is_dir()), disk)
        engine().close()  # connections that idle for the next call are no leak, and how many do is chance
    files = list(run_dir().rglob("*"))
    memory = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    total, available = (int(memory[name].split()[0]) for name in ("MemTotal", "MemAvailable"))
    resident = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return {
        "containers": len(containers),
        "processes": len(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()),
        "slots": len([folder for folder in run_dir().iterdir() if folder.name.isdigit()]),
        "files": len(files),
        "sockets": len([path for path in files if path.is_socket()]),
        "descriptors": len(list(Path("/proc/self/fd").iterdir())),
        "memory of this process": resident // MEBIBYTE,
        "memory in use": (total - available) // 1024,
        "disk of the run folder": shutil.disk_usage(run_dir()).used // MEBIBYTE,
        "disk of the engine": shutil.disk_usage(disk).used // MEBIBYTE,
    }


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__)
    parser.add_argument("-n", type=int, default=2000, dest="matches", help="how many matches (default 2000)")
    parser.add_argument("--driver", default="auto", choices=["auto", *DRIVERS])
    parser.add_argument("--at-a-time", type=int, default=AT_A_TIME, help=f"matches (default {AT_A_TIME})")
    parser.add_argument("--seed", default="soak")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # What others leave in the usual run folder is none of this run's affair. Sockets need a short path.
    with tempfile.TemporaryDirectory(prefix="soak-", dir="/tmp") as folder:
        os.environ["SANDBOX_RUN_DIR"] = folder
        return soak(options)


def soak(options: argparse.Namespace) -> int:
    """Play and print; 1 if anything is wrong, else 0."""
    pool = WarmPool(choose_driver(options.driver), size=2 * options.at_a_time)
    rng = random.Random(options.seed)
    play(options.at_a_time, options.at_a_time, pool, rng)  # what is made once is no leak
    pool.close()
    before, began = held(pool.name), time.monotonic()
    pool = WarmPool(choose_driver(pool.name), size=2 * options.at_a_time)
    played, found = play(options.matches, options.at_a_time, pool, rng)
    pool.close()
    seconds, after = time.monotonic() - began, held(pool.name)
    wrong = Counter(action for action, _ in found)
    rows = [(action or "both honest", number, wrong[action]) for action, number in sorted(played.items())]
    print(f"\n{'the opponent':<42} {'matches':>8} {'wrong':>8}")
    print("\n".join(f"{who:<42} {number:>8} {bad:>8}" for who, number, bad in rows))
    grown = [kind for kind, number in after.items() if number > before[kind] + GROWTH_MIB.get(kind, 0)]
    print(f"\n{'at the end':<42} {'before':>8} {'after':>8}")
    for kind, number in after.items():
        unit = " (MiB)" if kind in GROWTH_MIB else ""
        print(f"{kind + unit:<42} {before[kind]:>8} {number:>8}{'  MORE' if kind in grown else ''}")
    print(f"\n{options.matches} matches in {pool.name}, {seconds:.0f} s, {options.matches / seconds:.1f} a second")
    print("Something is wrong." if found or grown else "Nothing is wrong.")
    return 1 if found or grown else 0


def play(
    matches: int, at_a_time: int, pool: WarmPool, rng: random.Random
) -> tuple[Counter[str], list[tuple[str, str]]]:
    """Play so many; how many there were by what their faulty bot does, and what was wrong with which of them."""
    played, found, began = Counter[str](), [], time.monotonic()
    with ThreadPoolExecutor(at_a_time) as players:
        under_way = {players.submit(problem, *match, pool): match[1] for match in actions(matches, rng)}
        try:
            for done, future in enumerate(as_completed(under_way), 1):
                played[under_way[future]] += 1
                if line := future.result():
                    found.append((under_way[future], line))
                    print(line, flush=True)
                if done % PROGRESS == 0:
                    so_far = f"{done} matches, {time.monotonic() - began:.0f} s: {len(found)} wrong"
                    print(f"{so_far}; {held(pool.name)}", flush=True)
        except BaseException:  # somebody stops it: what is under way ends, and its boxes with it
            players.shutdown(cancel_futures=True)
            pool.close()
            raise
    return played, found


if __name__ == "__main__":
    raise SystemExit(main())
