"""What a tournament is told: results of matches, and who left."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from arena.elo import MAX_QUARTERS, GameScore, quarters


@dataclass(frozen=True, slots=True)
class Result:
    """One finished mirrored match. It belongs to the pairing of its two entrants in its round."""

    round: int
    """Counted from 1 through the whole tournament."""
    first: int
    """The entrant whose numbers come first; which of the two it is does not matter."""
    second: int
    number: int
    """Which match of the pairing, from 1."""
    quarters: tuple[int, int]
    """The score of each: 4 in all, or 0 and 0 when both failed in both games (see `match_score`)."""
    points: tuple[int, int] = (0, 0)
    """Each one's points of both games together."""

    def __post_init__(self) -> None:
        if self.first == self.second:
            raise ValueError(f"Entrant {self.first} cannot play itself.")
        if min(self.quarters) < 0 or sum(self.quarters) not in (0, MAX_QUARTERS):
            raise ValueError(f"A match gives {MAX_QUARTERS} quarters in all, or none, not {self.quarters}.")

    @property
    def key(self) -> tuple[int, frozenset[int], int]:
        """What it is the result of."""
        return self.round, frozenset((self.first, self.second)), self.number

    def seen_by(self, entrant: int) -> Result:
        """The same result with that entrant's numbers first."""
        if entrant == self.first:
            return self
        return Result(self.round, self.second, self.first, self.number, self.quarters[::-1], self.points[::-1])


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """An entrant that plays no more: it left, or was made to."""

    entrant: int
    after_round: int
    """The last round that pairs it; 0 before the first. `Tournament.withdrawal` says which that is now."""
    disqualified: bool = False
    """Whether it was made to: it is then placed behind everybody else."""


def match_score(games: Sequence[GameScore]) -> tuple[int, int]:
    """The quarters of both sides of a mirrored match: as on the ladder, but nothing for two that failed in every game.

    Raises ValueError unless there are two games.
    """
    first = quarters(games)
    if all(game.forfeits == {0, 1} for game in games):
        return 0, 0
    return first, MAX_QUARTERS - first


class Book:
    """Results by what they are the result of, in whatever order they came."""

    def __init__(self, results: Iterable[Result]) -> None:
        self._pairings: dict[tuple[int, frozenset[int]], dict[int, Result]] = {}
        for result in results:
            round_, pair, number = result.key
            known = self._pairings.setdefault((round_, pair), {}).setdefault(number, result)
            if known.seen_by(result.first) != result:
                raise ValueError(
                    f"Match {number} of {result.first} and {result.second} in round {round_} has two results:"
                    " leave out the one that does not count."
                )

    def of(self, round_: int, first: int, second: int) -> dict[int, Result]:
        """The results of a pairing by number, in order, the first entrant's numbers first."""
        found = self._pairings.get((round_, frozenset((first, second))), {})
        return {number: found[number].seen_by(first) for number in sorted(found)}
