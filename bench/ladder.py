"""How fast a ladder finds the true order: this arena's pairing and rating beside plain Elo with random opponents.

    python -m bench.ladder              simulated bots; every goal with "ok" or "MISSED"; some two minutes
    python -m bench.ladder --house      the house bots really play; some minutes

The simulated matches follow a model fitted to the play of thirty Gin Rummy bots (`Truth.score`). Pairing and rating are
`arena.pairing` and `arena.elo` themselves, as the site runs them; plain Elo has K = 8 and draws two bots at random. The
exit status is 1 when a goal is missed.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np

from arena import elo
from arena.pairing import Candidate, pairings
from bench import house

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "platform"))

from ladder.bradley_terry import NORMAL_95, Floats, Pairs, covariance, estimate  # noqa: E402
from ladder.fold import Entry, Result, fold  # noqa: E402

BOTS = 100
TRUE_SD = 200.0
STYLE_SD = 20.0
"""Of each pair's own noise: strength is not transitive."""
AHEAD = 10
"""Matches that are paired before the first of them is rated, as on the site, where several are played at once."""
PLAIN_K = 8.0
MATCHES = (20, 50, 100)
NEWCOMERS, WAVES = 5, 8
"""How many enter a settled ladder together, and how often."""
NEW_AFTER = (10, 20)
REFOLDED = 200_000

Pair = tuple[int, int]


class Truth:
    """Bots with known strengths, and what comes of a match between two of them."""

    def __init__(self, bots: int, rng: Random) -> None:
        self.rng = rng
        self.elo = np.array([rng.gauss(0, TRUE_SD) for _ in range(bots)])
        self._style: dict[Pair, float] = {}

    def score(self, a: int, b: int) -> int:
        """A's quarters in a mirrored match: games won p^2 + rho p q of the time, and shared ones by their points."""
        low, high = min(a, b), max(a, b)
        if (low, high) not in self._style:
            self._style[low, high] = self.rng.gauss(0, STYLE_SD)
        ahead = self.elo[low] - self.elo[high] + self._style[low, high]
        p = 1 / (1 + 10 ** (-ahead / 400))
        q = 1 - p
        rho = -0.40 * (4 * p * q) ** 2
        drawn = self.rng.random()
        if drawn < p * p + rho * p * q:
            quarters = 4
        elif drawn < p * p + q * q + 2 * rho * p * q:
            quarters = 0
        else:
            quarters = 3 if self.rng.random() < 1 / (1 + math.exp(-1.15 * math.log(p / q))) else 1
        return quarters if a == low else 4 - quarters


