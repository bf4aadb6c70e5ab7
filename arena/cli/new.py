"""`arena new`: a commented bot of your own and a test for it, in a folder that can be uploaded as a zip.

The bot is the house's starter under the author's name.
"""

from __future__ import annotations

import argparse
import ast
import keyword
import re
from pathlib import Path

import arena
from arena.bots import starter_source
from arena.cli.terminal import UsageError

_TEST = '''\
"""Run me with `python -m unittest`, in this folder."""

import unittest

from arena import CLASSIC, Card, Draw, Phase, View, mask_of, parse_cards
from arena.bots import house_source
from arena.local import LocalContestant, UploadContestant
from arena.referee import play_match
from bot import {class_name}


def view(decision: Phase, hand: str, upcard: str, taken: str | None = None) -> View:
    """A position of the first hand, seen from seat 0: your cards such as "As 2s", and what is on the table."""
    cards = tuple(sorted(parse_cards(hand)))
    return View(
        seat=0,
        rules=CLASSIC,
        decision=decision,
        hand=cards,
        mask=mask_of(cards),
        upcard=Card.parse(upcard),
        discard_pile=(Card.parse(upcard),),
        known_opponent_cards=(),
        stock_size=30,
        dealer=1,
        scores=(0, 0),
        hand_number=1,
        turns=2,
        knock_limit=CLASSIC.knock_limit,
        drawn=None if taken is None else Card.parse(taken),
        taken=None if taken is None else Card.parse(taken),
    )


class {class_name}Test(unittest.TestCase):
    def test_it_takes_the_card_that_completes_a_run(self) -> None:
        position = view(Phase.DRAW, "3s 4s 9c Jd Kh 2d 7c 8h Qc 6d", "5s")
        self.assertEqual({class_name}().choose_draw(position), Draw.UPCARD)

    def test_it_goes_gin_when_it_can(self) -> None:
        position = view(Phase.DISCARD, "3s 4s 5s 7c 7h 7d 9d Td Jd Qd Kc", "2h")
        choice = {class_name}().choose_discard(position)
        self.assertEqual((choice.card, choice.knock), (Card.parse("Kc"), True))

    def test_it_plays_against_itself_without_a_fault(self) -> None:
        me = LocalContestant({class_name})
        record = play_match(CLASSIC, b"any sixteen bytes", me, me)
        self.assertEqual([fault for game in record.games for fault in game.faults], [])

    def test_it_beats_the_random_bot(self) -> None:
        random_bot = UploadContestant({{"bot.py": house_source("random")}}, "bot.py")
        record = play_match(CLASSIC, b"any sixteen bytes", LocalContestant({class_name}), random_bot)
        self.assertEqual(record.games_won(), (2, 0))
'''


def add(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("name", metavar="NAME", help="the folder to make, which names the bot")


def run(options: argparse.Namespace) -> int:
    """Write the folder. Raises UsageError."""
    folder = Path(options.name)
    class_name = _class_name(folder.name)
    try:
        folder.mkdir(parents=True)
        source = re.sub(r"\bStarter\b", class_name, starter_source())
        (folder / "bot.py").write_text(source, encoding="utf-8")
        (folder / "test_bot.py").write_text(_TEST.format(class_name=class_name), encoding="utf-8")
    except FileExistsError:
        raise UsageError(f"{folder} is there already: choose another name.") from None
    except OSError as error:
        raise UsageError(f"{folder} cannot be made: {error.strerror or error}.") from None
    print(
        f"{folder / 'bot.py'} is your bot, a class named {class_name}: change what you like. Then try\n"
        f"  arena check {folder}\n"
        f"  arena play {folder} house:simple\n"
        f"and, in {folder}, its test\n"
        "  python -m unittest\n"
        "Upload bot.py, or the folder as a zip when it has grown more modules."
    )
    return 0


def _class_name(name: str) -> str:
    """The bot's class for a folder's name: my-bot gives MyBot. Raises UsageError."""
    words = re.split(r"[-_ .]+", name)
    class_name = "".join(word[:1].upper() + word[1:] for word in words)
    if not class_name.isidentifier() or keyword.iskeyword(class_name):
        raise UsageError(f"{name!r} does not name a class: use letters, digits, - and _, such as my-bot.")
    if class_name in _taken_names():
        raise UsageError(
            f"{name!r} gives a class named {class_name}, which the arena has already: choose another name."
        )
    return class_name


def _taken_names() -> set[str]:
    """What the bot and its test call things by that are not theirs, and all that `from arena import` offers."""
    texts = (starter_source(), _TEST.format(class_name="Starter"))
    names = {node.id for text in texts for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    return (names - {"Starter"}) | set(arena.__all__)
