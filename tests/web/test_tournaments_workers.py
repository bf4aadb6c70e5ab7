"""A tournament of twelve house bots on real workers in sandboxes, killed outright in the middle of its rounds.

One of every format, on the services of a site of many machines: `python -m bench.cups`.
"""

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.tournament import Swiss
from tests.web.house_cups import BOTS, differences, outcomes, set_up
from tests.web.workers import WAIT_SECONDS, Arena

ROUNDS = 3
MATCHES = ROUNDS * len(BOTS) // 2
KILLS = 2


@pytest.fixture
def arena(tmp_path: Path, migrated_sqlite: Path) -> Iterator[Arena]:
    shutil.copy(migrated_sqlite, tmp_path)
    arena = Arena(tmp_path, {"ARENA_SANDBOX": "bubblewrap", "SCHEDULE_SECONDS": "1"})
    set_up(arena, {"Cup": Swiss(rounds=ROUNDS)})
    yield arena
    arena.kill()


@pytest.mark.slow
@pytest.mark.bubblewrap
def test_workers_killed_in_mid_round_change_nothing_of_the_standings(arena: Arena) -> None:
    finished = 0
    for _ in range(KILLS):
        arena.start()
        states = arena.kill_when(lambda states: states.count("finished") > finished and "running" in states)  # noqa: B023
        finished = states.count("finished")
    arena.start()
    arena.wait_for(lambda states: states.count("finished") == MATCHES)
    deadline = time.monotonic() + WAIT_SECONDS
    while (outcome := outcomes(arena)["Cup"])["summary"]["state"] != "finished":
        assert time.monotonic() < deadline
        time.sleep(1)
    assert max(outcome["attempts"]) > 1, "No match was interrupted: the test has shown nothing."
    assert len(outcome["played"]) == len(outcome["summary"]["matches"]) == MATCHES
    assert differences(Swiss(rounds=ROUNDS), outcome) == []
    assert "every rating" in arena.manage("ladder", "verify")
