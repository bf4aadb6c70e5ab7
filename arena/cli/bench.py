"""`arena bench`: how many hands a second this machine plays, by itself and with a bot.

The engine's number is of random moves with nobody asked; in the others every decision is asked and answered as in a
match, in this process.
"""

from __future__ import annotations

import argparse
import platform
import random
import time
from collections.abc import Callable

from arena.cli.bots import BOT_HELP, NamedBot, find_bot, refuse_unloadable
from arena.cli.options import rules_by_name
from arena.cli.terminal import UsageError, number_from, table
from arena.cli.timing import Timed, Timing
from arena.game import Game
from arena.referee import play_game
from arena.rules import Rules


def add(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("bot", metavar="BOT", nargs="?", help=f"{BOT_HELP}; it plays house:simple")
    parser.add_argument("--rules", metavar="NAME", type=rules_by_name, default="classic", help="the rule set")
    parser.add_argument(
        "--seconds",
        metavar="N",
        type=number_from(1, 600, "a number of seconds"),
        default=3,
        help="for each measurement (default 3)",
    )


def run(options: argparse.Namespace) -> int:
    """Measure and print. Raises UsageError."""
    simple = find_bot("house:simple")
    bot = find_bot(options.bot) if options.bot is not None else None
    if bot and (refusal := refuse_unloadable(bot)):
        raise UsageError(refusal)
    rows = [["", "hands a second", "ms a decision"], _engine(options.rules, options.seconds)]
    rows += [_match(one, simple, options.rules, options.seconds) for one in (simple, bot) if one]
    print(f"Python {platform.python_version()} on {platform.system()} {platform.machine()}")
    print(table(rows))
    return 0


def _engine(rules: Rules, seconds: float) -> list[str]:
    chance = random.Random(1)
    moves = 0

    def play(number: int) -> int:
        nonlocal moves
        game = Game(rules, _seed(number))
        while not game.is_over:
            game.apply(chance.choice(game.hand.legal_actions()))
            moves += 1
        return game.hands_played

    hands, taken = _repeated(play, seconds)
    return ["engine, random moves", f"{hands / taken:.0f}", f"{1000 * taken / moves:.4f}"]


def _match(bot: NamedBot, opponent: NamedBot, rules: Rules, seconds: float) -> list[str]:
    """The row of a bot: hands with all that belongs to them, and the time of its own decisions."""
    timing = Timing()

    def play(number: int) -> int:
        record = play_game(rules, _seed(number), (Timed(bot, timing), opponent.contestant()))
        return len(record.hands)

    hands, taken = _repeated(play, seconds)
    each = 1000 * timing.seconds / max(1, timing.decisions)
    return [f"{bot.name} v {opponent.name}", f"{hands / taken:.0f}", f"{each:.4f}"]


def _seed(number: int) -> bytes:
    return number.to_bytes(16, "big")


def _repeated(play: Callable[[int], int], seconds: float) -> tuple[int, float]:
    """The hands of as many games as begin within these CPU seconds, and the seconds that they took."""
    hands = number = 0
    began = time.process_time()
    while (taken := time.process_time() - began) < seconds:
        hands += play(number)
        number += 1
    return hands, taken
