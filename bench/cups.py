"""A tournament of every format, twelve house bots each, played to the end by real workers that are killed meanwhile.

    python -m tests.services python -m bench.cups
    python -m bench.cups --driver bubblewrap --kills 2

All run at once on an arena of their own: two workers and the scheduler, on the database and broker that DATABASE_URL
and REDIS_URL name, or else on files. Spread over the matches, every process of these gets SIGKILL, each time while
matches are being played, and all are started again. At the end each tournament's standings must be those of the same
matches played undisturbed in this process, and every rating must be the fold of its matches. The exit status is 1 if
anything is wrong.
"""

from __future__ import annotations

import argparse
import os
import platform
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

from arena.tournament import (  # noqa: E402
    DoubleElimination,
    Format,
    GroupsThenKnockout,
    RoundRobin,
    SingleElimination,
    Swiss,
)
from sandbox.select import DRIVERS  # noqa: E402
from tests.web.house_cups import BOTS, differences, outcomes, set_up  # noqa: E402
from tests.web.workers import Arena  # noqa: E402

FORMATS: dict[str, Format] = {
    "Round robin": RoundRobin(),
    "Double round robin": RoundRobin(legs=2),
    "Swiss, 5 rounds": Swiss(rounds=5),
    "Single elimination": SingleElimination(),
    "Double elimination": DoubleElimination(),
    "Groups, then knockout": GroupsThenKnockout(),
}
EXPECTED = 66 + 132 + 30 + 11 + 22 + 23
"""Matches in all, without the extra ones of level pairings."""
MOST_SECONDS = 3600.0
QUICK = {"MATCH_LEASE_SECONDS": "15", "MATCH_RESEND_SECONDS": "30", "RECOVER_SECONDS": "5", "SCHEDULE_SECONDS": "2"}
"""Shorter leases than the site's own, so that what a killed worker held is soon played again."""


def play(arena: Arena, kills: int) -> dict[str, dict[str, Any]]:
    """Start the workers, kill them so often, and wait until every tournament is over. Raises TimeoutError."""
    due = [EXPECTED * (number + 1) // (kills + 1) for number in range(kills)]
    deadline = time.monotonic() + MOST_SECONDS
    arena.start()
    while time.monotonic() < deadline:
        time.sleep(0.2)
        states = arena.states()
        finished = states.count("finished")
        if due and finished >= due[0] and "running" in states:
            arena.kill()
            print(f"killed after {finished} matches, {states.count('running')} being played", flush=True)
            due.pop(0)
            arena.start()
        elif finished and not {"queued", "running"} & set(states):
            found = outcomes(arena)
            if all(one["summary"]["state"] == "finished" for one in found.values()):
                return found
    raise TimeoutError(f"After {MOST_SECONDS:.0f} s not every tournament is over; see {arena.var / 'celery.log'}.")


def problems(arena: Arena, found: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Print a line for each tournament; yield what is wrong."""
    print("\n| format | rounds | matches | interrupted | champion | as undisturbed |\n|---|---:|---:|---:|---|---|")
    for name, chosen in FORMATS.items():
        outcome = found[name]
        wrong = differences(chosen, outcome)
        rounds = max(row["round"] for row in outcome["summary"]["matches"])
        interrupted = sum(attempt > 1 for attempt in outcome["attempts"])
        row = (name, rounds, len(outcome["played"]), interrupted, outcome["summary"]["champion"])
        print("|", *(f"{value} |" for value in row), "no |" if wrong else "yes |", flush=True)
        yield from (f"{name}: {line}" for line in wrong)
    if not any(attempt > 1 for outcome in found.values() for attempt in outcome["attempts"]):
        yield "No match was interrupted: the kills have shown nothing."
    verified = arena.manage("ladder", "verify")
    if "every rating" not in verified:
        yield verified


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--driver", choices=["docker", "bubblewrap"], default="docker")
    parser.add_argument("--kills", type=int, default=6)
    options = parser.parse_args(arguments)
    # Told to stop it takes its workers down as well.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    services = {name: os.environ[name] for name in ("DATABASE_URL", "REDIS_URL") if name in os.environ}
    with tempfile.TemporaryDirectory(prefix="arena-cups-") as folder:
        arena = Arena(
            Path(folder),
            {"ARENA_SANDBOX": options.driver, **QUICK, **services},
        )
        where = "PostgreSQL and Redis" if len(services) == 2 else "SQLite and files"
        print(f"{len(BOTS)} bots in each tournament; two workers, {where}, {options.driver}; {platform.platform()}")
        started = time.monotonic()
        try:
            set_up(arena, FORMATS)
            wrong = list(problems(arena, play(arena, options.kills)))
        finally:
            arena.kill()
            DRIVERS[options.driver]().reap()
    print("\n".join(wrong) or "Nothing is wrong.", f"\n{time.monotonic() - started:.0f} s", sep="")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
