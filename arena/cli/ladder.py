"""`arena ladder`: everybody in a folder and some house bots against everybody, with ratings.

Each round is one mirrored pair of every two bots, all on the same decks, so what is done when it is stopped is a fair
part of the whole. Ratings are the most likely ones under Elo's model (Bradley and Terry, 1952), on average 1500. How
sure they are is judged by the pairs, not by the games of the model, because the two games of a pair lean on each other.
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Sequence
from pathlib import Path

from arena.bots import HOUSE_BOTS
from arena.cli.bots import NamedBot, find_bot, house_bot
from arena.cli.options import add_play_options, seed_of
from arena.cli.pool import Fixture, Pair, play_out
from arena.cli.terminal import UsageError, path_from, plain, table
from arena.cli.timing import Timing
from arena.elo import SCALE, START_MILLI

ANCHORS = ("novice", "simple", "sharp")
"""A beginner, a club player and an expert: enough to see where a bot stands, in a fraction of the time of them all."""
_ROUNDS = 10_000
_CLOSE = 1e-9
_Z = 1.96


def add(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument(
        "folder", metavar="DIR", type=path_from, help="a folder of .py files, .zips and folders with a bot.py"
    )
    parser.add_argument(
        "--house",
        metavar="NAMES",
        default=",".join(ANCHORS),
        help=f"house bots to meet: all, none, or some by name (default {','.join(ANCHORS)})",
    )
    add_play_options(parser, pairs=4, pairs_help="mirrored pairs of every two bots")


def run(options: argparse.Namespace) -> int:
    """Play and report; what is done so far after Ctrl-C. Raises UsageError."""
    bots = [*_own(options.folder), *_house(options.house)]
    if len(bots) < 2:
        raise UsageError("A ladder has at least two bots: put more into the folder, or let house bots in.")
    seed_text, seed = seed_of(options.seed)
    meetings = list(itertools.combinations(range(len(bots)), 2))
    fixtures = [Fixture(a, b, number) for number in range(options.pairs) for a, b in meetings]
    pairs: list[Pair] = []

    def take(pair: Pair) -> str:
        pairs.append(pair)
        return ""

    status = play_out(bots, fixtures, options, seed, take)
    if pairs:
        print(f"{options.rules.name}, seed {plain(seed_text)}, {len(pairs)} mirrored pairs")
        print(_standings([bot.name for bot in bots], pairs))
    return status


def fit_ratings(count: int, results: Sequence[tuple[int, int, float, int]]) -> list[tuple[float, float]]:
    """Ratings and the half widths of their 95 % intervals, in Elo points, of that many players.

    A result is two players, the games that the first won of those they played, and how many those were; the games of
    one result may lean on each other, results may not. Each player is given two more games, one won and one lost,
    against an average one: without them whoever won all would be infinitely strong. The strengths are found by Hunter's
    iteration (2004). The intervals are those of the sandwich estimator (White, 1982), for ratings as measured from
    their average.
    """
    won = [1.0] * count
    played = [[0.0] * count for _ in range(count)]
    for a, b, score, games in results:
        won[a] += score
        won[b] += games - score
        played[a][b] += games
        played[b][a] += games
    strengths = [1.0] * count
    for _ in range(_ROUNDS):
        new = []
        for me in range(count):
            weight = 2 / (strengths[me] + 1)
            weight += sum(games / (strengths[me] + other) for games, other in zip(played[me], strengths, strict=True))
            new.append(won[me] / weight)
        moved = max(abs(math.log(after / before)) for after, before in zip(new, strengths, strict=True))
        strengths = new
        if moved < _CLOSE:
            break
    points = [SCALE * math.log10(strength) for strength in strengths]
    shift = START_MILLI / 1000 - sum(points) / count
    margins = [_Z * SCALE / math.log(10) * error for error in _standard_errors(strengths, results)]
    return [(rating + shift, margin) for rating, margin in zip(points, margins, strict=True)]


def _standard_errors(strengths: Sequence[float], results: Sequence[tuple[int, int, float, int]]) -> list[float]:
    """The standard error of the logarithm of each strength, as measured from their average.

    The strengths were fitted to the results, which are nearer to them for that; where results are few it shows.
    """
    count = len(strengths)
    few = len(results) / max(1, len(results) - count + 1)
    shares = [strength / (strength + 1) for strength in strengths]  # of the two games more
    information = [[2 * shares[me] * (1 - shares[me]) * (me == other) for other in range(count)] for me in range(count)]
    misses = []
    for a, b, score, games in results:
        share = strengths[a] / (strengths[a] + strengths[b])
        misses.append((a, b, few * (score - games * share) ** 2))
        for me, other in ((a, b), (b, a)):
            information[me][me] += games * share * (1 - share)
            information[me][other] -= games * share * (1 - share)
    inverse = _inverse(information)
    average = [sum(column) / count for column in zip(*inverse, strict=True)]
    errors = []
    for row in inverse:
        pulls = [own - common for own, common in zip(row, average, strict=True)]
        variance = sum(miss * (pulls[a] - pulls[b]) ** 2 for a, b, miss in misses)
        variance += sum(pull**2 * (share**2 + (1 - share) ** 2) for pull, share in zip(pulls, shares, strict=True))
        errors.append(math.sqrt(variance))
    return errors


def _inverse(matrix: Sequence[Sequence[float]]) -> list[list[float]]:
    """Gauss and Jordan's elimination, without pivots: an information matrix is positive definite."""
    count = len(matrix)
    rows = [[*row, *(float(me == other) for other in range(count))] for me, row in enumerate(matrix)]
    for me in range(count):
        rows[me] = [value / rows[me][me] for value in rows[me]]
        for other in range(count):
            if other != me:
                factor = rows[other][me]
                rows[other] = [value - factor * mine for value, mine in zip(rows[other], rows[me], strict=True)]
    return [row[count:] for row in rows]


