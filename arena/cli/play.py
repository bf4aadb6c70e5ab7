"""`arena play`: two bots against each other, over many mirrored pairs.

Both games of a pair have the same decks and the seats swapped, so the pair is the unit: its games lean on each other,
and an interval that took them for independent would not be true.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from dataclasses import dataclass, field
from pathlib import Path

from arena import clock
from arena.cli.bots import BOT_HELP, find_bot
from arena.cli.options import add_play_options, seed_of
from arena.cli.pool import Fixture, Pair, play_out
from arena.cli.terminal import BOLD, UsageError, paint, path_from, plain, table
from arena.cli.timing import Timing
from arena.record import GameRecord, MatchRecord

Z = 1.96
"""Standard deviations to either side that hold 95 % of a normal distribution."""
_SHOWN_FAULTS = 3


def add(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("a", metavar="A", help=BOT_HELP)
    parser.add_argument("b", metavar="B", help="the other bot")
    add_play_options(parser, pairs=50, pairs_help="mirrored pairs to play")
    parser.add_argument(
        "--save", metavar="FILE", type=path_from, help="write the record, for `arena replay` and `debug`"
    )


def run(options: argparse.Namespace) -> int:
    """Play and report; what is done so far after Ctrl-C. Raises UsageError."""
    bots = [find_bot(options.a), find_bot(options.b)]
    a, b = (bot.name for bot in bots)
    names = (a, b if a != b else f"{b} (2)")
    if options.save:
        _refuse_unwritable(options.save)
    seed_text, seed = seed_of(options.seed)
    result = Result(names)
    began = time.monotonic()

    def take(pair: Pair) -> str:
        result.add(pair)
        return f"{names[0]} {win_rate(result.scores()).rate:.1%}"

    status = play_out(bots, [Fixture(0, 1, number) for number in range(options.pairs)], options, seed, take)
    if result.pairs:
        try:
            print(f"{options.rules.name}, seed {plain(seed_text)}, {time.monotonic() - began:.1f} s")
            print(result.report(), flush=True)
        finally:  # whoever reads the report may have gone
            if options.save:
                _save(options.save, MatchRecord(options.rules, seed, result.games()))
    return status


@dataclass(frozen=True)
class Rate:
    """A share of games won, with the ends of its 95 % interval."""

    rate: float
    low: float
    high: float


def win_rate(scores: list[float]) -> Rate:
    """The share of games won, given the games won in each pair (0 to 2, a draw counting half).

    The interval is the normal one for the mean of the pairs after adding one pair won and one pair lost, which keeps it
    honest when there are few pairs or all of them end alike (Agresti and Coull, 1998, who add two of each to games).
    """
    shares = [score / 2 for score in scores]
    widened = [*shares, 0.0, 1.0]
    count = len(widened)
    middle = sum(widened) / count
    variance = sum((share - middle) ** 2 for share in widened) / (count - 1)
    margin = Z * math.sqrt(variance / count)
    return Rate(sum(shares) / len(shares), max(0.0, middle - margin), min(1.0, middle + margin))


@dataclass
class Result:
    """The pairs played so far between A and B."""

    names: tuple[str, str]
    pairs: list[Pair] = field(default_factory=list)

    def add(self, pair: Pair) -> None:
        """Take a pair in."""
        self.pairs.append(pair)

    def scores(self) -> list[float]:
        """A's games won in each pair."""
        return [pair.score(0) for pair in self.pairs]

    def games(self) -> tuple[GameRecord, ...]:
        """The games in order, as far as no pair is missing."""
        in_order = sorted(self.pairs, key=lambda pair: pair.fixture.number)
        whole = [pair for place, pair in enumerate(in_order) if pair.fixture.number == place]
        return tuple(game for pair in whole for game in pair.games)

    def report(self) -> str:
        """Who won how much, by how sure a margin, and how each played."""
        scores = self.scores()
        rate = win_rate(scores)
        games = 2 * len(scores)
        drawn = sum(game.winner is None for pair in self.pairs for game in pair.games)
        won = [sum(game.score().winner == side for pair in self.pairs for game in pair.games) for side in (0, 1)]
        better, worse = sum(score > 1 for score in scores), sum(score < 1 for score in scores)
        return "\n".join(
            (
                paint(f"{self.names[0]} won {won[0]} of {games} games, {self.names[1]} {won[1]}, {drawn} drawn", BOLD),
                f"{self.names[0]}: {rate.rate:.1%} of the games, 95 % interval {rate.low:.1%} to {rate.high:.1%}",
                f"pairs: {better} won, {len(scores) - better - worse} even, {worse} lost",
                "",
                table(self._columns()),
                *self._told_faults(),
            )
        )

    def _columns(self) -> list[list[str]]:
        """A row for each number, a column for each bot."""
        hands = max(1, sum(pair.hands for pair in self.pairs))
        timings = [Timing(), Timing()]
        for pair in self.pairs:
            for timing, of_pair in zip(timings, pair.timings, strict=True):
                timing.add(of_pair)
        points = [sum(pair.points(side) for pair in self.pairs) for side in (0, 1)]
        faults = [sum(pair.faults(side) for pair in self.pairs) for side in (0, 1)]
        return [
            [f"{hands} hands", *self.names],
            ["points a hand", *(f"{of_side / hands:.2f}" for of_side in points)],
            ["ms a decision", *(f"{1000 * t.seconds / max(1, t.decisions):.2f}" for t in timings)],
            ["longest, ms", *(f"{1000 * timing.longest_decision:.1f}" for timing in timings)],
            ["longest game, s", *(f"{timing.longest_game:.2f}" for timing in timings)],
            ["forfeits", *map(str, faults)],
        ]

    def _told_faults(self) -> list[str]:
        """The first forfeits with their tracebacks, and what the site's clock would not allow."""
        told = []
        for pair in sorted(self.pairs, key=lambda pair: pair.fixture.number):
            for game in pair.games:
                for fault in game.faults:
                    who = self.names[game.side_of(fault.seat)]
                    words = plain(f"{fault.message}\n{fault.traceback}".rstrip())
                    told.append(f"\n{who} forfeits game {game.number + 1}: {words}")
        more = len(told) - _SHOWN_FAULTS
        lines = told[:_SHOWN_FAULTS] + ([f"\n... and {more} more forfeits"] if more > 0 else [])
        for side, name in enumerate(self.names):
            longest = max(pair.timings[side].longest_decision for pair in self.pairs)
            whole = max(pair.timings[side].longest_game for pair in self.pairs)
            if longest > clock.DECISION_SECONDS or whole > clock.GAME_SECONDS:
                limits = f"{clock.DECISION_SECONDS:g} s a decision and {clock.GAME_SECONDS:g} s a game"
                lines.append(f"\n{name} would forfeit games on the site: its limits are {limits}.")
        return lines


def _refuse_unwritable(path: Path) -> None:
    """Before anything is played for a record that could not be kept. Raises UsageError."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder: name a file to save the record in.")
    if not path.parent.is_dir():
        raise UsageError(f"The record cannot be saved in {path}: there is no folder {path.parent}.")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UsageError(f"The record cannot be saved in {path}: you may not write there.")


def _save(path: Path, record: MatchRecord) -> None:
    try:
        path.write_bytes(record.to_bytes())
    except OSError as error:
        raise UsageError(f"The record cannot be saved in {path}: {error.strerror or error}.") from None
    print(f"The record of {len(record.games)} games is in {path}.")
