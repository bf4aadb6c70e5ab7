"""Modules that a bot imports while it plays: those that can be foreseen are there, others are refused."""

import importlib
import sys

import pytest

from arena.bot import GameStart
from arena.local import UploadContestant
from arena.player import BotFault, FaultKind
from arena.rules import CLASSIC

BOT = """
import importlib, sys
from arena import Bot

class Late(Bot):
    def choose_draw(self, view): ...
    def choose_discard(self, view): ...
    def start_game(self, start):
        {}
"""
HELPER = "import colorsys\n\nWHITE = colorsys.rgb_to_hsv(1, 1, 1)\n"


@pytest.fixture(autouse=True)
def colorsys_is_not_loaded() -> None:
    """Whatever ran before; nothing else uses it."""
    sys.modules.pop("colorsys", None)


def start(statement: str, **helpers: str) -> None:
    """Load a bot and let it run a statement when the game begins."""
    files = {"bot.py": BOT.format(statement)} | {f"{name}.py": text for name, text in helpers.items()}
    player = UploadContestant(files, "bot.py").new_player()
    player.start(GameStart(CLASSIC, 0, "00" * 8))


@pytest.mark.parametrize(
    "statement",
    [
        "import colorsys",
        "from colorsys import rgb_to_hsv",
        "from xml.etree import ElementTree; ElementTree.fromstring('<a/>')",
        "import helper; assert helper.WHITE == (0, 0, 1)",
        "from helper import WHITE",
        "import datetime; datetime.datetime.strptime('1912', '%Y')",
        "'1912'.encode('cp1140')",
    ],
)
def test_what_a_function_imports_is_loaded_with_the_bot(statement: str) -> None:
    start(statement, helper=HELPER)


def test_a_bot_that_plays_hands_by_itself_can_reshuffle_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "arena.decks", raising=False)
    start("import arena.position; assert 'arena.decks' in sys.modules")


def test_a_module_that_nothing_names_is_refused_during_a_game() -> None:
    with pytest.raises(BotFault) as caught:
        start("importlib.import_module('colorsys')")
    assert caught.value.kind is FaultKind.EXCEPTION
    assert caught.value.message == (
        "ModuleNotFoundError: colorsys was not imported when the bot was loaded, and during a game no files can be"
        " read: import it, or do what needs it, at the top of a file."
    )
    assert (caught.value.file, caught.value.line) == ("bot.py", 9)


def test_a_time_zone_that_python_looks_for_in_a_game_is_refused_with_the_same_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # As in a fresh process. In a sandbox no zone's file is found; here none of that name.
    monkeypatch.delitem(sys.modules, "importlib.resources", raising=False)
    monkeypatch.delattr(importlib, "resources", raising=False)
    with pytest.raises(BotFault) as caught:
        start("import zoneinfo; zoneinfo.ZoneInfo('Middle/Earth')")
    assert caught.value.message.startswith("ModuleNotFoundError: importlib.resources was not imported when the bot was")


def test_a_module_that_is_nowhere_is_missed_when_it_is_asked_for() -> None:
    start("pass\n    def end_game(self, end):\n        import no_such_module")
    with pytest.raises(BotFault, match="no_such_module was not imported"):
        start("import no_such_module")


def test_what_the_tool_imports_between_two_questions_is_its_own_matter() -> None:
    start("pass")
    assert "colorsys" not in sys.modules
    import colorsys

    assert colorsys.rgb_to_hsv(1, 1, 1) == (0, 0, 1)


def test_a_bots_other_modules_are_not_imported_for_it() -> None:
    start("pass", train="import colorsys\n\ndef run():\n    import colorsys\n")
    assert "colorsys" not in sys.modules
