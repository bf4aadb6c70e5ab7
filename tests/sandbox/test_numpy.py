"""Bots that compute with numpy, in every sandbox."""

from importlib import metadata

import pytest

from arena.archive import BotSource
from arena.bot import GameEnding, GameStart
from arena.player import BotFault, FaultKind
from arena.referee import play_match
from arena.rules import CLASSIC
from sandbox.drivers.base import Driver
from sandbox.drivers.bubblewrap import BubblewrapDriver
from sandbox.player import SandboxContestant, close_all
from sandbox.selftest import numpy_version
from tests.sandbox.bots import BOT
from tests.sandbox.conftest import SANDBOXES

RULES = CLASSIC.replace(name="short", target=30)
PLAIN = BotSource({"bot.py": BOT}, "bot.py")
MATRICES = BotSource(
    {
        "bot.py": """
import numpy as np
from arena import Bot, Discard, Draw

WEIGHTS = np.random.default_rng(1).random((200, 200))

class Matrices(Bot):
    def choose_draw(self, view):
        return Draw.PASS if Draw.PASS in view.legal else Draw.STOCK
    def choose_discard(self, view):
        # Products and decompositions are what a numerical library likes to start threads for.
        assert np.allclose(np.linalg.solve(WEIGHTS, WEIGHTS @ WEIGHTS), WEIGHTS)
        legal = list(view.legal_discards)
        card = legal[int(np.argmin(np.array([view.deadwood_after(card) for card in legal])))]
        return Discard(card, knock=view.deadwood_after(card) <= view.knock_limit)
"""
    },
    "bot.py",
)

LATE = BotSource(
    {
        "bot.py": "import numpy as np\n"
        + BOT
        + """
    def start_game(self, start):
        assert np.random.default_rng(1).random(3).shape == (3,)
        assert np.allclose(np.linalg.inv(np.eye(3)), np.eye(3))
        assert np.fft.fft(np.ones(8))[0] == 8
        assert np.polynomial.Polynomial([1, 2])(3) == 7
        assert np.ma.array([1, 2], mask=[0, 1]).sum() == 1
        assert list(np.unique(np.char.upper(np.array(["a", "a"])))) == ["A"]
""",
    },
    "bot.py",
)
"""First uses the parts of numpy when no file can be read any more."""


@pytest.mark.parametrize("driver", SANDBOXES, indirect=True)
def test_the_parts_of_numpy_are_there_during_a_game(driver: Driver) -> None:
    contestant = SandboxContestant(driver, LATE)
    try:
        contestant.new_player().start(GameStart(CLASSIC, 0, "00" * 8))
    finally:
        contestant.close()


@pytest.mark.parametrize("driver", SANDBOXES, indirect=True)
def test_a_bot_that_uses_numpy_plays_a_match(driver: Driver) -> None:
    bots = SandboxContestant(driver, MATRICES), SandboxContestant(driver, PLAIN)
    try:
        match = play_match(RULES, b"the decks of the matrices", *bots)
    finally:
        close_all(*bots)
    for game in match.games:
        assert game.faults == ()
        assert game.ending is GameEnding.TARGET


@pytest.mark.parametrize("driver", SANDBOXES, indirect=True)
def test_the_sandbox_tells_which_numpy_it_has(driver: Driver) -> None:
    assert numpy_version(driver) == metadata.version("numpy")


@pytest.mark.bubblewrap
def test_where_numpy_is_turned_off_its_author_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SANDBOX_NUMPY", "0")
    driver = BubblewrapDriver()
    assert numpy_version(driver) == ""
    contestant = SandboxContestant(driver, MATRICES)
    try:
        with pytest.raises(BotFault, match="There is no numpy here") as caught:
            contestant.new_player().load()
    finally:
        contestant.close()
    assert caught.value.kind is FaultKind.START
    assert (caught.value.file, caught.value.line) == ("bot.py", 2)
