"""Bradley-Terry: held against maxima found by other means, and against ladders whose strengths are known."""

import math
from collections.abc import Callable
from itertools import combinations
from random import Random

import numpy as np
import pytest

from ladder import bradley_terry
from ladder.bradley_terry import Pairs, covariance, estimate

Match = tuple[int, int, float]
"""Two versions and the first's score."""


def pairs_of(matches: list[Match]) -> Pairs:
    """One entry a match, in the order played: `Pairs` may repeat a pair either way."""
    first, second, scores = (np.array(column) for column in zip(*matches, strict=True))
    return Pairs(first, second, np.ones(len(matches)), scores.astype(float), scores.astype(float) ** 2)


def log_posterior(elo: list[float], matches: list[Match], dispersion: float) -> float:
    """From the definition, in plain Python: quasi-likelihood over the dispersion, times the prior."""
    total = -sum(each**2 for each in elo) / (2 * 300**2)
    for a, b, score in matches:
        p = 1 / (1 + 10 ** ((elo[b] - elo[a]) / 400))
        total += (score * math.log(p) + (1 - score) * math.log(1 - p)) / dispersion
    return total


def golden(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function with one peak is highest."""
    ratio = (math.sqrt(5) - 1) / 2
    while high - low > 1e-5:
        a, b = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (a, high) if function(a) < function(b) else (low, b)
    return (low + high) / 2


def climbed(versions: int, matches: list[Match], dispersion: float) -> list[float]:
    """The posterior's peak by a search along one axis after the other."""
    elo = [0.0] * versions

    def along(index: int) -> Callable[[float], float]:
        return lambda x: log_posterior([*elo[:index], x, *elo[index + 1 :]], matches, dispersion)

    for _ in range(300):
        before = list(elo)
        for index in range(versions):
            elo[index] = golden(along(index), -2000, 2000)
        if max(abs(a - b) for a, b in zip(before, elo, strict=True)) < 1e-4:
            break
    return elo


def random_matches(versions: int, count: int, seed: int) -> list[Match]:
    rng = Random(seed)
    pairs = [rng.sample(range(versions), 2) for _ in range(count)]
    return [(first, second, rng.randrange(5) / 4) for first, second in pairs]


@pytest.mark.parametrize(("versions", "count", "seed"), [(2, 5, 1), (3, 10, 2), (4, 30, 3), (5, 12, 4)])
def test_the_strengths_are_the_peak_of_the_posterior(versions: int, count: int, seed: int) -> None:
    matches = random_matches(versions, count, seed)
    found = estimate(versions, pairs_of(matches))
    assert found.elo.tolist() == pytest.approx(climbed(versions, matches, found.dispersion), abs=0.02)


def test_two_versions_by_the_equation_of_their_peak() -> None:
    """With a difference of d Elo each is d/2 from the mean: n(s - p(d)) ln(10)/400 / dispersion = d/2 / 300^2."""
    found = estimate(2, pairs_of([(0, 1, 0.75)] * 40))
    difference = found.elo[0] - found.elo[1]
    surprise = 40 * (0.75 - 1 / (1 + 10 ** (-difference / 400)))
    assert surprise * math.log(10) / 400 / found.dispersion == pytest.approx(difference / 2 / 300**2)
    assert 150 < difference < 400 * math.log10(3)  # what 75 % say without a prior


def test_one_even_match_by_hand() -> None:
    """The difference has variance 2 * 300^2 before, and the match tells p(1-p) = 1/4 in squared log-odds."""
    found = estimate(2, pairs_of([(0, 1, 0.5)]))
    told = 0.25 * (math.log(10) / 400) ** 2 / found.dispersion
    difference = 1 / (1 / (2 * 300**2) + told)
    assert found.deviation == pytest.approx([math.sqrt(difference) / 2] * 2)


def test_the_deviation_is_the_curvature_of_the_posterior() -> None:
    """Second differences of the definition, inverted; what is common to all three is taken out."""
    matches = random_matches(3, 60, 5)
    found = estimate(3, pairs_of(matches))
    elo, h = found.elo.tolist(), 0.5

    def at(*moves: tuple[int, float]) -> float:
        moved = list(elo)
        for index, by in moves:
            moved[index] += by
        return log_posterior(moved, matches, found.dispersion)

    hessian = [
        [(at((i, h), (j, h)) - at((i, h), (j, -h)) - at((i, -h), (j, h)) + at((i, -h), (j, -h))) / (4 * h * h)
         for j in range(3)]
        for i in range(3)
    ]  # fmt: skip
    about_the_mean = np.linalg.inv(-np.array(hessian)) - 300**2 / 3
    assert covariance(3, pairs_of(matches), found.elo, found.dispersion) == pytest.approx(about_the_mean, rel=1e-3)
    assert found.deviation == pytest.approx(np.sqrt(np.diag(about_the_mean)), rel=1e-3)


def test_the_order_of_matches_and_of_seats_changes_nothing() -> None:
    matches = random_matches(6, 200, 6)
    turned = [(b, a, 1 - score) if index % 2 else (a, b, score) for index, (a, b, score) in enumerate(matches)]
    Random(7).shuffle(turned)
    one, other = estimate(6, pairs_of(matches)), estimate(6, pairs_of(turned))
    assert one.elo == pytest.approx(other.elo, abs=1e-6)
    assert one.deviation == pytest.approx(other.deviation, abs=1e-6)


def test_groups_that_never_met_get_an_answer() -> None:
    found = estimate(4, pairs_of([(0, 1, 1.0)] * 10 + [(2, 3, 1.0)] * 10))
    assert found.elo[0] == pytest.approx(found.elo[2])
    assert found.elo.sum() == pytest.approx(0, abs=1e-6)
    assert np.isfinite(found.deviation).all()


def played(versions: int, matches: int, seed: int) -> tuple[np.ndarray, Pairs]:
    """True strengths of sd 300 Elo, and four tosses of the model's coin a match between random opponents."""
    rng = np.random.default_rng(seed)
    true = rng.normal(0, 300, versions)
    first = rng.integers(0, versions, matches)
    second = (first + rng.integers(1, versions, matches)) % versions
    score = rng.binomial(4, 1 / (1 + 10 ** ((true[second] - true[first]) / 400))) / 4
    return true - true.mean(), Pairs(first, second, np.ones(matches), score, score**2)


def test_nineteen_intervals_of_twenty_hold_the_truth() -> None:
    inside = []
    for seed in range(8):
        true, pairs = played(60, 1500, seed)
        found = estimate(60, pairs)
        inside.append(np.abs(found.elo - true) < bradley_terry.NORMAL_95 * found.deviation)
    assert np.mean(inside) == pytest.approx(0.95, abs=0.025)  # three standard deviations of 480 draws are 0.03


def test_the_dispersion_is_that_of_the_score() -> None:
    """Four tosses a match have a quarter of a coin's variance."""
    _, pairs = played(40, 4000, 1)
    assert estimate(40, pairs).dispersion == pytest.approx(0.25, abs=0.03)


def test_the_way_for_large_ladders_agrees_with_the_exact_one(monkeypatch: pytest.MonkeyPatch) -> None:
    _, pairs = played(300, 9000, 2)
    exact = estimate(300, pairs)
    monkeypatch.setattr(bradley_terry, "DENSE_UP_TO", 0)
    large = estimate(300, pairs)
    assert large.elo == pytest.approx(exact.elo, abs=0.05)
    assert large.deviation == pytest.approx(exact.deviation, rel=0.08)


def test_every_pair_met_the_same_way_is_ranked_as_by_wins() -> None:
    """A round robin: more points in all, more strength."""
    rng = Random(9)
    matches = [(a, b, rng.randrange(5) / 4) for a, b in combinations(range(8), 2) for _ in range(3)]
    points = [sum(s for a, _, s in matches if a == i) + sum(1 - s for _, b, s in matches if b == i) for i in range(8)]
    elo = estimate(8, pairs_of(matches)).elo
    assert all((points[i] < points[j]) == (elo[i] < elo[j] - 1e-6) for i in range(8) for j in range(8))
