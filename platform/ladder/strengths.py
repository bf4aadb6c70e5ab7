"""Bradley-Terry beside Elo: all rated matches of a ladder at once, in the background.

Elo follows the order in which matches finished; this does not, so each shows when the other is broken. The house bot
ANCHOR has 1500 by definition, on a ladder where it has played; elsewhere the mean of all versions has.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np
from django.db.models import Count, F, Sum

from arena.elo import MAX_QUARTERS, START_MILLI
from bots.queries import active_versions
from ladder import services
from ladder.bradley_terry import NORMAL_95, Ints, Pairs, estimate
from ladder.models import Fit, Ladder, Match, Rating, Seat, Strength

ANCHOR = "Simple"
"""The name of the house bot that anchors the scale, as in docs/house-bots.md."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Results:
    """The rated matches of a ladder summed by the two versions in their seats."""

    versions: Ints
    """The keys of the versions that have played, in order."""
    pairs: Pairs
    """By indices into `versions`."""


def fit_ladders() -> int:
    """Fits every ladder with new results whose turn it is; returns their number. One that fails holds up no other."""
    fitted = 0
    for ladder in Ladder.objects.all():
        if not services.claim_fit(ladder=ladder):
            continue
        try:
            fit_ladder(ladder)
            fitted += 1
        except Exception:
            services.release_fit(ladder=ladder)
            logger.exception("The Bradley-Terry ratings of ladder %s could not be computed.", ladder.slug)
    return fitted


def fit_ladder(ladder: Ladder) -> Fit:
    """Computes and stores the strengths of all versions that have finished a rated match."""
    started = time.perf_counter()
    sequence = Ladder.objects.values_list("last_sequence", flat=True).get(pk=ladder.pk)
    results = pair_results(ladder, sequence)
    fitted = estimate(len(results.versions), results.pairs)
    rating_of = dict(Rating.objects.filter(ladder=ladder).values_list("version_id", "pk"))
    anchor = _anchor(ladder, results.versions)
    zero = 0.0 if anchor is None else fitted.elo[np.searchsorted(results.versions, anchor)]
    middle = np.rint(START_MILLI + 1000 * (fitted.elo - zero)).astype(np.int64)
    margin = np.rint(1000 * NORMAL_95 * fitted.deviation).astype(np.int64)
    strengths = [
        Strength(rating_id=rating_of[version], milli=milli, low_milli=low, high_milli=high, is_anchor=version == anchor)
        for version, milli, low, high in zip(
            *(array.tolist() for array in (results.versions, middle, middle - margin, middle + margin)), strict=True
        )
    ]
    met, possible = _completeness(results)
    fit = Fit(
        ladder=ladder,
        sequence=sequence,
        matches=int(results.pairs.matches.sum()),
        dispersion=fitted.dispersion,
        pairs_met=met,
        pairs_possible=possible,
        seconds=time.perf_counter() - started,
    )
    services.store_fit(fit=fit, strengths=strengths)
    return fit


def pair_results(ladder: Ladder, sequence: int) -> Results:
    """The ladder's rated matches up to a sequence number, summed by pairs in one query."""
    quarters = F("score_quarters")
    rows: Iterator[tuple[int, ...]] = (
        Seat.objects.filter(
            index=0,
            match__ladder=ladder,
            match__state=Match.State.FINISHED,
            match__is_rated=True,
            match__sequence__lte=sequence,
            match__seats__index=1,
        )
        .order_by()
        .values_list("version_id", "match__seats__version_id")
        .annotate(matches=Count("pk"), score=Sum(quarters), squares=Sum(quarters * quarters))
        .iterator(chunk_size=10_000)
    )
    table = np.fromiter(chain.from_iterable(rows), np.int64).reshape(-1, 5)
    versions, indices = np.unique(table[:, :2], return_inverse=True)
    first, second = indices.reshape(-1, 2).T
    matches, score, squares = table[:, 2:].T.astype(np.float64)
    return Results(versions, Pairs(first, second, matches, score / MAX_QUARTERS, squares / MAX_QUARTERS**2))


def _anchor(ladder: Ladder, played: Ints) -> int | None:
    """The key of the anchor's newest version among those that have played."""
    versions = Rating.objects.filter(ladder=ladder, version__bot__name=ANCHOR, version__bot__is_house=True)
    newest_first = versions.order_by("-version__number").values_list("version_id", flat=True)
    return next((version for version in newest_first if version in played), None)


def _completeness(results: Results) -> tuple[int, int]:
    """How many pairs of current versions have met, and how many may: those of one owner never do."""
    owners = dict(active_versions().values_list("pk", "bot__owner_id"))
    current = np.fromiter(owners, np.int64)
    sides = np.stack([results.versions[results.pairs.first], results.versions[results.pairs.second]], axis=1)
    among = np.sort(sides[np.isin(sides, current).all(axis=1)], axis=1)
    met = len(np.unique(among, axis=0))
    kin = Counter(owner for owner in owners.values() if owner is not None)
    return met, _pairs(len(owners)) - sum(_pairs(count) for count in kin.values())


def _pairs(of: int) -> int:
    return of * (of - 1) // 2
