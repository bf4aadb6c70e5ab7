"""Measures the house bots against each other and writes the table of docs/house-bots.md.

    python -m bench.house --jobs 2 --write docs/house-bots.md

Every two bots play mirrored matches: two games to 100 with the same decks, the seats swapped. Ratings are
Bradley-Terry on the matches' scores in quarters (`arena.elo.quarters`), with a normal prior of 300 Elo, shifted so
that Simple has 1500. The strongest then plays Simple alone. The same seed gives the same games, so the table can be
made again; only the CPU times differ.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import platform
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from functools import cache
from hashlib import sha256
from itertools import combinations, pairwise
from pathlib import Path
from typing import TextIO

from arena.bot import Bot
from arena.bots import HOUSE_BOTS, house_source
from arena.client import LinkedPlayer
from arena.elo import MAX_QUARTERS, SCALE
from arena.loader import load_bot
from arena.local import LocalContestant
from arena.record import MatchRecord
from arena.referee import play_match
from arena.rules import CLASSIC

ANCHOR = "simple"
ANCHOR_ELO = 1500.0
PRIOR_SD = 300.0
PER_POINT = math.log(10) / SCALE
"""Natural log-odds of one Elo point."""
BOTS = {bot.slug: bot for bot in HOUSE_BOTS}


@dataclass(frozen=True, slots=True)
class Task:
    """A mirrored match to play."""

    a: str
    b: str
    number: int
    seed: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a match; tuples are of A, then of B."""

    task: Task
    quarters: int
    """A's, of 4."""
    won: tuple[int, int]
    hands: int
    points: tuple[int, int]
    cpu: tuple[tuple[float, ...], tuple[float, ...]]
    """Seconds of each game."""
    faults: tuple[str, ...]


@dataclass(slots=True)
class Tally:
    """One bot against another, or against all."""

    matches: int = 0
    quarters: int = 0
    won: int = 0
    hands: int = 0
    points: int = 0
    cpu: list[float] = field(default_factory=list)

    @property
    def games(self) -> int:
        """Two for each match."""
        return 2 * self.matches

    def add(self, outcome: Outcome, side: int) -> None:
        """Count the match for A (side 0) or for B (1)."""
        self.matches += 1
        self.quarters += outcome.quarters if side == 0 else MAX_QUARTERS - outcome.quarters
        self.won += outcome.won[side]
        self.hands += outcome.hands
        self.points += outcome.points[side] - outcome.points[1 - side]
        self.cpu += outcome.cpu[side]


Tallies = dict[tuple[str, str], Tally]
"""By bot and opponent."""


class TimedContestant(LocalContestant):
    """Keeps its players, which know what they spent."""

    def __init__(self, bot_class: type[Bot]) -> None:
        super().__init__(bot_class)
        self.players: list[LinkedPlayer] = []

    def new_player(self) -> LinkedPlayer:
        """A player, remembered."""
        player = super().new_player()
        self.players.append(player)
        return player


@cache
def bot_class(slug: str) -> type[Bot]:
    """The house bot, loaded from its file as an upload is."""
    return load_bot({"bot.py": house_source(slug)}, "bot.py")


def play(task: Task) -> Outcome:
    """Play a match in this process."""
    a, b = TimedContestant(bot_class(task.a)), TimedContestant(bot_class(task.b))
    seed = sha256(f"{task.seed} {task.a} {task.b} {task.number}".encode()).digest()
    record = play_match(CLASSIC, seed, a, b)
    spent = (tuple(player.spent for player in a.players), tuple(player.spent for player in b.players))
    hands = sum(len(game.hands) for game in record.games)
    return Outcome(task, record.score_quarters(), record.games_won(), hands, record.points(), spent, _faults(record))


def _faults(record: MatchRecord) -> tuple[str, ...]:
    return tuple(fault.message for game in record.games for fault in game.faults)


