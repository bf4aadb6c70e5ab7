"""The author's tool: `python -m arena play A B` plays two bots in this process with the ladder's own referee."""

from __future__ import annotations

import argparse
import math
import secrets
import signal
import sys
import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from arena.bots import HOUSE_BOTS, house_source
from arena.local import UploadContestant
from arena.player import BotFault
from arena.record import MatchRecord
from arena.referee import play_match
from arena.rules import RULE_SETS

HOUSE = "house:"
Z = 1.96
"""Standard deviations to either side that hold 95 % of a normal distribution."""


class UsageError(Exception):
    """What the user asked for cannot be done; the message says why."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line. Exits with status 2 after one sentence when the input is wrong."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # else a bot would be blamed for Ctrl-C
    parser = argparse.ArgumentParser(prog="python -m arena", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    play = commands.add_parser("play", help="play two bots against each other")
    play.add_argument("a", metavar="A", help="a bot's file, the folder of its bot.py, or house:NAME")
    play.add_argument("b", metavar="B", help="the other bot")
    play.add_argument("-n", "--pairs", type=_positive, default=20, help="mirrored pairs to play (default 20)")
    play.add_argument("--seed", help="any text; the same seed gives the same games")
    play.add_argument("--rules", choices=sorted(RULE_SETS), default="classic", help="the rule set (default classic)")
    options = parser.parse_args(arguments)
    try:
        _play(options.a, options.b, options.pairs, options.seed, options.rules)
    except UsageError as error:
        parser.exit(2, f"{error}\n")


def _play(a: str, b: str, pairs: int, seed: str | None, rules: str) -> None:
    contestants = [_contestant(name) for name in (a, b)]
    key = sha256((seed if seed is not None else secrets.token_hex()).encode()).digest()
    began = time.perf_counter()
    record = play_match(RULE_SETS[rules], key, *contestants, pairs=pairs)
    _report(a, b, record, time.perf_counter() - began)


def _contestant(name: str) -> UploadContestant:
    """The named bot, loaded once to see that it can be. Raises UsageError."""
    if name.startswith(HOUSE):
        try:
            files = {"bot.py": house_source(name.removeprefix(HOUSE))}
        except KeyError:
            known = ", ".join(HOUSE + bot.slug for bot in HOUSE_BOTS)
            raise UsageError(f"There is no house bot {name}; there are {known}.") from None
        entry = "bot.py"
    else:
        path = Path(name)
        entry = "bot.py" if path.is_dir() else path.name
        try:
            files = _files(path)
        except OSError as error:
            raise UsageError(f"{name} cannot be read: {error.strerror}.") from None
        except UnicodeDecodeError as error:
            raise UsageError(f"{name} is not UTF-8 text, so it is no Python source: {error.reason}.") from None
    contestant = UploadContestant(files, entry)
    try:
        contestant.new_player().load()
    except BotFault as fault:
        raise UsageError(f"{fault.message}\n{fault.traceback}".rstrip()) from None
    return contestant


def _files(path: Path) -> dict[str, str]:
    """A file by its name, or the modules of a folder by their paths in it."""
    if not path.is_dir():
        return {path.name: path.read_text(encoding="utf-8")}
    return {file.relative_to(path).as_posix(): file.read_text(encoding="utf-8") for file in path.rglob("*.py")}


def _report(a: str, b: str, record: MatchRecord, seconds: float) -> None:
    for game in record.games:
        for fault in game.faults:
            who = (a, b)[game.side_of(fault.seat)]
            print(f"{who} forfeits game {game.number + 1}: {fault.message}", fault.traceback, sep="\n", file=sys.stderr)
    won_a, won_b = record.games_won()
    games = len(record.games)
    rate, low, high = win_rate(won_a, games - won_a - won_b, games)
    hands = sum(len(game.hands) for game in record.games)
    points_a, points_b = record.points()
    print(f"{a} won {won_a}, {b} won {won_b}, {games - won_a - won_b} drawn")
    print(f"{a}: {rate:.1%} of the games, 95 % interval {low:.1%} to {high:.1%}")
    print(f"points a hand: {a} {points_a / hands:.2f}, {b} {points_b / hands:.2f} ({hands} hands)")
    print(f"{seconds:.1f} seconds")


def win_rate(won: int, drawn: int, games: int) -> tuple[float, float, float]:
    """The rate, a draw counting half, and the ends of its 95 % interval (Wilson's, for independent games)."""
    rate = (won + drawn / 2) / games
    weight = Z * Z / games
    middle = rate + weight / 2
    margin = Z * math.sqrt(rate * (1 - rate) / games + weight / games / 4)
    return rate, (middle - margin) / (1 + weight), (middle + margin) / (1 + weight)


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 0 < int(text) <= 100_000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of pairs from 1 to 100000.")
    return int(text)
