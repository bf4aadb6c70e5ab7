from __future__ import annotations

import subprocess
import sys
from random import Random
from typing import Any

import pytest

import arena
from arena import Bot, Discard, Draw, GameStart, View
from arena.bot import Clock, GameEnd, GameEnding
from arena.events import Passed
from arena.rules import RULE_SETS, Rules


class Least(Bot):
    def choose_draw(self, view: View) -> Draw:
        return Draw.STOCK

    def choose_discard(self, view: View) -> Discard:
        return Discard(view.legal_discards[0])


def test_two_methods_make_a_bot() -> None:
    assert isinstance(Least(), Bot)


def test_a_method_less_makes_none() -> None:
    with pytest.raises(TypeError, match="choose_discard"):
        type("Half", (Bot,), {"choose_draw": Least.choose_draw})()


def test_a_bot_has_its_randomness_even_without_the_constructor_of_bot() -> None:
    class Careless(Least):
        def __init__(self, depth: int = 3) -> None:
            self.first = self.random.random()

    first, second = Careless(), Careless(depth=4)
    assert isinstance(first.random, Random)
    assert first.random is not second.random
    assert first.first == second.first


def test_the_hooks_do_nothing_by_default() -> None:
    bot, anything = Least(), object()
    hooks: list[Any] = [bot.start_game, bot.start_hand, bot.observe, bot.end_hand, bot.end_game]
    assert [hook(anything) for hook in hooks] == [None] * 5
    view: Any = anything
    assert bot.arrange(view) is None
    assert bot.lay_off(view, ()) is None


@pytest.mark.parametrize("rules", [*RULE_SETS.values(), Rules("own", target=30, gin_bonus=7)], ids=lambda r: r.name)
@pytest.mark.parametrize("clock", [None, Clock(10.0, 2.0)])
def test_a_start_survives_the_wire(rules: Rules, clock: Clock | None) -> None:
    start = GameStart(rules, 1, "0123456789abcdef" * 2, clock)
    assert GameStart.from_wire(start.to_wire()) == start


def test_an_end_survives_the_wire() -> None:
    end = GameEnd(GameEnding.HAND_CAP, None, (40, 40), (Passed(1), Passed(0)))
    assert GameEnd.from_wire(end.to_wire()) == end


def test_the_public_names_are_exactly_all() -> None:
    public = {
        name
        for name, value in vars(arena).items()
        if not name.startswith("_") and not (isinstance(value, type(sys)) and value.__name__.startswith("arena."))
    }
    assert public == set(arena.__all__)
    assert sorted(arena.__all__, key=lambda name: (not name.isupper(), not name[0].isupper(), name)) == arena.__all__


def test_arena_imports_the_standard_library_only() -> None:
    code = (
        "import sys, arena, arena.cli.program, arena.compat, arena.wheel, arena.pairing, arena.steps\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules} - sys.stdlib_module_names))"
    )
    found = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True).stdout
    # The main module has a second name once multiprocessing is imported.
    assert set(found.split()) - {"__main__", "__mp_main__"} == {"arena"}
