"""The ladder as a fold: finished rated matches in, ratings out. Pure; its numbers live in `arena.elo`.

A bot's new version starts from its predecessor's rating as it stood after one known match (`Entry.start_sequence`);
hence the fold needs nothing but the entries and the results, in whatever order they were stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from arena import elo


class FoldError(ValueError):
    """The log contradicts itself, so that no ladder follows from it."""


class Entry(NamedTuple):
    """A version's entry into the ladder, once match `start_sequence` had been rated."""

    rating: int
    """Key of the rating; a predecessor's is smaller than its successor's."""
    predecessor: int | None
    start_sequence: int


class Result(NamedTuple):
    """A finished rated match: the ratings in seats 0 and 1, and seat 0's score in quarters (0..4)."""

    sequence: int
    match: int
    ratings: tuple[int, int]
    quarters: int


@dataclass(slots=True)
class Standing:
    """Where a rating stands."""

    start_milli: int
    milli: int
    matches: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0

    def add(self, delta_milli: int, quarters: int) -> None:
        """Counts one match scored `quarters` of 4."""
        self.milli += delta_milli
        self.matches += 1
        self.wins += quarters > 2
        self.draws += quarters == 2
        self.losses += quarters < 2


class Change(NamedTuple):
    """What one match did to one rating."""

    rating: int
    match: int
    sequence: int
    before_milli: int
    delta_milli: int
    matches_before: int


def rate_match(first: Standing, second: Standing, result: Result) -> tuple[Change, Change]:
    """Rates one match: both standings move, and the changes say by how much."""
    a, b = result.ratings
    da, db = elo.rate(first.milli, first.matches, second.milli, second.matches, result.quarters)
    changes = (
        Change(a, result.match, result.sequence, first.milli, da, first.matches),
        Change(b, result.match, result.sequence, second.milli, db, second.matches),
    )
    first.add(da, result.quarters)
    second.add(db, 4 - result.quarters)
    return changes


def fold(entries: Iterable[Entry], results: Iterable[Result]) -> tuple[dict[int, Standing], list[Change]]:
    """The standings by rating key, and every change in order; a result given twice counts once.

    Raises FoldError when two different results claim one sequence number or one match, or a result names a rating
    that had not entered by then.
    """
    standings: dict[int, Standing] = {}
    changes = list(unfold(entries, _in_order(results), standings))
    return standings, changes


def unfold(entries: Iterable[Entry], results: Iterable[Result], standings: dict[int, Standing]) -> Iterator[Change]:
    """Every change, one by one, from results that come in order; `standings`, empty at first, follows.

    Raises FoldError when a result names a rating that had not entered by then.
    """
    waiting = sorted(entries, key=lambda entry: (entry.start_sequence, entry.rating), reverse=True)

    def enter_until(sequence: int | None) -> None:
        while waiting and (sequence is None or waiting[-1].start_sequence < sequence):
            entry = waiting.pop()
            start = elo.START_MILLI if entry.predecessor is None else standings[entry.predecessor].milli
            standings[entry.rating] = Standing(start_milli=start, milli=start)

    for result in results:
        enter_until(result.sequence)
        try:
            first, second = (standings[rating] for rating in result.ratings)
        except KeyError as missing:
            raise FoldError(f"Match {result.match} counts for rating {missing}, which had not entered yet.") from None
        yield from rate_match(first, second, result)
    enter_until(None)


def _in_order(results: Iterable[Result]) -> list[Result]:
    ordered = sorted(set(results), key=lambda result: (result.sequence, result.match))
    for before, after in pairwise(ordered):
        if before.sequence == after.sequence:
            raise FoldError(f"Matches {before.match} and {after.match} both claim sequence number {after.sequence}.")
    if len({result.match for result in ordered}) != len(ordered):
        raise FoldError("One match appears under two sequence numbers.")
    return ordered