@dataclass
class Ladder:
    """Ratings in milli-Elo, and everything that was played."""

    milli: list[int]
    games: list[int]
    results: list[tuple[int, int, int]] = field(default_factory=list)
    met: dict[int, Counter[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, bots: int) -> Ladder:
        return cls([elo.START_MILLI] * bots, [0] * bots)

    def enter(self, count: int) -> None:
        self.milli += [elo.START_MILLI] * count
        self.games += [0] * count

    def play(self, pair: Pair, quarters: int, rate: Rating) -> None:
        a, b = pair
        da, db = rate(self.milli[a], self.games[a], self.milli[b], self.games[b], quarters)
        self.milli[a] += da
        self.milli[b] += db
        self.games[a] += 1
        self.games[b] += 1
        self.met.setdefault(a, Counter())[b] += 1
        self.met.setdefault(b, Counter())[a] += 1
        self.results.append((a, b, quarters))


Rating = Callable[[int, int, int, int, int], tuple[int, int]]
Pairing = Callable[[Ladder, Random], Iterator[Pair]]


@dataclass(frozen=True)
class System:
    """A way to pair and to rate."""

    name: str
    pair: Pairing
    rate: Rating


def arena_pairs(ladder: Ladder, rng: Random) -> Iterator[Pair]:
    """What the site's scheduler asks `arena.pairing` for; every bot has an owner of its own."""
    candidates = [Candidate(n, n, ladder.milli[n], ladder.games[n]) for n in range(len(ladder.milli))]
    return pairings(candidates, lambda bot: ladder.met.get(bot, {}), rng)


def random_pairs(ladder: Ladder, rng: Random) -> Iterator[Pair]:
    while True:
        a, b = rng.sample(range(len(ladder.milli)), 2)
        yield a, b


def plain_rate(a_milli: int, a_matches: int, b_milli: int, b_matches: int, quarters: int) -> tuple[int, int]:
    surprise = quarters / elo.MAX_QUARTERS - elo.expected_score(a_milli, b_milli)
    return round(1000 * PLAIN_K * surprise), round(-1000 * PLAIN_K * surprise)


ARENA = System("the arena", arena_pairs, elo.rate)
PLAIN = System("plain Elo", random_pairs, plain_rate)


def advance(ladder: Ladder, truth: Truth, system: System, matches: int, rng: Random) -> None:
    """Plays on, AHEAD matches at a time."""
    while matches > 0:
        for pair in list(islice(system.pair(ladder, rng), min(AHEAD, matches))):
            ladder.play(pair, truth.score(*pair), system.rate)
            matches -= 1


def tau(a: Sequence[float] | Floats, b: Sequence[float] | Floats) -> float:
    """Kendall's rank correlation of two rows without ties."""
    above = np.triu_indices(len(a), 1)
    differences = [np.sign(np.subtract.outer(row, row))[above] for row in (np.asarray(a), np.asarray(b))]
    return float(np.mean(differences[0] * differences[1]))


@dataclass
class Run:
    """One simulated ladder."""

    taus: list[float]
    """After every two matches a bot."""
    newcomers: dict[int, list[float]]
    """By matches played: how many ranks off, as a share of the ladder."""
    separated: int
    wrong: int
    """Of the pairs that Bradley-Terry separates at 95 %."""
    covered: float
    """The share of the intervals that hold the bot's true place."""


def run(seed: int, system: System) -> Run:
    rng = Random(f"{seed} {system.name}")
    truth, ladder = Truth(BOTS, Random(seed)), Ladder.of(BOTS)
    most = max(MATCHES) if system == ARENA else 2 * max(MATCHES)
    taus = []
    separated, wrong = 0, 0
    covered: list[float] = []
    for matches in range(2, most + 1, 2):
        advance(ladder, truth, system, BOTS, rng)
        taus.append(tau(ladder.milli, truth.elo))
        if matches in MATCHES and system == ARENA:
            split, bad, share = judged(ladder, truth)
            separated, wrong, covered = separated + split, wrong + bad, [*covered, share]
    off: dict[int, list[float]] = {after: [] for after in NEW_AFTER}
    for _ in range(WAVES):
        for after, errors in welcome(ladder, truth, system, rng).items():
            off[after] += errors
    return Run(taus, off, separated, wrong, float(np.mean(covered)) if covered else math.nan)


def welcome(ladder: Ladder, truth: Truth, system: System, rng: Random) -> dict[int, list[float]]:
    """Lets newcomers into a copy of the ladder until each has played; how far from their true ranks they stand."""
    newcomers = range(BOTS, BOTS + NEWCOMERS)
    there = Ladder(list(ladder.milli), list(ladder.games), [], {bot: Counter(met) for bot, met in ladder.met.items()})
    there.enter(NEWCOMERS)
    everybody = Truth(BOTS + NEWCOMERS, rng)
    everybody.elo[:BOTS] = truth.elo
    waiting = {(bot, after) for bot in newcomers for after in NEW_AFTER}
    off: dict[int, list[float]] = {after: [] for after in NEW_AFTER}
    while waiting:
        for pair in list(islice(system.pair(there, rng), AHEAD)):
            there.play(pair, everybody.score(*pair), system.rate)
            for bot in pair:
                if (bot, there.games[bot]) in waiting:
                    waiting.remove((bot, there.games[bot]))
                    rank = sum(there.milli[other] > there.milli[bot] for other in range(BOTS))
                    true = int((everybody.elo[:BOTS] > everybody.elo[bot]).sum())
                    off[there.games[bot]].append(abs(rank - true) / BOTS)
    return off


def judged(ladder: Ladder, truth: Truth) -> tuple[int, int, float]:
    """Pairs of bots that Bradley-Terry separates, those in the wrong order, and the share of intervals that hold."""
    pairs = pairs_of(ladder.results)
    found = estimate(BOTS, pairs)
    spread = covariance(BOTS, pairs, found.elo, found.dispersion)
    variances = np.diag(spread)
    deviation = np.sqrt(variances[:, None] + variances[None, :] - 2 * spread + np.eye(BOTS))
    ahead = np.subtract.outer(found.elo, found.elo)
    split = ahead > NORMAL_95 * deviation
    wrong = split & (np.subtract.outer(truth.elo, truth.elo) < 0)
    # The model's match is not quite Elo's game, so its scale differs; the best line through both has it.
    slope = float(found.elo @ (truth.elo - truth.elo.mean()) / (found.elo @ found.elo))
    inside = np.abs(found.elo - (truth.elo - truth.elo.mean()) / slope) < NORMAL_95 * found.deviation
    return int(split.sum()), int(wrong.sum()), float(inside.mean())


def pairs_of(results: Sequence[tuple[int, int, int]]) -> Pairs:
    a, b, quarters = np.array(results).T
    score = quarters / elo.MAX_QUARTERS
    return Pairs(a, b, np.ones(len(a)), score, score**2)


def games_to(goal: float, taus: Floats) -> float:
    """Games a bot until the mean tau reaches the goal, in between by a straight line; a match is two games."""
    for index, value in enumerate(taus):
        if value >= goal:
            before = taus[index - 1] if index else 0.0
            return float(4 * (index + (goal - before) / (value - before)))
    return math.inf


def refolding() -> float:
    """CPU seconds for the ladder to be computed again from its matches."""
    rng = Random(1)
    results = [Result(n, n, (*rng.sample(range(BOTS), 2),), rng.randrange(5)) for n in range(1, REFOLDED + 1)]  # type: ignore[arg-type]
    rng.shuffle(results)
    began = time.process_time()
    fold([Entry(bot, None, 0) for bot in range(BOTS)], results)
    return time.process_time() - began


@dataclass(frozen=True)
class Row:
    """A measure, what was found and what should be."""

    measure: str
    goal: str
    ours: str
    plain: str
    ok: bool


def simulated(seeds: int, jobs: int) -> list[Row]:
    tasks = [(seed, system) for system in (ARENA, PLAIN) for seed in range(seeds)]
    with multiprocessing.Pool(jobs) as pool:
        runs = pool.starmap(run, tasks, chunksize=1)
    ours, plain = runs[:seeds], runs[seeds:]
    taus = [np.mean([each.taus for each in runs_], axis=0) for runs_ in (ours, plain)]
    games = [games_to(0.9, each) for each in taus]
    rows = [
        Row("games per bot to tau 0.9", "<= 140", f"{games[0]:.0f}", f"{games[1]:.0f}", games[0] <= 140),
    ]
    for matches, goal in zip(MATCHES, (0.80, 0.87, 0.92), strict=True):
        a, b = (float(each[matches // 2 - 1]) for each in taus)
        rows.append(Row(f"tau at {matches} matches per bot", f">= {goal:.2f}", f"{a:.3f}", f"{b:.3f}", a >= goal))
    for after, most in zip(NEW_AFTER, (0.07, 0.055), strict=True):
        a, b = (float(np.mean([e for each in runs_ for e in each.newcomers[after]])) for runs_ in (ours, plain))
        measure = f"newcomers' rank error after {after} matches"
        rows.append(Row(measure, f"<= {most:.1%} of N", f"{a:.1%}", f"{b:.1%}", a <= most))
    wrong = sum(each.wrong for each in ours) / sum(each.separated for each in ours)
    rows.append(Row("pairs separated at 95 % in the wrong order", "<= 1 %", f"{wrong:.2%}", "", wrong <= 0.01))
    covered = float(np.mean([each.covered for each in ours]))
    rows.append(Row("intervals that hold the true place", "about 95 %", f"{covered:.1%}", "", covered >= 0.9))
    seconds = refolding()
    rows.append(Row(f"refolding {REFOLDED:,} matches", "< 5 s", f"{seconds:.1f} s", "", seconds < 5))
    return rows


def report(rows: Sequence[Row]) -> bool:
    """Prints the table; whether every goal is reached."""
    print(f"{'measure':<45} {'goal':>14} {ARENA.name:>10} {PLAIN.name:>10}")
    for row in rows:
        print(f"{row.measure:<45} {row.goal:>14} {row.ours:>10} {row.plain:>10}  {'ok' if row.ok else 'MISSED'}")
    return all(row.ok for row in rows)


def real(matches: int, jobs: int) -> bool:
    """The house bots on a ladder of their own: does it find the published order?"""
    text = (ROOT / "docs" / "house-bots.md").read_text(encoding="utf-8")
    slugs = re.findall(r"^\| \d+ \| [^|]*\(`([a-z]+)`\) \| (\d+)", text, re.MULTILINE)
    published = [float(rating) for _, rating in slugs]
    names = [slug for slug, _ in slugs]
    ladder, rng = Ladder.of(len(names)), Random(1)
    began = time.perf_counter()
    print(f"{len(names)} house bots, {jobs} matches at once; tau against the published table:")
    with multiprocessing.Pool(jobs) as pool:
        for played in range(2, matches + 1, 2):
            left = len(names)
            while left:
                pairs = list(islice(arena_pairs(ladder, rng), min(AHEAD, left)))
                tasks = [
                    house.Task(names[a], names[b], len(ladder.results) + n, "ladder") for n, (a, b) in enumerate(pairs)
                ]
                for pair, outcome in zip(pairs, pool.map(house.play, tasks, chunksize=1), strict=True):
                    if outcome.faults:
                        raise RuntimeError(f"{outcome.task.a} v {outcome.task.b}: {outcome.faults[0]}")
                    ladder.play(pair, outcome.quarters, elo.rate)
                left -= len(pairs)
            if played % 10 == 0:
                seconds = time.perf_counter() - began
                print(f"{played:4} matches per bot: {tau(ladder.milli, published):.3f}, {seconds:.0f} s", flush=True)
    found = estimate(len(names), pairs_of(ladder.results))
    simple = names.index(house.ANCHOR)
    strengths = house.ANCHOR_ELO + found.elo - found.elo[simple]
    print(f"\n{'bot':<12} {'published':>9} {'Elo':>6} {'Bradley-Terry':>14} {'matches':>8}")
    for bot in np.argsort(-found.elo):
        margin = NORMAL_95 * found.deviation[bot]
        print(f"{names[bot]:<12} {published[bot]:>9.0f} {ladder.milli[bot] / 1000:>6.0f} "
              f"{f'{strengths[bot]:.0f} ± {margin:.0f}':>14} {ladder.games[bot]:>8}")  # fmt: skip
    by_elo, by_strength = tau(ladder.milli, published), tau(found.elo, published)
    print(f"\ntau of Elo {by_elo:.3f}, of Bradley-Terry {by_strength:.3f}; dispersion {found.dispersion:.2f}")
    return by_strength >= 0.85


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=12, help="simulated ladders of each kind (default 12)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--house", action="store_true", help="let the house bots play instead")
    parser.add_argument("--matches", type=int, default=60, help="with --house: matches per bot (default 60)")
    options = parser.parse_args()
    began = time.perf_counter()
    reached = real(options.matches, options.jobs) if options.house else report(simulated(options.seeds, options.jobs))
    print(f"{time.perf_counter() - began:.0f} s")
    sys.exit(0 if reached else 1)


if __name__ == "__main__":
    main()
