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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from itertools import combinations, pairwise
from pathlib import Path
from typing import TextIO

from arena.actions import BEST_ARRANGE, BEST_DEFEND, Action, Discard
from arena.bot import Bot, GameEnd, GameStart
from arena.bots import HOUSE_BOTS, house_source
from arena.cards import Card
from arena.client import LinkedPlayer
from arena.elo import MAX_QUARTERS, SCALE
from arena.events import Event, HandEnded, HandStarted
from arena.legal import Phase
from arena.loader import load_bot
from arena.local import LocalContestant
from arena.record import MatchRecord
from arena.referee import play_match
from arena.rules import CLASSIC
from arena.view import View

ANCHOR = "simple"
ANCHOR_ELO = 1500.0
PRIOR_SD = 300.0
CLOCKED = 2
"""Matches of each bot in which its clock is read."""
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
    seconds: float
    """CPU time of the match: both bots, the engine and the referee."""
    faults: tuple[str, ...]


@dataclass(slots=True)
class Tally:
    """One bot against another, or against all."""

    matches: int = 0
    quarters: int = 0
    won: int = 0
    hands: int = 0
    points: int = 0
    seconds: float = 0.0

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
        self.seconds += outcome.seconds


Tallies = dict[tuple[str, str], Tally]
"""By bot and opponent."""


class DirectPlayer:
    """A house bot that is asked without the protocol between, whose encoding and clock take longer than the play."""

    log = ""
    spent = 0.0
    """Not measured: see `clocked`."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot

    def start(self, start: GameStart) -> None:
        """Seed the bot and tell it that a game begins."""
        self._bot.random.seed(int(start.seed, 16))
        self._bot.start_game(start)

    def decide(self, view: View, events: Sequence[Event]) -> Action:
        """The bot's draw or discard; what it shows and lays off is left to the arena, as all house bots leave it."""
        self._tell(events)
        if view.decision is Phase.ARRANGE:
            return BEST_ARRANGE
        if view.decision is Phase.DEFEND:
            return BEST_DEFEND
        if view.decision is not Phase.DISCARD:
            return self._bot.choose_draw(view)
        choice = self._bot.choose_discard(view)
        return Discard(choice) if isinstance(choice, Card) else choice

    def end(self, end: GameEnd) -> None:
        """Tell the bot how the game ended."""
        self._tell(end.events)
        self._bot.end_game(end)

    def close(self) -> None:
        """There is nothing to end."""

    def _tell(self, events: Sequence[Event]) -> None:
        for event in events:
            if isinstance(event, HandStarted):
                self._bot.start_hand(event)
            elif isinstance(event, HandEnded):
                self._bot.end_hand(event)
            else:
                self._bot.observe(event)


class DirectContestant:
    """Sends a fresh instance to every game."""

    def __init__(self, slug: str) -> None:
        self._slug = slug

    def new_player(self) -> DirectPlayer:
        """A player with an instance of its own."""
        return DirectPlayer(bot_class(self._slug)())


@cache
def bot_class(slug: str) -> type[Bot]:
    """The house bot, loaded from its file as an upload is."""
    return load_bot({"bot.py": house_source(slug)}, "bot.py")


def play(task: Task) -> Outcome:
    """Play a match in this process."""
    began = time.process_time()
    record = play_match(CLASSIC, seed_of(task), DirectContestant(task.a), DirectContestant(task.b))
    seconds = time.process_time() - began
    hands = sum(len(game.hands) for game in record.games)
    return Outcome(task, record.score_quarters(), record.games_won(), hands, record.points(), seconds, _faults(record))


def clocked(task: Task) -> list[float]:
    """The CPU seconds that A is charged with for each game of a match, as the referee's clock counts them."""
    players = []

    class Remembering(LocalContestant):
        def new_player(self) -> LinkedPlayer:
            players.append(super().new_player())
            return players[-1]

    play_match(CLASSIC, seed_of(task), Remembering(bot_class(task.a)), LocalContestant(bot_class(task.b)))
    return [player.spent for player in players]


