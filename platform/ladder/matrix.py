"""The top of a ladder all against all: what each of them got out of its matches with each other.

From the sums of pairs (`ladder.tallies`), so a few seconds behind, and the same work however much they have played.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.elo import MAX_QUARTERS
from ladder.models import Ladder, Meeting
from ladder.standings import Standing, standings_page

TOP = 20
"""Bots in the matrix."""
STEPS = 5
"""Shades on either side of an even score."""
EVEN_MATCHES = 4
"""Drawn matches that are added before a cell is shaded, so that few matches give a pale one."""


@dataclass(frozen=True)
class Cell:
    """A bot's rated matches against one other, over all versions of both."""

    opponent: Standing
    matches: int = 0
    quarters: int = 0
    """Of the matches' points."""

    @property
    def score(self) -> float | None:
        """Mean score a match, 0..1; None before the first."""
        return self.quarters / MAX_QUARTERS / self.matches if self.matches else None

    @property
    def heat(self) -> int:
        """The shade from -STEPS to STEPS: 0 is even, STEPS 90 % or more once there are many matches."""
        even = EVEN_MATCHES * MAX_QUARTERS / 2
        share = (self.quarters + even) / MAX_QUARTERS / (self.matches + EVEN_MATCHES)
        return max(-STEPS, min(STEPS, round((share - 0.5) / 0.4 * STEPS)))


@dataclass(frozen=True)
class Row:
    """A bot of the matrix against all of them, in the same order; None stands for itself."""

    standing: Standing
    cells: Sequence[Cell | None]


def matrix_of(ladder: Ladder) -> list[Row]:
    """The TOP ranked bots of the ladder, best first; their matches take one query."""
    standings = [row for row in standings_page(ladder, limit=TOP).rows if row.rank is not None]
    bots = [standing.bot.pk for standing in standings]
    met = Meeting.objects.filter(ladder=ladder, bot__in=bots, opponent__in=bots)
    sums = met.values_list("bot", "opponent", "matches", "quarters")
    totals = {(bot, opponent): (matches, quarters) for bot, opponent, matches, quarters in sums}
    return [
        Row(
            one,
            [
                None if other is one else Cell(other, *totals.get((one.bot.pk, other.bot.pk), (0, 0)))
                for other in standings
            ],
        )
        for one in standings
    ]
