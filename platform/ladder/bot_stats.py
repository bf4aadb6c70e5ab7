"""How a bot has fared and how it plays on one ladder: what its page and the API show of its tallies and meetings.

A fixed number of queries and rows, however long the history; a few seconds behind it (`ladder.tallies`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.db.models import ExpressionWrapper, F, FloatField

from bots.models import Bot
from ladder.charts import Span
from ladder.fresh import Fresh
from ladder.models import Ladder, Meeting, Rating, Seat, Tallied, Tally
from ladder.styles import Style
from ladder.tallies import MILLION, no_games, stride

VERSIONS = 50
"""Newest versions that are looked at."""
OPPONENTS = 20
"""Rows of a page of opponents."""
PAGES = 1_000
"""Pages of opponents that can be asked for."""

# What is shown, and no more: the other columns would take longer than the rows.
_OF_RATING = (
    *("version", "version__number", "start_milli", "milli", "matches", "strength__low_milli", "strength__high_milli"),
    *(
        f"tally__{name}"
        for name in ("matches", "seats", "style", "curve", "best_milli", "best", "worst_milli", "worst")
    ),
)
_OF_MEETING = (
    *("opponent__name", "opponent__slug", "opponent_milli"),
    *("matches", "wins", "draws", "losses", "quarters", "expected"),
)


class By(StrEnum):
    """What opponents can be sorted by."""

    NAME = "name"
    ELO = "elo"
    MATCHES = "matches"
    SCORE = "score"
    SURPRISE = "surprise"


_KEYS: dict[By, F | ExpressionWrapper[Any]] = {
    By.NAME: F("opponent__name"),
    By.ELO: F("opponent_milli"),
    By.MATCHES: F("matches"),
    By.SCORE: ExpressionWrapper(F("quarters") * 1.0 / F("matches"), FloatField()),
    By.SURPRISE: ExpressionWrapper(F("quarters") * (MILLION // 4) - F("expected"), FloatField()),
}


@dataclass(frozen=True)
class Order:
    """How opponents are sorted."""

    by: By = By.MATCHES
    is_down: bool = True

    @classmethod
    def parse(cls, text: str) -> Order:
        """The order that `str` gave; the usual one for "". Raises ValueError for anything else."""
        return cls(By(text.removeprefix("-")), text.startswith("-")) if text else cls()

    def __str__(self) -> str:
        return f"{'-' if self.is_down else ''}{self.by}"

    def turned(self, by: By) -> Order:
        """The order behind the heading of a column: the other way round where it is sorted by that one already."""
        return Order(by, not self.is_down if by is self.by else by is not By.NAME)


@dataclass(frozen=True)
class Opponent:
    """A bot's rated matches against one other, over all versions of both."""

    name: str
    slug: str
    milli: int
    """Its rating before they last met."""
    matches: int
    wins: int
    draws: int
    losses: int
    score: float
    """Mean score a match, 0..1."""
    expected: float
    """The mean that the ratings before each match promised."""
    surprise: float
    """Points of matches beyond what the ratings promised, below 0 when short of it."""


@dataclass(frozen=True)
class OpponentsPage:
    """A slice of a bot's opponents."""

    rows: list[Opponent]
    number: int
    """From 1."""
    has_next: bool


@dataclass(frozen=True)
class SeatRow:
    """A bot's games from one seat."""

    seat: int
    """The game's."""
    games: int
    won: float
    """The share of games won, a draw counting half."""
    points: float
    """Card points a game."""


@dataclass(frozen=True)
class Notable:
    """A match worth a look, as the bot sees it."""

    match_id: int
    opponent: str
    """Name."""
    slug: str
    """The opponent's."""
    opponent_milli: int
    """The opponent's rating then."""


@dataclass(frozen=True)
class Stats:
    """What the tallies of a bot's versions say together."""

    spans: list[Span]
    """For the chart of ratings."""
    current: Style
    """How the newest version plays."""
    overall: Style
    """How all versions played."""
    ladder: Style
    """How everybody on the ladder plays."""
    seats: list[SeatRow]
    """Over all versions; none before the first game."""
    best: Notable | None
    """The win against the opponent that was rated highest."""
    worst: Notable | None
    """The loss against the opponent that was rated lowest."""
    ratings: list[Rating]
    """Of all versions, newest first."""