def seed_of(task: Task) -> bytes:
    """The seed of a match's decks and bots."""
    return sha256(f"{task.seed} {task.a} {task.b} {task.number}".encode()).digest()


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
            whole.seconds += met.seconds
    return whole


def table(tallies: Tallies, cpu: Mapping[str, Sequence[float]]) -> str:
    """The Markdown table, the strongest first; `cpu` holds the seconds of some games of each bot."""
    lines = [
        "| | bot | rating | score | points a hand | CPU s a game | style |",
        "|---:|---|---:|---:|---:|---:|---|",
    ]
    for rank, (slug, (rating, margin)) in enumerate(ranking(tallies), start=1):
        bot, whole = BOTS[slug], total(tallies, slug)
        lines.append(
            f"| {rank} | {bot.name} (`{slug}`) | {rating:.0f} ± {margin:.0f} "
            f"| {whole.quarters / MAX_QUARTERS / whole.matches:.1%} | {whole.points / whole.hands:+.1f} "
            f"| {sum(cpu[slug]) / len(cpu[slug]):.2f} | {bot.description} |"
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
        f"{met.points / met.hands:+.2f} points a hand; {met.seconds / met.games:.3f} CPU seconds a game for both bots "
        "and the referee together."
    )


def page(
    tallies: Tallies, cpu: Mapping[str, Sequence[float]], best: str, met: Tally, options: argparse.Namespace
) -> str:
    """The document."""
    matches = min(total(tallies, slug).matches for slug in BOTS)
    return f"""# The house bots

Fifteen players keep the ladder going, from one that plays anything to one that takes a good bot to beat. Each is one
file in `arena/bots/` that works as an upload: copy one whose style you like, and make it better.

{table(tallies, cpu)}

Every two bots played {options.pairs} mirrored matches, so that each played {matches}: two games of Classic to 100 with
the same decks, the seats swapped. A match gives four quarters: both games won 4, one each 3, 2 or 1 by the points of
both games, none 0. The rating is Bradley-Terry on the quarters, with {BOTS[ANCHOR].name} at {ANCHOR_ELO:.0f}; ± is a
95 % interval. The score is the share of all quarters.

{gaps(tallies)}

{duel(best, ANCHOR, met)}

The CPU seconds of the table are what the bot was charged with, on CPython {platform.python_version()}, for each of
{2 * CLOCKED} games against {BOTS[ANCHOR].name}; its clock holds 10 for a game.
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
    if unknown := {*options.slugs, options.against or ANCHOR} - BOTS.keys():
        parser.error(f"There is no house bot {', '.join(sorted(unknown))}; there are {', '.join(BOTS)}.")
    if options.against:
        met = [(slug, options.against) for slug in options.slugs or BOTS if slug != options.against]
    else:
        met = list(combinations(options.slugs or BOTS, 2))
    tasks = [Task(a, b, number, options.seed) for number in range(options.pairs) for a, b in met]
    tallies = tally(run(tasks, options))
    slugs = sorted({a for a, _ in tallies})
    cpu = {a: [spent for n in range(CLOCKED) for spent in clocked(Task(a, ANCHOR, n, "clock"))] for a in slugs}
    print(table(tallies, cpu))
    if options.against:
        for a, b in met:
            print(duel(a, b, tallies[a, b]))
    if options.slugs or options.against:
        return
    print(gaps(tallies))
    best = next(slug for slug, _ in ranking(tallies) if slug != ANCHOR)
    duels = [Task(best, ANCHOR, number, f"{options.seed} duel") for number in range(options.duel_pairs)]
    alone = tally(run(duels, options))
    print(duel(best, ANCHOR, alone[best, ANCHOR]))
    if options.write:
        options.write.write_text(page(tallies, cpu, best, alone[best, ANCHOR], options), encoding="utf-8")


if __name__ == "__main__":
    main()
