"""Pairings: who plays whom in a round, and how that was settled."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from arena.elo import MAX_QUARTERS
from arena.tournament.results import Book, Result

MAX_EXTRA_MATCHES = 2
"""How many matches more a knockout pairing gets that stays level in everything."""


class Outcome(Enum):
    """How a pairing was settled."""

    SCORE = "score"
    """One scored more in the pairing's matches."""
    LEVEL = "level"
    """Both scored the same. In a knockout nothing stays level."""
    POINTS = "points"
    """Knockout: the scores were level, and one had more points in the games."""
    EXTRA = "extra"
    """Knockout: the points were level as well, and one was ahead after an extra match."""
    SEED = "seed"
    """Knockout: still level after the extra matches; the better seed goes on."""
    WALKOVER = "walkover"
    """One had left, and loses what was not played; of two, the one that left first."""
    VOID = "void"
    """Round robin: one left before half of its pairings were played, so that none of them counts."""

    @property
    def words(self) -> str:
        """A sentence for a reader."""
        return _WORDS[self]


_WORDS = {
    Outcome.SCORE: "Decided by the score.",
    Outcome.LEVEL: "Level: both scored the same.",
    Outcome.POINTS: "The score was level; more points in the games decided.",
    Outcome.EXTRA: "Score and points were level; an extra match decided.",
    Outcome.SEED: f"Level in score and points, after {MAX_EXTRA_MATCHES} extra matches too; the better seed went on.",
    Outcome.WALKOVER: "Walkover: the other one had left, or left first.",
    Outcome.VOID: "Does not count: one of the two left before half of its pairings were played.",
}


@dataclass(frozen=True, slots=True)
class Match:
    """A mirrored match that can be played now."""

    round: int
    first: int
    second: int
    number: int
    """Which match of the pairing, from 1."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two entrants in a round."""

    round: int
    first: int
    second: int
    matches: int
    """How many matches it takes as things stand, extra matches included."""
    results: tuple[Result, ...]
    """Those that count, by number, the first entrant's numbers first."""
    quarters: tuple[int, int]
    """The score so far, with what was won because the other had left. A won match is 4 quarters."""
    points: tuple[int, int]
    """Points in the games that were played."""
    outcome: Outcome | None
    """None while it is going on."""
    winner: int | None
    """None while it is going on and when it is level."""
    group: int | None = None
    """Which group it is of, from 0, in a group stage."""

    @property
    def is_settled(self) -> bool:
        """Whether nothing is left to play."""
        return self.outcome is not None

    @property
    def loser(self) -> int | None:
        """Who did not win, if there is a winner."""
        return None if self.winner is None else self.second if self.winner == self.first else self.first

    @property
    def missing(self) -> tuple[Match, ...]:
        """The matches that it waits for."""
        if self.is_settled:
            return ()
        played = {result.number for result in self.results}
        numbers = (number for number in range(1, self.matches + 1) if number not in played)
        return tuple(Match(self.round, self.first, self.second, number) for number in numbers)


@dataclass(frozen=True, slots=True)
class Round:
    """One round."""

    number: int
    """From 1 through the whole tournament."""
    name: str
    pairings: tuple[Pairing, ...]
    """Those that are known."""
    byes: tuple[int, ...]
    """Who plays nobody in it. That is a full score in a Swiss, nothing in a round robin, a step ahead in a knockout."""
    is_complete: bool


def points_pairing(
    round_: int, sides: tuple[int, int], matches: int, book: Book, left: Sequence[int], *, group: int | None = None
) -> Pairing:
    """The pairing of a round robin or a Swiss as the results have it.

    Of `left`, in the order in which they left, the first loses every match not played. So a walkover stays one when
    its winner leaves later.
    """
    first, second = sides
    pairing = _played(round_, sides, matches, book)
    missing = matches - len(pairing.results)
    score = pairing.quarters
    outcome: Outcome | None = None
    if missing and (stayed := _stayed_longer(sides, left)) is not None:
        won = missing * MAX_QUARTERS
        score = (score[0] + won, score[1]) if stayed == first else (score[0], score[1] + won)
        outcome = Outcome.WALKOVER
    elif not missing:
        outcome = Outcome.LEVEL if score[0] == score[1] else Outcome.SCORE
    winner = None
    if outcome is not None and score[0] != score[1]:
        winner = first if score[0] > score[1] else second
    return replace(pairing, quarters=score, outcome=outcome, winner=winner, group=group)


def voided(pairing: Pairing) -> Pairing:
    """The same pairing, counting for nothing."""
    return replace(pairing, quarters=(0, 0), outcome=Outcome.VOID, winner=None)


def knockout_pairing(
    round_: int, sides: tuple[int, int], matches: int, book: Book, left: Sequence[int], better_seed: int
) -> Pairing:
    """The pairing of a knockout, which always has a winner in the end.

    More quarters win; then more points in the games; then, up to `MAX_EXTRA_MATCHES` times, one match more; then the
    better seed. Who leaves before that loses, whatever the score; of two, the one that left first.
    """
    first, second = sides
    for asked in range(matches, matches + MAX_EXTRA_MATCHES + 1):
        pairing = _played(round_, sides, asked, book)
        if len(pairing.results) < asked:
            break
        for measure, outcome in ((pairing.quarters, Outcome.SCORE), (pairing.points, Outcome.POINTS)):
            if measure[0] != measure[1]:
                winner = first if measure[0] > measure[1] else second
                return replace(pairing, outcome=outcome if asked == matches else Outcome.EXTRA, winner=winner)
    else:
        return replace(pairing, outcome=Outcome.SEED, winner=better_seed)
    if (stayed := _stayed_longer(sides, left)) is None:
        return pairing
    return replace(pairing, outcome=Outcome.WALKOVER, winner=stayed)


def _stayed_longer(sides: tuple[int, int], left: Sequence[int]) -> int | None:
    """The side that has not left, or left later; None if both are there."""
    first, second = sides
    gone = [entrant for entrant in left if entrant in sides]
    return None if not gone else second if gone[0] == first else first


def _played(round_: int, sides: tuple[int, int], matches: int, book: Book) -> Pairing:
    found = book.of(round_, *sides)
    results = tuple(result for number, result in found.items() if 1 <= number <= matches)
    return Pairing(
        round_,
        *sides,
        matches,
        results,
        _sums(result.quarters for result in results),
        _sums(result.points for result in results),
        None,
        None,
    )


def _sums(pairs: Iterable[tuple[int, int]]) -> tuple[int, int]:
    first = second = 0
    for a, b in pairs:
        first, second = first + a, second + b
    return first, second
