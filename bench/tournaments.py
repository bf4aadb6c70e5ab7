"""How often each format lets the best bot win, and how good its order is, by simulation.

    python -m bench.tournaments --tournaments 200

True strengths are normal with a standard deviation of 200 Elo, and the style of two bots adds 20 Elo of noise to their
difference. For a difference that gives p = 1/(1+10^(-d/400)) in one game and q = 1-p, the games of a mirrored pair
correlate with rho = -0.40 (4pq)^2: 2-0 has probability p^2 + rho p q, 0-2 has q^2 + rho p q; of one game each, the
first has more points with probability 1/(1+exp(-1.15 ln(p/q))). This was fitted to real matches of gin rummy bots.
Seeds are by strength as a ladder knows it, with an error of 60 Elo. The same seed prints the same table.

tau is Kendall's tau-b between the final standings and the true strengths: bots that went out in one round share a rank.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import statistics
import time
from collections import Counter
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from random import Random

from arena.tournament import (
    DoubleElimination,
    Format,
    GroupsThenKnockout,
    Match,
    Result,
    RoundRobin,
    SingleElimination,
    Swiss,
    Tournament,
)

SD = 200.0
STYLE_SD = 20.0
SEEDING_SD = 60.0

FORMATS: dict[str, tuple[Format, str]] = {
    "round robin": (RoundRobin(), ".69 .87 496"),
    "double round robin": (RoundRobin(legs=2), ".75 .90 992"),
    "Swiss, 9 rounds, 1 match": (Swiss(rounds=9), ".61 .73 144"),
    "Swiss, 9 rounds, 3 matches": (Swiss(rounds=9, matches=3), ".78 .78 432"),
    "single elimination, 1 match": (SingleElimination(), ".49 .65 31"),
    "single elimination, 5 matches": (SingleElimination(matches=5), ".70 .75 156"),
    "single elimination, 15 matches": (SingleElimination(matches=15), ".78 .77 465"),
    "double elimination, 5 matches": (DoubleElimination(matches=5), ".80 .77 314"),
    "groups of 4 (5), knockout (15)": (GroupsThenKnockout(matches=5, knockout_matches=15), ".78 .83 465"),
}
"""Each format, and what an independent simulation of it gave: P(best wins), tau, matches."""


@dataclass(frozen=True)
class Outcome:
    """One simulated tournament."""

    best_won: bool
    tau: float
    matches: int


def simulate(chosen: Format, size: int, seed: str) -> Outcome:
    """Play one tournament."""
    rng = Random(seed)
    strength = [rng.gauss(0, SD) for _ in range(size)]
    style = {pair: rng.gauss(0, STYLE_SD) for pair in combinations(range(size), 2)}
    seeding = sorted(range(size), key=lambda bot: -strength[bot] - rng.gauss(0, SEEDING_SD))

    def play(match: Match) -> Result:
        low, high = sorted((match.first, match.second))
        quarters = mirrored(strength[low] - strength[high] + style[low, high], rng)
        score = (quarters, 4 - quarters)
        # A pair's points are not modelled but for who has more; they break ties of a knockout.
        points = (rng.randrange(200) + 10 * score[0], rng.randrange(200) + 10 * score[1])
        return Result(match.round, low, high, match.number, score, points)

    tournament = Tournament(chosen, tuple(seeding))
    while not tournament.is_over:
        waiting = [match for one in tournament.rounds for pairing in one.pairings for match in pairing.missing]
        tournament = tournament.with_results(*map(play, waiting))
    ranks = {line.entrant: line.rank for line in tournament.standings}
    order = sum(
        math.copysign(1, strength[one] - strength[other]) * ((ranks[one] < ranks[other]) - (ranks[one] > ranks[other]))
        for one, other in combinations(range(size), 2)
    )
    best = max(range(size), key=strength.__getitem__)
    pairs = math.comb(size, 2)
    apart = pairs - sum(math.comb(shared, 2) for shared in Counter(ranks.values()).values())
    return Outcome(tournament.champion == best, order / math.sqrt(pairs * apart), len(tournament.results))


def mirrored(difference: float, rng: Random) -> int:
    """The first one's quarters in a mirrored pair at a difference of so many Elo."""
    p = 1 / (1 + 10 ** (-difference / 400))
    q = 1 - p
    together = -0.40 * (4 * p * q) ** 2 * p * q
    drawn = rng.random()
    if drawn < p * p + together:
        return 4
    if drawn < p * p + q * q + 2 * together:
        return 0
    return 3 if rng.random() < 1 / (1 + math.exp(-1.15 * math.log(p / q))) else 1


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tournaments", type=int, default=200, help="of each format")
    parser.add_argument("--size", type=int, default=32)
    parser.add_argument("--seed", default="tournaments")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    started = time.monotonic()
    print(
        f"{options.tournaments} tournaments of {options.size} each; the last three columns are the reference, for 32\n"
    )
    print("| format | P(best wins) | tau | matches | P | tau | matches |\n|---|---:|---:|---:|---:|---:|---:|")
    with multiprocessing.Pool(options.jobs) as pool:
        for name, (chosen, reference) in FORMATS.items():
            seeds = [f"{options.seed} {number}" for number in range(options.tournaments)]
            outcomes = pool.map(partial(simulate, chosen, options.size), seeds, chunksize=5)
            wins = statistics.fmean(outcome.best_won for outcome in outcomes)
            error = 1.96 * math.sqrt(wins * (1 - wins) / len(outcomes))
            tau = statistics.fmean(outcome.tau for outcome in outcomes)
            matches = statistics.fmean(outcome.matches for outcome in outcomes)
            known = " | ".join(reference.split())
            print(f"| {name} | {wins:.2f} ± {error:.2f} | {tau:.2f} | {matches:.0f} | {known} |", flush=True)
    print(f"\n{time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