def run(tasks: Sequence[Task], options: argparse.Namespace) -> Iterator[Outcome]:
    """Play the matches in any order, those kept of an earlier run excepted. Raises RuntimeError when a bot faults."""
    began = time.perf_counter()
    kept = _kept(options.keep)
    yield from (kept[task] for task in tasks if task in kept)
    missing = [task for task in tasks if task not in kept]
    with multiprocessing.Pool(options.jobs) as pool, _appended(options.keep) as file:
        for count, outcome in enumerate(pool.imap_unordered(play, missing, chunksize=2), start=1):
            if outcome.faults:
                raise RuntimeError(f"{outcome.task.a} v {outcome.task.b}: {outcome.faults[0]}")
            if file is not None:
                file.write(json.dumps(asdict(outcome)) + "\n")
                file.flush()
            yield outcome
            if count % 200 == 0:
                print(f"{count} of {len(missing)} matches, {time.perf_counter() - began:.0f} s", flush=True)


def _appended(path: Path | None) -> AbstractContextManager[TextIO | None]:
    return nullcontext() if path is None else path.open("a", encoding="utf-8")


def _kept(path: Path | None) -> dict[Task, Outcome]:
    if path is None or not path.exists():
        return {}
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    outcomes = [Outcome(**row | {"task": Task(**row["task"])}) for row in rows]
    return {outcome.task: outcome for outcome in outcomes}


def tally(outcomes: Iterable[Outcome]) -> Tallies:
    """Count the matches, for both sides."""
    tallies: Tallies = defaultdict(Tally)
    for outcome in outcomes:
        a, b = outcome.task.a, outcome.task.b
        tallies[a, b].add(outcome, 0)
        tallies[b, a].add(outcome, 1)
    return tallies


def bradley_terry(tallies: Tallies) -> dict[str, tuple[float, float]]:
    """Each bot's rating and the half width of its 95 % interval, in Elo points.

    The most likely ratings for scores between 0 and 1 per match, by Newton steps on one rating at a time.
    The intervals take a match for one game with two outcomes; a pair tells more, so they are on the wide side.
    """
    slugs = sorted({a for a, _ in tallies})
    ratings = dict.fromkeys(slugs, 0.0)
    information = dict.fromkeys(slugs, 0.0)
    for _ in range(500):
        for a in slugs:
            slope, bend = -ratings[a] / PRIOR_SD**2, 1 / PRIOR_SD**2
            for b in slugs:
                if (met := tallies.get((a, b))) is not None:
                    expected = 1 / (1 + math.exp(PER_POINT * (ratings[b] - ratings[a])))
                    slope += PER_POINT * (met.quarters / MAX_QUARTERS - met.matches * expected)
                    bend += PER_POINT**2 * met.matches * expected * (1 - expected)
            ratings[a] += slope / bend
            information[a] = bend
    shift = ANCHOR_ELO - ratings.get(ANCHOR, 0.0)
    return {slug: (ratings[slug] + shift, 1.96 / math.sqrt(information[slug])) for slug in slugs}


def total(tallies: Tallies, slug: str) -> Tally:
    """The bot against all."""
    whole = Tally()
    for (a, _), met in tallies.items():
        if a == slug:
            whole.matches += met.matches
            whole.quarters += met.quarters
            whole.won += met.won
            whole.hands += met.hands
            whole.points += met.points
            whole.cpu += met.cpu
    return whole


def table(tallies: Tallies) -> str:
    """The Markdown table, the strongest first."""
    lines = [
        "| | bot | rating | score | points a hand | CPU s a game, mean / most | style |",
        "|---:|---|---:|---:|---:|---:|---|",
    ]
    for rank, (slug, (rating, margin)) in enumerate(ranking(tallies), start=1):
        bot, whole = BOTS[slug], total(tallies, slug)
        lines.append(
            f"| {rank} | {bot.name} (`{slug}`) | {rating:.0f} ± {margin:.0f} "
            f"| {whole.quarters / MAX_QUARTERS / whole.matches:.1%} | {whole.points / whole.hands:+.1f} "
            f"| {sum(whole.cpu) / whole.games:.3f} / {max(whole.cpu):.2f} | {bot.description} |"
        )
    return "\n".join(lines)


