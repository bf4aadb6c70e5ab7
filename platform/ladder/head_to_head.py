"""Two bots against each other: totals of every rated match between them, and whether the difference means anything.

From the sums of pairs (`ladder.tallies`), so a few seconds behind.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from bots.models import Bot
from ladder.models import Ladder, Meeting
from ladder.significance import LEVEL, chance_of

_SUMMED = ("wins", "draws", "losses", "narrow_wins", "narrow_losses", "games_won", "points")


class Bar(NamedTuple):
    """A part of a bar that is 100 wide: matches won, drawn or lost."""

    kind: str
    start: float
    width: float


@dataclass(frozen=True)
class HeadToHead:
    """The rated, finished matches between two bots over all their versions, as the first of them sees it."""

    counts: Counter[int]
    """Matches by the first bot's score in quarters, 0..4."""
    games: tuple[int, int]
    """Games won by each."""
    points: tuple[int, int]
    """Card points of each over all games."""

    @property
    def matches(self) -> int:
        """How many there were."""
        return self.counts.total()

    @property
    def record(self) -> tuple[int, int, int]:
        """Matches won, drawn and lost: scored above, at and below one half."""
        counts = self.counts
        return counts[3] + counts[4], counts[2], counts[0] + counts[1]

    @property
    def points_a_match(self) -> tuple[int, int] | None:
        """The mean of each one's points; None before the first match."""
        return (round(self.points[0] / self.matches), round(self.points[1] / self.matches)) if self.matches else None

    @property
    def bar(self) -> list[Bar]:
        """The record as parts of a bar."""
        parts, start = [], 0.0
        for kind, count in zip(("won", "drawn", "lost"), self.record, strict=True):
            width = 100 * count / self.matches if self.matches else 0.0
            parts.append(Bar(kind, round(start, 2), round(width, 2)))
            start += width
        return parts

    @property
    def score(self) -> float | None:
        """The first bot's mean score a match, 0..1; None before the first."""
        total = sum(quarters * count for quarters, count in self.counts.items())
        return total / 4 / self.matches if self.matches else None

    @cached_property
    def chance(self) -> float:
        """How likely bots of equal strength part at least this far (`significance.chance_of`)."""
        return chance_of(self.counts)

    @property
    def is_significant(self) -> bool:
        """Whether chance is no good explanation of the difference."""
        return self.chance < LEVEL


def head_to_head(first: Bot, second: Bot, ladder: Ladder | None = None) -> HeadToHead:
    """Two different bots' results against each other, on one ladder or on all (rule sets differ, points with them).

    In one query of a row for each side and ladder, however often they have met.
    """
    both = [first, second]
    rows = Meeting.objects.filter(bot__in=both, opponent__in=both, ladder__in=Ladder.objects.all())
    if ladder is not None:
        rows = rows.filter(ladder=ladder)
    sums: dict[int, Counter[str]] = {bot.pk: Counter() for bot in both}
    for bot, *values in rows.values_list("bot", *_SUMMED):
        sums[bot].update(dict(zip(_SUMMED, values, strict=True)))
    mine, theirs = (sums[bot.pk] for bot in both)
    return HeadToHead(
        counts=Counter(
            {
                0: mine["losses"] - mine["narrow_losses"],
                1: mine["narrow_losses"],
                2: mine["draws"],
                3: mine["narrow_wins"],
                4: mine["wins"] - mine["narrow_wins"],
            }
        ),
        games=(mine["games_won"], theirs["games_won"]),
        points=(mine["points"], theirs["points"]),
    )
