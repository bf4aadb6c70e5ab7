"""A worker told to stop lets its match finish, and hands back at once the one that takes too long."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.web.workers import Arena

SET_UP = """
from pathlib import Path
from ladder import services
from ladder.models import Ladder
from tests.web.matches import make_version
simple = Path("{simple}").read_text()
slow = simple.replace("least = min(", "import time; time.sleep({pause})\\n        least = min(")
assert slow != simple
Ladder.objects.update(is_open=False)
versions = [make_version(name, source=slow) for name in ("Ann", "Ben")]
services.enqueue_match(ladder=Ladder.objects.get(), versions=versions)
"""
OUTCOME = """
from ladder.models import Match
match = Match.objects.get()
answer = [match.state, match.attempt, match.failures, match.error]
"""
ROOT = Path(__file__).parents[2]
SIMPLE = ROOT / "arena" / "bots" / "simple.py"

pytestmark = pytest.mark.slow


@pytest.fixture
def arena(request: pytest.FixtureRequest, tmp_path: Path, migrated_sqlite: Path) -> Iterator[Arena]:
    shutil.copy(migrated_sqlite, tmp_path)
    # A lease that nobody could be waiting for.
    arena = Arena(tmp_path, {"DRAIN_SECONDS": str(request.param), "MATCH_LEASE_SECONDS": "600"})
    yield arena
    arena.kill()


def stopped_in_mid_match(arena: Arena, pause: float) -> list[object]:
    """Stops a worker while it plays bots that rest so many seconds before every discard; what became of it."""
    arena.set_up(SET_UP.format(simple=SIMPLE, pause=pause))
    # Only this one: another would be starting still when it is told to stop.
    arena.start_worker("one")
    arena.wait_for(lambda states: states == ["running"])
    assert arena.stop() == [0]
    outcome: list[object] = arena.ask(OUTCOME)
    return outcome


@pytest.mark.parametrize("arena", [1], indirect=True)
def test_a_long_match_is_handed_back(arena: Arena) -> None:
    assert stopped_in_mid_match(arena, 0.5) == ["queued", 1, 0, ""]
    log = (arena.var / "celery.log").read_text()
    assert "Traceback" not in log
    assert "exited with" not in log


@pytest.mark.parametrize("arena", [600], indirect=True)
def test_a_short_match_is_finished(arena: Arena) -> None:
    assert stopped_in_mid_match(arena, 0.02) == ["finished", 1, 0, ""]


def end_of(code: str) -> tuple[int, str]:
    """The exit status of a process that runs the code; what it and its children have said, which are waited for."""
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, cwd=ROOT / "platform", stdout=subprocess.PIPE, text=True, timeout=300, check=False)
    return run.returncode, run.stdout


STUCK = """
import signal, time
from billiard import Event, Process
from config import celery

waits = Event()

def wait_for_a_lock_that_nobody_gives_back():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print("waits", flush=True)
    waits.set()
    time.sleep(600)

child = Process(target=wait_for_a_lock_that_nobody_gives_back)
child.start()
waits.wait()
celery._HAND_BACK_SECONDS = 0.1
celery._end_children()
"""


def test_a_worker_whose_pool_is_stuck_ends_all_the_same() -> None:
    assert end_of(STUCK) == (1, "waits\n")


REPLACED = """
import signal, time
from billiard import Event, Process
from config import celery

def wait_for_work():
    signal.signal(signal.SIGTERM, lambda *_: print("told to end, with the pool's lock", flush=True))
    ready.set()
    while True:
        signal.pause()

def replace_the_first(_):
    first.join()
    if second.pid is None:
        second.start()
        ready.wait()
    else:
        sleep(0.5)

ready, sleep = Event(), time.sleep
first, second = Process(target=signal.pause), Process(target=wait_for_work)
first.start()
time.sleep = replace_the_first
celery._end_children()
"""


def test_a_child_that_the_pool_starts_meanwhile_is_not_told_to_end() -> None:
    assert end_of(REPLACED) == (1, "")
