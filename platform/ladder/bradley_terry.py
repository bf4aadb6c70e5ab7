"""Bradley-Terry strengths from all results at once, whatever their order: numpy in, numpy out, nothing of the site.

A version of strength R scores 1/(1+10^((Rb-Ra)/400)) on average against Rb. The strengths are those of highest
posterior density under a normal prior of PRIOR_SD Elo about their mean. A match is scored in quarters and its games
share their decks, so its score varies less than a coin's: the log-likelihood is divided by the dispersion, Pearson's
chi-square for each degree of freedom (McCullagh and Nelder, Generalized Linear Models, 1989, chapter 4).

Up to DENSE_UP_TO versions everything is exact: Newton's method and the inverse of the Hessian. Above, where that would
take N^3 steps and N^2 memory, conjugate gradients solve Newton's equations, and standard deviations come from SAMPLES
draws of the posterior, Rao-Blackwellized (Siden et al., "Efficient covariance approximations for large sparse
precision matrices", 2018): a few per cent off, and the same at every run.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.int64]

ELO = 400 / math.log(10)
"""Elo points for one unit of natural log-odds."""
PRIOR_SD = 300.0
"""Standard deviation of the prior, in Elo points."""
NORMAL_95 = 1.959964
DENSE_UP_TO = 1000
SAMPLES = 24
STEPS = 60
"""Most steps of Newton's method; it needs about six."""
SURE = 0.05
"""Where the favourite is expected to score more than 1-SURE, one upset would swamp chi-square; such pairs are left out
of it."""
DISPERSION_PRIOR = 20.0
"""The dispersion starts at 1, the most cautious value, as if so many matches had shown it."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Results summed over the matches of two versions; arrays of one length, a pair may come twice and either way."""

    first: Ints
    """Index of a version, from 0."""
    second: Ints
    matches: Floats
    score: Floats
    """The sum of the first's scores, each from 0 to 1."""
    squares: Floats
    """The sum of the squares of the first's scores."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What the results say."""

    elo: Floats
    """Strengths about their mean, which is 0."""
    deviation: Floats
    """The standard deviation of each strength about the mean, in Elo points."""
    dispersion: float
    """The variance of a match's score as a share of a coin's."""


def estimate(versions: int, pairs: Pairs) -> Estimate:
    """The strengths of `versions` versions, of which each has played."""
    system = _System(versions, pairs)
    strengths = system.fit(np.zeros(versions), 1.0)
    dispersion = system.dispersion(strengths)
    strengths = system.fit(strengths, dispersion)
    if versions <= DENSE_UP_TO:
        variance = np.diag(covariance(versions, pairs, strengths * ELO, dispersion))
    else:
        variance = system.sampled_variance(strengths, dispersion)
    return Estimate(strengths * ELO, np.sqrt(np.maximum(variance, 0)), dispersion)


def covariance(versions: int, pairs: Pairs, elo: Floats, dispersion: float) -> Floats:
    """The posterior covariance of the strengths about their mean, in squared Elo points; versions x versions."""
    system = _System(versions, pairs)
    hessian = system.dense_hessian(system.weights(elo / ELO), dispersion)
    # How high all strengths lie together is the prior's to say: PRIOR_SD^2/N in every entry, and nobody's place.
    about_the_mean: Floats = np.linalg.inv(hessian) * dispersion * ELO**2 - PRIOR_SD**2 / versions
    return about_the_mean


