"""Plays rated matches on real workers, PostgreSQL, Redis and sandboxes of its own, and breaks all of them meanwhile.

    python -m tests.chaos --matches 500
    python -m tests.chaos --matches 25 --quick

Between matches, in an order that follows from the seed: processes and whole workers are killed, told to stop, and
started again; Redis is flushed and restarted; PostgreSQL is restarted and crashes; messages are delivered twice; clocks
jump; boxes die; the engine goes away and returns. At the end no match may be lost, counted twice, void or stuck for two
minutes, `ladder verify` must find every rating exact, no bot may be blamed, and nothing may be left on the machine. The
exit status is 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import signal
import sys
import time

from tests.chaos.harm import harms
from tests.chaos.stage import Stage
from tests.chaos.verdict import Watch, left_over, problems, states
from tests.parts import PARTS

WAITING = 4
"""Matches in the queue while there are some to come."""
MATCHES_A_HARM = 10
"""Where there are matches enough to do everything at least once."""
END_SECONDS = 240.0
"""After the last harm: twice what a match may take to come free, and the play."""


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.chaos", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-n", "--matches", type=int, default=500)
    parser.add_argument("--seed", default="chaos")
    parser.add_argument("--quick", action="store_true", help="leases of seconds instead of the site's own")
    parser.add_argument("--driver", choices=["docker", "bubblewrap"])
    parser.add_argument("--keep", action="store_true", help="keep the folder with the programs' log")
    options = parser.parse_args()
    driver = options.driver or ("bubblewrap" if PARTS["docker"].missing() else "docker")
    # Told to stop it takes the stage down as well.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    stage = Stage(driver=driver, quick=options.quick)
    print(f"{options.matches} matches in {driver}, seed {options.seed!r}, in {stage.folder}", flush=True)
    try:
        stage.set_up()
        _settle_in(stage)
        found = run(stage, options.matches, random.Random(options.seed))
    finally:
        stage.tear_down(keep=options.keep)
    print("\n".join(found) or "Nothing is wrong.")
    return 1 if found else 0


def _settle_in(stage: Stage) -> None:
    """Make this process one of the arena's: it queues matches and reads results."""
    os.environ.update(stage.environment)
    sys.path.insert(0, os.environ["PYTHONPATH"].partition(os.pathsep)[0])
    import django

    django.setup()
    # A broker or database that is away is the point of this, and told in a line.
    logging.disable(logging.CRITICAL)


def run(stage: Stage, matches: int, rng: random.Random) -> list[str]:
    """Play and break; returns what is wrong at the end, as lines."""
    from ladder.models import Ladder

    # Matches come from here alone.
    Ladder.objects.update(is_open=False)
    kinds = harms(stage.driver)
    count = max(len(kinds), matches // MATCHES_A_HARM)
    planned = [kind for _ in range(0, count, len(kinds)) for kind in rng.sample(kinds, len(kinds))][:count]
    watch, began, done = Watch(), time.monotonic(), 0
    last_harm = began
    while True:
        stage.keep_up()
        rows = states(stage)
        if rows is None:
            continue
        watch.look(rows)
        finished = sum(state == "finished" for _, state, _, _ in rows)
        queued = sum(state == "queued" for _, state, _, _ in rows)
        if done < count and finished >= (done + 1) * matches // (count + 1):
            told = planned[done](stage, rng)
            done, last_harm = done + 1, time.monotonic()
            print(f"{last_harm - began:6.0f} s {finished:4} finished  {told}", flush=True)
        elif queued < WAITING and len(rows) < matches:
            _queue(rng)
        elif finished == matches or time.monotonic() - last_harm > END_SECONDS:
            break
        else:
            time.sleep(0.1)
    again = sum(attempt > 1 for _, _, attempt, _ in rows)
    print(
        f"{finished} of {matches} finished after {time.monotonic() - began:.0f} s and {done} harms; {again} were"
        f" interrupted; none was without progress for more than {watch.longest:.0f} s",
        flush=True,
    )
    found = list(problems(stage, watch, matches))
    if not again:
        found.append("no match was interrupted: nothing has been shown")
    found += [f"{name} did not stop when told to" for name in stage.stop()]
    return found + [f"left over: {line}" for line in left_over(stage)]


def _queue(rng: random.Random) -> None:
    from django.db import InterfaceError, OperationalError, connection

    from bots.queries import active_versions
    from ladder import services
    from ladder.models import Ladder

    try:
        services.enqueue_match(ladder=Ladder.objects.get(), versions=rng.sample(list(active_versions()), 2))
    except (OperationalError, InterfaceError):
        connection.close()


if __name__ == "__main__":
    raise SystemExit(main())
