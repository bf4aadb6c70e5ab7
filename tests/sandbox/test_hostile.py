"""Bots that attack. Each folder of hostile/ holds one, with what must come of it; each is really run in every sandbox.

`verdict` is "forfeit", with `where` ("start", "decision" or "end"), the `kinds` of fault that count and perhaps a
pattern for the `message`; or "harmless": the bot tries something, would fault if it worked, and plays to the end. After
each the opponent has its due, and nothing is left behind (conftest.py).
"""

import re
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from arena.archive import BotSource
from arena.bot import GameEnding
from arena.local import UploadContestant
from arena.record import GameRecord
from arena.referee import play_game, play_match
from arena.rules import CLASSIC
from sandbox.drivers.base import Driver, Limits
from sandbox.player import SandboxContestant, close_all
from tests.sandbox.conftest import SANDBOXES

HOSTILE = Path(__file__).parent / "hostile"
CASES = sorted(path.parent.name for path in HOSTILE.glob("*/bot.py"))
PLAYER = (HOSTILE / "player.py").read_text()
RULES = CLASSIC.replace(name="short", target=30)
LIMITS = replace(
    Limits(), start_seconds=1.0, decision_seconds=0.5, game_seconds=1.0, wall_factor=4.0, wall_grace_seconds=1.0
)
SEED = b"the decks of the hostile corpus"
pytestmark = pytest.mark.slow
TAME = BotSource(
    {"bot.py": "from player import Plays\n\n\nclass Tame(Plays):\n    pass\n", "player.py": PLAYER}, "bot.py"
)


def hostile(case: str) -> BotSource:
    return BotSource({"bot.py": (HOSTILE / case / "bot.py").read_text(), "player.py": PLAYER}, "bot.py")


@pytest.mark.parametrize("driver", SANDBOXES, indirect=True)
@pytest.mark.parametrize("case", CASES)
def test_hostile_bot(case: str, driver: Driver) -> None:
    expected = tomllib.loads((HOSTILE / case / "expected.toml").read_text())
    attacker, victim = SandboxContestant(driver, hostile(case), LIMITS), UploadContestant(TAME.files, TAME.entry)
    # Who only looks around may look in the second game for the first. Of who is cut off, a second game takes as long
    # again and shows no more than that the box can go on: for that one driver is enough.
    is_match = expected["verdict"] == "harmless" or getattr(driver, "runtime", "") == "runc"
    try:
        if is_match:
            games = play_match(RULES, SEED, attacker, victim).games
        else:
            games = (play_game(RULES, SEED, (attacker, victim)),)
    finally:
        attacker.close()
    for game in games:
        if expected["verdict"] == "harmless":
            assert game.faults == ()
            assert game.ending is GameEnding.TARGET
        else:
            assert_forfeited(game, expected)
    # What the record says happened up to there is what the rules make of the moves.
    for game in games:
        game.replay()


def assert_forfeited(game: GameRecord, expected: dict[str, object]) -> None:
    attacker = game.side_of(0)
    fault = game.fault
    assert fault is not None, "the attack was not noticed"
    assert [fault.seat for fault in game.faults] == [attacker]
    assert fault.kind.value in expected["kinds"], (fault.kind, fault.message, fault.traceback)  # type: ignore[operator]
    assert re.search(str(expected.get("message", "")), fault.message)
    assert where(game) == expected["where"], fault.message
    assert game.ending is GameEnding.FAULT
    assert game.winner == 1 - attacker


def where(game: GameRecord) -> str:
    """At which point of the game its fault lies. Who attacks a decision attacks no draw: an action came first."""
    if max(game.scores) >= RULES.target:
        return "end"
    return "decision" if any(hand.actions for hand in game.hands) else "start"


@pytest.mark.parametrize("driver", SANDBOXES, indirect=True)
def test_a_bot_in_its_box_beside_a_hostile_one_has_its_due(driver: Driver) -> None:
    attacker = SandboxContestant(driver, hostile("fork_bomb_uncaught"), LIMITS)
    victim = SandboxContestant(driver, TAME, LIMITS)
    try:
        match = play_match(RULES, SEED, attacker, victim)
    finally:
        close_all(attacker, victim)
    assert match.score_quarters() == 0


def test_the_corpus_covers_what_it_should() -> None:
    """A case that lost its bot or its verdict would silently not be run."""
    folders = {path.name for path in HOSTILE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders == set(CASES)
    assert len(CASES) >= 80
    for case in CASES:
        expected = tomllib.loads((HOSTILE / case / "expected.toml").read_text())
        assert expected["verdict"] in {"forfeit", "harmless"}
        assert expected["verdict"] == "harmless" or expected["where"] in {"start", "decision", "end"}
