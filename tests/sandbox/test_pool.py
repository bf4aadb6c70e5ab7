"""Boxes opened ahead of time: taken once, bounded in number, gone at the end."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from arena.player import HouseFailure
from sandbox.drivers.base import Driver, Limits
from sandbox.drivers.scripted import ScriptedBox, ScriptedDriver
from sandbox.pool import WarmPool
from tests.sandbox import residue
from tests.sandbox.bots import GOOD
from tests.sandbox.conftest import REAL_DRIVERS
from tests.sandbox.test_contract import load

ROOT = Path(__file__).parents[2]
LIMITS = Limits()


@contextmanager
def pool_of(driver: Driver, size: int = 2) -> Iterator[WarmPool]:
    pool = WarmPool(driver, size)
    try:
        yield pool
    finally:
        pool.close()


@pytest.fixture
def scripted() -> ScriptedDriver:
    return ScriptedDriver(lambda: GOOD.steps)


def opened(driver: ScriptedDriver) -> int:
    return len([box for box in driver.boxes if not box.is_closed])


def test_no_box_is_opened_before_one_is_wanted(scripted: ScriptedDriver) -> None:
    with pool_of(scripted) as pool:
        pool.wait()
        assert scripted.boxes == []


def test_a_taken_box_is_replaced_and_never_given_out_again(scripted: ScriptedDriver) -> None:
    with pool_of(scripted) as pool:
        taken = []
        for number in range(1, 6):
            taken.append(pool.open_box(LIMITS))
            pool.wait()
            assert len(scripted.boxes) == number + 2
        assert len({id(box) for box in taken}) == 5
        for box in taken:
            box.close()
            assert not box.is_alive()
        assert opened(scripted) == 2
    assert opened(scripted) == 0


def test_the_first_mind_is_born_ahead_and_the_second_when_asked_for(scripted: ScriptedDriver) -> None:
    with pool_of(scripted) as pool:
        pool.open_box(LIMITS).close()
        pool.wait()
        assert [len(waiting.minds) for waiting in scripted.boxes[1:]] == [1, 1]
        box = pool.open_box(LIMITS)
        first = box.new_mind()
        # Both were opened at the same time, so that either may be the first in the queue.
        (waiting,) = (waiting for waiting in scripted.boxes[1:3] if waiting.minds[0] is first)
        assert box.new_mind() is waiting.minds[1]
        assert waiting.minds[0].is_closed
        box.close()


def test_a_box_that_ended_while_it_waited_is_not_given_out(scripted: ScriptedDriver) -> None:
    with pool_of(scripted, size=1) as pool:
        pool.open_box(LIMITS).close()
        pool.wait()
        scripted.boxes[1].close()
        box = pool.open_box(LIMITS)
        assert box.is_alive()
        box.close()


def test_a_box_of_other_limits_is_not_given_out(scripted: ScriptedDriver) -> None:
    with pool_of(scripted, size=1) as pool:
        pool.open_box(LIMITS).close()
        pool.wait()
        pool.open_box(replace(LIMITS, reply_bytes=1000)).close()
        pool.wait()
        assert opened(scripted) == 1
        assert len(scripted.boxes) == 4


def test_a_box_that_waited_too_long_is_not_given_out(scripted: ScriptedDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    with pool_of(scripted, size=1) as pool:
        pool.open_box(LIMITS).close()
        pool.wait()
        now = time.monotonic()
        monkeypatch.setattr("sandbox.pool.time.monotonic", lambda: now + 0.6 * LIMITS.box_seconds)
        box = pool.open_box(LIMITS)
        assert box.new_mind() in scripted.boxes[2].minds
        box.close()


def test_a_failure_ahead_of_time_is_nobodys_until_a_box_is_wanted(scripted: ScriptedDriver) -> None:
    class Flaky(ScriptedDriver):
        broken = False

        def open_box(self, limits: Limits) -> ScriptedBox:
            if self.broken:
                raise HouseFailure("The engine is away.")
            return super().open_box(limits)

    driver = Flaky(lambda: GOOD.steps)
    with pool_of(driver) as pool:
        driver.broken = False
        pool.open_box(LIMITS).close()
        driver.broken = True
        pool.wait()
        with pytest.raises(HouseFailure, match="The engine is away"):
            pool.open_box(LIMITS)
        driver.broken = False
        pool.open_box(LIMITS).close()


def test_a_closed_pool_opens_boxes_but_none_ahead(scripted: ScriptedDriver) -> None:
    pool = WarmPool(scripted)
    pool.close()
    pool.open_box(LIMITS).close()
    pool.wait()
    assert len(scripted.boxes) == 1
    pool.close()


@pytest.mark.parametrize("driver", REAL_DRIVERS, indirect=True)
def test_a_warm_box_plays(driver: Driver) -> None:
    with pool_of(driver) as pool:
        pool.open_box(LIMITS).close()
        pool.wait()
        ahead = [warm.box.result()._first for warm in pool._waiting]  # type: ignore[attr-defined]
        box = pool.open_box(LIMITS)
        mind = box.new_mind()
        assert mind in ahead
        assert b'"Habit"' in load(mind, GOOD).line
        assert b'"Habit"' in load(box.new_mind(), GOOD).line
        box.close()


@pytest.mark.parametrize("driver", REAL_DRIVERS, indirect=True)
def test_a_runner_that_died_in_the_pool_harms_nobody(driver: Driver) -> None:
    with pool_of(driver, size=1) as pool:
        pool.open_box(LIMITS).close()
        pool.wait()
        waiting = pool._waiting[0].box.result()._box  # type: ignore[attr-defined]
        os.kill(waiting.zygote_pid, signal.SIGKILL)
        deadline = time.monotonic() + 60
        while waiting.is_alive():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        box = pool.open_box(LIMITS)
        load(box.new_mind(), GOOD)
        box.close()
        pool.wait()


WORKER = """
import os, sys, time
from sandbox.drivers.base import Limits
from sandbox.drivers.owner import Owner
from sandbox.pool import WarmPool
from sandbox.select import DRIVERS
pool = WarmPool(DRIVERS[sys.argv[1]]())
pool.open_box(Limits()).close()
pool.wait()
child = os.fork()
if child == 0:
    # A worker's process, forked from one that has boxes: it has a pool of its own and leaves its parent's alone.
    pool.open_box(Limits()).close()
    pool.wait()
    pool.close()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
box = pool.open_box(Limits())
box.new_mind()
box.close()
pool.wait()
print(Owner.me(), flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("driver", REAL_DRIVERS, indirect=True)
def test_the_pool_of_a_dead_worker_is_reaped(driver: Driver, run_dir: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", WORKER, driver.name], cwd=ROOT, stdout=subprocess.PIPE) as worker:
        assert worker.stdout is not None
        owner = worker.stdout.readline().decode().strip()
        assert owner, "the worker did not come up"
        slots = [path for path in run_dir.iterdir() if path.name.isdigit()]
        assert len(slots) == 2
        worker.kill()
    assert driver.reap() >= 2
    assert residue.containers_of(owner) == []
