"""What the pages of bots show, as sums that follow from the log: of versions, of pairs of bots, of the whole ladder.

A page reads a handful of rows however long the history is. The sums are made match by match in the order of
`Match.sequence`, each match at the same cost, so the log from its beginning gives them again to the last digit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from arena.elo import expected_score
from ladder.models import Game, Ladder, RatingChange, Seat, Tally
from ladder.styles import Style, from_text

CURVE = 128
"""Points that a curve has at most: two a point on a page's chart say no more."""
MILLION = 1_000_000


def stride(matches: int) -> int:
    """How many matches lie between two points of a curve of so many: the least power of 2 that makes CURVE do."""
    step = 1
    while matches > CURVE * step:
        step *= 2
    return step


class GameSide(NamedTuple):
    """One game as one side of the match sees it."""

    seat: int
    """The game's."""
    halves: int
    """2 for a win, 1 for a draw."""
    points: int
    style: Style


class Side(NamedTuple):
    """One side of a finished rated match."""

    match: int
    rating: int
    bot: int
    opponent: int
    quarters: int
    matches_before: int
    before_milli: int
    after_milli: int
    opponent_milli: int
    """The opponent's rating before the match."""
    games: tuple[GameSide, ...]

    @property
    def expected(self) -> int:
        """What the two ratings promised, in millionths of the match's point."""
        return round(MILLION * expected_score(self.before_milli, self.opponent_milli))


def no_games() -> list[list[int]]:
    """`Tally.seats` before the first."""
    return [[0] * 4, [0] * 4]


@dataclass(slots=True)
class Sums:
    """The columns of a `Tally`."""

    matches: int = 0
    seats: list[list[int]] = field(default_factory=no_games)
    style: Style = field(default_factory=Style)
    curve: list[int] = field(default_factory=list)
    best: tuple[int, int] | None = None
    """Rating of the opponent, and match."""
    worst: tuple[int, int] | None = None

    def add(self, side: Side) -> None:
        """Counts one match, the version's next."""
        self.matches += 1
        for game in side.games:
            sums = self.seats[game.seat]
            for place, value in enumerate((1, game.halves == 2, game.halves == 1, game.points)):
                sums[place] += value
            self.style.add(game.style)
        self._bend(side.after_milli)
        if side.quarters > 2 and (self.best is None or side.opponent_milli > self.best[0]):
            self.best = side.opponent_milli, side.match
        if side.quarters < 2 and (self.worst is None or side.opponent_milli < self.worst[0]):
            self.worst = side.opponent_milli, side.match

    def _bend(self, milli: int) -> None:
        step = stride(self.matches)
        if step != stride(self.matches - 1):
            self.curve = self.curve[1::2]
        if self.matches % step == 0:
            self.curve.append(milli)

    @classmethod
    def of(cls, row: Tally) -> Sums:
        """Those of a stored row."""
        return cls(
            matches=row.matches,
            seats=row.seats,
            style=Style.parse(row.style),
            curve=row.curve,
            best=None if row.best_milli is None or row.best_id is None else (row.best_milli, row.best_id),
            worst=None if row.worst_milli is None or row.worst_id is None else (row.worst_milli, row.worst_id),
        )

    def row(self, rating: int) -> Tally:
        """As a row."""
        best, worst = self.best or (None, None), self.worst or (None, None)
        return Tally(
            rating_id=rating,
            matches=self.matches,
            seats=self.seats,
            style=str(self.style),
            curve=self.curve,
            best_milli=best[0],
            best_id=best[1],
            worst_milli=worst[0],
            worst_id=worst[1],
        )


@dataclass(slots=True)
class Met:
    """The columns of a `Meeting` that add up, and the opponent's rating."""

    matches: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    narrow_wins: int = 0
    narrow_losses: int = 0
    quarters: int = 0
    games_won: int = 0
    points: int = 0
    expected: int = 0
    opponent_milli: int = 0

    def add(self, side: Side) -> None:
        """Counts one match, the newest between the two."""
        self.matches += 1
        self.wins += side.quarters > 2
        self.draws += side.quarters == 2
        self.losses += side.quarters < 2
        self.narrow_wins += side.quarters == 3
        self.narrow_losses += side.quarters == 1
        self.quarters += side.quarters
        for game in side.games:
            self.games_won += game.halves == 2
            self.points += game.points
        self.expected += side.expected
        self.opponent_milli = side.opponent_milli


def sides(ladder: Ladder, after: int, until: int) -> Iterator[Side]:
    """Both sides of every rated match whose sequence number is above `after` and at most `until`, in order.

    Reads all of them at once: ask for some hundred. A match that was not counted for both ratings is left out; the
    checks of ratings find it (`services.verify_ladder`), and a rebuilt ladder is told anew.
    """
    span = {"match__ladder": ladder, "match__is_rated": True, "match__sequence__range": (after + 1, until)}
    games: dict[int, list[tuple[int, int | None, tuple[int, int], tuple[Style, Style]]]] = defaultdict(list)
    rows = Game.objects.filter(**span).order_by("match__sequence", "number")
    columns = ("match", "seat0_index", "winner", "score_a", "score_b", "style")
    for match, seat0, winner, points_a, points_b, text in rows.values_list(*columns):
        games[match].append((seat0, winner, (points_a, points_b), from_text(text)))
    changes = {
        (match, version): change
        for match, version, *change in RatingChange.objects.filter(**span).values_list(
            "match", "rating__version", "rating", "matches_before", "before_milli", "delta_milli"
        )
    }
    seats = Seat.objects.filter(**span).order_by("match__sequence", "index")
    pairs = iter(seats.values_list("match", "version", "bot", "opponent", "score_quarters"))
    for first in pairs:
        pair = first, next(pairs)
        match = first[0]
        a, b = (changes.get((match, version)) for _, version, *_ in pair)
        if a is None or b is None:
            continue
        for index, (_, _, bot, opponent, quarters) in enumerate(pair):
            (rating, matches_before, before, delta), other = (a, b) if index == 0 else (b, a)
            assert quarters is not None
            yield Side(
                match=match,
                rating=rating,
                bot=bot,
                opponent=opponent,
                quarters=quarters,
                matches_before=matches_before,
                before_milli=before,
                after_milli=before + delta,
                opponent_milli=other[2],
                games=tuple(
                    GameSide(
                        seat=index ^ seat0,
                        halves=1 if winner is None else 2 * (winner == index),
                        points=points[index],
                        style=styles[index],
                    )
                    for seat0, winner, points, styles in games[match]
                ),
            )
