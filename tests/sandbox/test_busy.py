"""The same bots get the same verdicts on an idle machine and on one that has far more to do than it can."""

import functools
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from arena.archive import BotSource
from arena.local import UploadContestant
from arena.referee import play_game
from arena.rules import CLASSIC
from sandbox.drivers.base import Driver, Limits
from sandbox.player import SandboxContestant
from tests.sandbox.bots import BOT
from tests.sandbox.conftest import SANDBOXES

LIMITS = Limits(start_seconds=1.0, decision_seconds=0.5, game_seconds=1.0, wall_factor=1.0, wall_grace_seconds=0.3)
"""A bot may compute for 0.5 s and take 0.8 s: beside four others on its core it takes more than that for 0.25 s."""
HOGS_PER_CORE = 4
RULES = CLASSIC.replace(name="shortest", target=1)
SEED = b"the decks of a busy machine"
TAME = {"bot.py": BOT}

COMPUTE = """
import time

def compute(turns):
    for _ in range(turns):
        pass
"""
BOTS = {
    "heavy": (
        f"{COMPUTE}compute(int(0.5 * SECOND))\n",
        "(compute(int(0.25 * SECOND)), self.has_thought.append(1)) if not self.has_thought else 0",
        "",
    ),
    "burner": (COMPUTE, "compute(1000 * SECOND)", "The bot used"),
    "sleeper": (COMPUTE, "time.sleep(1000)", "The bot did not answer within 0.8 s"),
    "napper": (
        COMPUTE,
        "[(time.sleep(0.05), compute(SECOND // 2000)) for _ in range(9999)]",
        "The bot did not answer within 0.8 s",
    ),
}
"""What each does at its import, and in its discards; how the sentence starts that it gets."""


@functools.cache
def turns_a_second() -> int:
    """How often a bot's loop turns in a second of CPU time: a bot that looked at a clock to know would call its kernel,
    and be charged for gVisor's work as well."""
    names: dict[str, Callable[[int], None]] = {}
    exec(COMPUTE, names)
    turns = 2_000_000
    began = time.process_time()
    names["compute"](turns)
    return int(turns / (time.process_time() - began))


def source(name: str) -> BotSource:
    start, thought, _ = BOTS[name]
    text = BOT.replace("choose_discard(self, view):", f"choose_discard(self, view):\n        {thought}")
    return BotSource({"bot.py": f"SECOND = {turns_a_second()}\n{start}{text}\n    has_thought = []\n"}, "bot.py")


@contextmanager
def hogs() -> Iterator[None]:
    command = [sys.executable, "-I", "-S", "-c", "while True: pass"]
    running = [subprocess.Popen(command) for _ in range(HOGS_PER_CORE * (os.cpu_count() or 1))]
    try:
        yield
    finally:
        for hog in running:
            hog.kill()
        for hog in running:
            hog.wait()


def verdict(driver: Driver, name: str) -> str:
    """What the bot is told, or "" when it plays to the end."""
    contestant = SandboxContestant(driver, source(name), LIMITS)
    try:
        game = play_game(RULES, SEED, (contestant, UploadContestant(TAME, "bot.py")))
    finally:
        contestant.close()
    return game.fault.message if game.fault else ""


@pytest.mark.parametrize("driver", SANDBOXES, indirect=True)
@pytest.mark.parametrize("name", BOTS)
def test_a_verdict_is_the_same_on_an_idle_and_on_a_busy_machine(driver: Driver, name: str) -> None:
    expected = BOTS[name][2]
    idle = verdict(driver, name)
    with hogs():
        busy = verdict(driver, name)
    for found in (idle, busy):
        assert found.startswith(expected)
        assert bool(found) == bool(expected), found