def _own(folder: Path) -> list[NamedBot]:
    """Every bot in the folder, by its name there."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder: name one that holds your bots.")
    found = []
    for path in sorted(folder.iterdir()):
        is_bot = path.suffix in (".py", ".zip") if path.is_file() else (path / "bot.py").is_file()
        if is_bot and not path.name.startswith((".", "test_", "__")):
            found.append(find_bot(str(path)))
    return found


def _house(names: str) -> list[NamedBot]:
    if names == "none":
        return []
    slugs = [bot.slug for bot in HOUSE_BOTS] if names == "all" else [name.strip() for name in names.split(",")]
    return [house_bot(slug) for slug in dict.fromkeys(slugs)]


def _standings(names: Sequence[str], pairs: Sequence[Pair]) -> str:
    """A table, the strongest first."""
    results = [(pair.fixture.a, pair.fixture.b, pair.score(0), len(pair.games)) for pair in pairs]
    ratings = fit_ratings(len(names), results)
    rows = [["", "bot", "rating", "+-", "games", "won", "points a hand", "ms a decision", "forfeits"]]
    order = sorted(range(len(names)), key=lambda place: -ratings[place][0])
    for rank, me in enumerate(order, 1):
        mine = [(pair, side) for pair in pairs for side in (0, 1) if pair.fixture[side] == me]
        games = sum(len(pair.games) for pair, _ in mine)
        hands = max(1, sum(pair.hands for pair, _ in mine))
        gained = sum(pair.points(side) - pair.points(1 - side) for pair, side in mine)
        timing = Timing()
        for pair, side in mine:
            timing.add(pair.timings[side])
        rating, margin = ratings[me]
        share = sum(pair.score(side) for pair, side in mine) / games if games else 0.0
        rows.append(
            [
                str(rank),
                names[me],
                f"{rating:.0f}",
                f"{margin:.0f}",
                str(games),
                f"{share:.0%}",
                f"{gained / hands:+.2f}",
                f"{1000 * timing.seconds / max(1, timing.decisions):.2f}",
                str(sum(pair.faults(side) for pair, side in mine)),
            ]
        )
    return table(rows, left=2)