def ranking(tallies: Tallies) -> list[tuple[str, tuple[float, float]]]:
    """Slugs with ratings and margins, the strongest first."""
    return sorted(bradley_terry(tallies).items(), key=lambda item: -item[1][0])


def gaps(tallies: Tallies) -> str:
    """One sentence about how even the ladder of bots is."""
    order = [rating for _, (rating, _) in ranking(tallies)]
    steps = [above - below for above, below in pairwise(order)]
    return (
        f"From first to last it is {order[0] - order[-1]:.0f} Elo; "
        f"between neighbours from rank 3 to rank 13 at most {max(steps[2:12], default=0):.0f}."
    )


def duel(a: str, b: str, met: Tally) -> str:
    """One sentence about two bots that met often."""
    rate = met.won / met.games
    margin = 1.96 * math.sqrt(rate * (1 - rate) / met.games)
    return (
        f"{BOTS[a].name} against {BOTS[b].name}: {met.won} of {met.games} games won, {rate:.1%} ± {margin:.1%}, "
        f"{met.points / met.hands:+.2f} points a hand, {sum(met.cpu) / met.games:.3f} CPU seconds a game "
        f"(at most {max(met.cpu):.2f})."
    )


def page(tallies: Tallies, best: str, met: Tally, options: argparse.Namespace) -> str:
    """The document."""
    matches = min(total(tallies, slug).matches for slug in BOTS)
    return f"""# The house bots

Fifteen players keep the ladder going, from one that plays anything to one that takes a good bot to beat. Each is one
file in `arena/bots/` that works as an upload: copy one whose style you like, and make it better.

{table(tallies)}

Every two bots played {options.pairs} mirrored matches, so that each played {matches}: two games of Classic to 100 with
the same decks, the seats swapped. A match gives four quarters: both games won 4, one each 3, 2 or 1 by the points of
both games, none 0. The rating is Bradley-Terry on the quarters, with {BOTS[ANCHOR].name} at {ANCHOR_ELO:.0f}; ± is a
95 % interval. The score is the share of all quarters.

{gaps(tallies)}

{duel(best, ANCHOR, met)}

CPU seconds are those of CPython {platform.python_version()} for the bot's own decisions; its clock holds 10 for a game.
The page is made by

```
{command(options)}
```
"""


def command(options: argparse.Namespace) -> str:
    """The command line that makes the same games."""
    return (
        f"python -m bench.house --pairs {options.pairs} --duel-pairs {options.duel_pairs} --seed {options.seed} "
        "--jobs 2 --write docs/house-bots.md"
    )


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.house", description=__doc__)
    parser.add_argument("slugs", nargs="*", metavar="SLUG", help="only these bots, with no duel and no page")
    parser.add_argument("--pairs", type=int, default=22, help="mirrored matches of every two bots (default 22)")
    parser.add_argument("--duel-pairs", type=int, default=500, help="of the strongest and Simple (default 500)")
    parser.add_argument("--against", metavar="SLUG", help="play the bots against this one alone")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", default="house")
    parser.add_argument(
        "--keep", type=Path, metavar="FILE", help="keep each match here; a run that was stopped goes on"
    )
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the page here")
    options = parser.parse_args()
    if options.against:
        met = [(slug, options.against) for slug in options.slugs]
    else:
        met = list(combinations(options.slugs or BOTS, 2))
    tasks = [Task(a, b, number, options.seed) for number in range(options.pairs) for a, b in met]
    tallies = tally(run(tasks, options))
    print(table(tallies))
    if options.against:
        for a, b in met:
            print(duel(a, b, tallies[a, b]))
    if options.slugs:
        return
    print(gaps(tallies))
    best = next(slug for slug, _ in ranking(tallies) if slug != ANCHOR)
    duels = [Task(best, ANCHOR, number, f"{options.seed} duel") for number in range(options.duel_pairs)]
    alone = tally(run(duels, options))
    print(duel(best, ANCHOR, alone[best, ANCHOR]))
    if options.write:
        options.write.write_text(page(tallies, best, alone[best, ANCHOR], options), encoding="utf-8")


if __name__ == "__main__":
    main()