class _System:
    """The equations of one ladder, in natural log-odds; `dispersion` scales the prior instead of the likelihood."""

    def __init__(self, versions: int, pairs: Pairs) -> None:
        self.versions = versions
        self.pairs = pairs
        self.precision = (ELO / PRIOR_SD) ** 2

    def expected(self, strengths: Floats) -> Floats:
        """The first's expected score in each pair."""
        ahead = strengths[self.pairs.first] - strengths[self.pairs.second]
        expected: Floats = np.exp(-np.logaddexp(0, -ahead))
        return expected

    def weights(self, strengths: Floats) -> Floats:
        """What each pair's matches tell: their number times p(1-p)."""
        expected = self.expected(strengths)
        return self.pairs.matches * expected * (1 - expected)

    def fit(self, strengths: Floats, dispersion: float) -> Floats:
        """Newton's method from `strengths`; the posterior is concave, and each step is halved until it climbs."""
        prior = self.precision * dispersion
        tolerance = 1e-9 if self.versions <= DENSE_UP_TO else 1e-5
        height = self._height(strengths, prior)
        for _ in range(STEPS):
            surprise = self.pairs.score - self.pairs.matches * self.expected(strengths)
            gradient = self._gather(surprise, -surprise) - prior * strengths
            step = self._solve(self.weights(strengths), dispersion, gradient)
            while (climbed := self._height(strengths + step, prior)) < height - 1e-9 * abs(height):
                step /= 2
            strengths, height = strengths + step, climbed
            if np.abs(step).max() < tolerance:
                break
        centred: Floats = strengths - strengths.mean()
        return centred

    def dispersion(self, strengths: Floats) -> float:
        """Pearson's chi-square for each degree of freedom, drawn towards 1 while there are few."""
        pairs, expected = self.pairs, self.expected(strengths)
        variance = expected * (1 - expected)
        squares = pairs.squares - 2 * expected * pairs.score + pairs.matches * expected**2
        told = np.minimum(expected, 1 - expected) >= SURE
        matches = float(pairs.matches[told].sum())
        information = self._gather(*(self.weights(strengths) * told,) * 2)
        fitted = float((information / (information + self.precision)).sum())
        freedom = max(matches - fitted, matches / 2)
        chi_square = float((squares[told] / variance[told]).sum())
        return (chi_square + DISPERSION_PRIOR) / (freedom + DISPERSION_PRIOR)

    def dense_hessian(self, weights: Floats, dispersion: float) -> Floats:
        """Minus the second derivatives of the log posterior, versions x versions."""
        hessian = np.zeros((self.versions, self.versions))
        np.add.at(hessian, (self.pairs.first, self.pairs.second), -weights)
        hessian += hessian.T
        hessian[np.diag_indices(self.versions)] = self._diagonal(weights, dispersion)
        return hessian

    def sampled_variance(self, strengths: Floats, dispersion: float) -> Floats:
        """Each strength's variance about the mean in squared Elo: 1/H_ii, and by draws what the others' add."""
        pairs, weights = self.pairs, self.weights(strengths)
        diagonal = self._diagonal(weights, dispersion)
        rng = np.random.default_rng(0)
        spread = np.zeros(self.versions)
        for _ in range(SAMPLES):
            noise = np.sqrt(weights) * rng.standard_normal(len(weights))
            prior = math.sqrt(self.precision * dispersion) * rng.standard_normal(self.versions)
            draw = self._solve(weights, dispersion, self._gather(noise, -noise) + prior)
            draw -= draw.mean()
            spread += (self._gather(weights * draw[pairs.second], weights * draw[pairs.first]) / diagonal) ** 2
        variance: Floats = (1 / diagonal + spread / SAMPLES) * dispersion * ELO**2
        return variance

    def _height(self, strengths: Floats, prior: float) -> float:
        """The log posterior, up to a constant."""
        ahead = strengths[self.pairs.first] - strengths[self.pairs.second]
        likelihood = self.pairs.score * ahead - self.pairs.matches * np.logaddexp(0, ahead)
        return float(likelihood.sum() - prior / 2 * (strengths**2).sum())

    def _gather(self, of_first: Floats, of_second: Floats) -> Floats:
        """Sums by version of what each pair gives its two sides."""
        both = ((self.pairs.first, of_first), (self.pairs.second, of_second))
        sums = [np.bincount(index, values, self.versions).astype(np.float64) for index, values in both]
        return sums[0] + sums[1]

    def _diagonal(self, weights: Floats, dispersion: float) -> Floats:
        return self._gather(weights, weights) + self.precision * dispersion

    def _solve(self, weights: Floats, dispersion: float, right: Floats) -> Floats:
        """The solution of (Hessian) x = right."""
        if self.versions <= DENSE_UP_TO:
            solution: Floats = np.linalg.solve(self.dense_hessian(weights, dispersion), right)
            return solution
        first, second = self.pairs.first, self.pairs.second
        diagonal = self._diagonal(weights, dispersion)
        return _conjugate_gradients(
            lambda x: diagonal * x - self._gather(weights * x[second], weights * x[first]), diagonal, right
        )


def _conjugate_gradients(matrix: Callable[[Floats], Floats], diagonal: Floats, right: Floats) -> Floats:
    """Solves matrix(x) = right for a positive definite matrix, preconditioned by its diagonal, to 1e-5 of `right`."""
    x = np.zeros_like(right)
    residual = right.copy()
    z = residual / diagonal
    direction, product = z, float(residual @ z)
    goal = 1e-10 * product
    while product > goal:
        image = matrix(direction)
        length = product / float(direction @ image)
        x += length * direction
        residual -= length * image
        z = residual / diagonal
        before, product = product, float(residual @ z)
        direction = z + product / before * direction
    return x
