"""How a bot plays, in sums that add up over games: how its hands ended, what it was left with, how long it thought."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from arena.events import HandEnding
from arena.game import Game
from arena.handrecord import FIRST_LEVEL_SECONDS, LEVELS_PER_DECADE, TIME_CODES
from arena.record import GameRecord

BINS_PER_DECADE = 2
_LEVELS_PER_BIN = LEVELS_PER_DECADE // BINS_PER_DECADE
TIME_BINS = 1 + -(-(len(TIME_CODES) - 1) // _LEVELS_PER_BIN)
"""Classes of decision times: the first is below FIRST_LEVEL_SECONDS, each other half a factor of ten wide."""
_BIN_OF = {code: -(-level // _LEVELS_PER_BIN) for level, code in enumerate(TIME_CODES)}
_GIN = (HandEnding.GIN, HandEnding.BIG_GIN)


@dataclass(slots=True)
class Style:
    """What one side did in so many games."""

    hands: int = 0
    """Hands that somebody won; the others end without a showdown."""
    gins: int = 0
    """Of them, those that it ended with gin, big gin included."""
    knocks: int = 0
    """Those that it ended with a knock."""
    caught: int = 0
    """Of its knocks, those that were undercut."""
    faced: int = 0
    """Hands that the other side ended with a knock."""
    undercuts: int = 0
    """Of them, those that it undercut."""
    deadwood: int = 0
    """Points of deadwood that it was left with, layoffs taken off, over `hands`."""
    times: list[int] = field(default_factory=lambda: [0] * TIME_BINS)
    """Decisions by class of time."""

    def add(self, other: Style) -> None:
        """Counts what the other counted as well."""
        self.hands += other.hands
        self.gins += other.gins
        self.knocks += other.knocks
        self.caught += other.caught
        self.faced += other.faced
        self.undercuts += other.undercuts
        self.deadwood += other.deadwood
        for place, count in enumerate(other.times):
            self.times[place] += count

    def __str__(self) -> str:
        # Not `astuple`, which copies deeply: it took a quarter of the time of counting a match.
        counts = [getattr(self, name) for name in self.__slots__[:-1]] + self.times
        while counts and not counts[-1]:
            counts.pop()
        return " ".join(map(str, counts))

    @classmethod
    def parse(cls, text: str) -> Style:
        """What `str` gave."""
        counts = [int(count) for count in text.split()]
        counts += [0] * (_COUNTS + TIME_BINS - len(counts))
        hands, gins, knocks, caught, faced, undercuts, deadwood, *times = counts
        return cls(hands, gins, knocks, caught, faced, undercuts, deadwood, times)


_COUNTS = len(Style.__slots__) - 1


def bin_limit(place: int) -> float:
    """The longest time, in seconds, of a class."""
    return float(FIRST_LEVEL_SECONDS * 10 ** (place / BINS_PER_DECADE))


def styles_of(record: GameRecord, game: Game) -> tuple[Style, Style]:
    """How sides A and B of the match played a game; `game` is the record, replayed to its end."""
    seats = (Style(), Style())
    for hand, recorded in zip(game.hands, record.hands, strict=True):
        for (seat, *_), code in zip(hand.log, recorded.times, strict=True):
            seats[seat].times[_BIN_OF[code]] += 1
    for result in game.results:
        if result.knocker is None or result.knocker_arrangement is None or result.defence is None:
            continue
        knocker, defender = seats[result.knocker], seats[1 - result.knocker]
        knocker.hands += 1
        defender.hands += 1
        knocker.deadwood += result.knocker_arrangement.points
        defender.deadwood += result.defence.points
        if result.ending in _GIN:
            knocker.gins += 1
            continue
        knocker.knocks += 1
        defender.faced += 1
        if result.ending is HandEnding.UNDERCUT:
            knocker.caught += 1
            defender.undercuts += 1
    return seats[record.side_of(0)], seats[record.side_of(1)]


def to_text(styles: Sequence[Style]) -> str:
    """Both sides' styles in one column."""
    return ";".join(map(str, styles))


def from_text(text: str) -> tuple[Style, Style]:
    """The two that `to_text` was given."""
    first, second = text.split(";")
    return Style.parse(first), Style.parse(second)


def share(part: int, whole: int) -> float | None:
    """A part of the whole, 0..1; None of nothing."""
    return part / whole if whole else None