def stats_of(bot: Bot, ladder: Ladder) -> Stats:
    """The bot on the ladder, whichever version played; in two queries, and a third now and then."""
    ratings = list(
        Rating.objects.filter(ladder=ladder, version__bot=bot)
        .select_related("tally", "strength", "version")
        .only(*_OF_RATING)
        .order_by("-version__number")[:VERSIONS]
    )
    tallies = [rating.tally for rating in ratings if hasattr(rating, "tally")]
    styles = [Style.parse(tally.style) for tally in tallies]
    overall = Style()
    for style in styles:
        overall.add(style)
    playing = next((rating for rating in ratings if rating.matches), None)
    best, worst = _notable(bot, tallies)
    return Stats(
        spans=[_span(rating) for rating in reversed(ratings)],
        current=Style.parse(playing.tally.style) if playing is not None and hasattr(playing, "tally") else Style(),
        overall=overall,
        ladder=_everybodys(ladder.pk),
        seats=_seats(tallies),
        best=best,
        worst=worst,
        ratings=ratings,
    )


def _style_of_all(ladder_id: int) -> Style:
    return Style.parse(next(iter(Tallied.objects.filter(ladder=ladder_id).values_list("style", flat=True)), ""))


_everybodys: Fresh[int, Style] = Fresh(_style_of_all)
"""How everybody plays on the ladder with that key: the same beside every bot."""


def _span(rating: Rating) -> Span:
    """The curve of a version: where it started, what was kept on the way, and where it stands now."""
    points = [(0, rating.start_milli / 1000)]
    tally = getattr(rating, "tally", None)
    if tally is not None:
        step = stride(tally.matches)
        points += [((n + 1) * step, milli / 1000) for n, milli in enumerate(tally.curve)]
    if points[-1][0] < rating.matches:
        points.append((rating.matches, rating.milli / 1000))
    strength = getattr(rating, "strength", None)
    margin = (strength.high_milli - strength.low_milli) / 2000 if strength is not None else None
    return Span(rating.version.number, points, margin or None)


def _seats(tallies: Sequence[Tally]) -> list[SeatRow]:
    sums = no_games()
    for tally in tallies:
        for mine, theirs in zip(sums, tally.seats, strict=True):
            mine[:] = [a + b for a, b in zip(mine, theirs, strict=True)]
    return [
        SeatRow(seat, games, (won + drawn / 2) / games, points / games)
        for seat, (games, won, drawn, points) in enumerate(sums)
        if games
    ]


def _notable(bot: Bot, tallies: Sequence[Tally]) -> tuple[Notable | None, Notable | None]:
    best = max((tally for tally in tallies if tally.best_id), key=lambda tally: tally.best_milli or 0, default=None)
    worst = min((tally for tally in tallies if tally.worst_id), key=lambda tally: tally.worst_milli or 0, default=None)
    keys = [best.best_id if best else None, worst.worst_id if worst else None]
    met = Seat.objects.filter(bot=bot, match__in=[key for key in keys if key])
    opponents = {
        match: (name, slug) for match, name, slug in met.values_list("match", "opponent__name", "opponent__slug")
    }

    def notable(match: int | None, milli: int | None) -> Notable | None:
        return None if match is None or milli is None else Notable(match, *opponents[match], milli)

    return (
        notable(best.best_id, best.best_milli) if best else None,
        notable(worst.worst_id, worst.worst_milli) if worst else None,
    )


def opponents_page(bot: Bot, ladder: Ladder, order: Order, page: int = 1, *, size: int = OPPONENTS) -> OpponentsPage:
    """A slice of the bot's opponents on the ladder; pages count from 1."""
    key = _KEYS[order.by]
    rows = Meeting.objects.filter(bot=bot, ladder=ladder).order_by(
        key.desc() if order.is_down else key.asc(), "-matches", "opponent"
    )
    start = (page - 1) * size
    found = list(rows.values_list(*_OF_MEETING)[start : start + size + 1])
    return OpponentsPage([_opponent(*row) for row in found[:size]], page, len(found) > size)


def _opponent(
    name: str, slug: str, milli: int, matches: int, wins: int, draws: int, losses: int, quarters: int, expected: int
) -> Opponent:
    points, promised = quarters / 4, expected / MILLION
    return Opponent(
        *(name, slug, milli, matches, wins, draws, losses),
        score=points / matches,
        expected=promised / matches,
        surprise=points - promised,
    )
