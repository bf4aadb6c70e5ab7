"""A match in words and rows, as its page shows it: what the numbers of the tables mean to a reader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser, User

from arena.prints import Mark, prints_of
from bots.models import Bot
from ladder import queries
from ladder.models import Fault, Game, Match, RatingChange, Seat
from ladder.services.matches import ATTEMPTS

ENDINGS = {
    "target": "reached the target",
    "hand_cap": "led when the last hand allowed was played",
    "fault": "won because the other bot failed",
}
FAULTS = {
    "start": "could not be started",
    "exception": "raised an exception",
    "illegal": "chose something the rules forbid",
    "time": "ran out of time",
    "memory": "ran out of memory",
    "crash": "stopped running",
    "protocol": "sent a reply that could not be read",
    "output": "wrote more than its limits allow",
}


@dataclass(frozen=True)
class FaultRow:
    """A bot's failure in a game; `details` says whether the reader may see the traceback."""

    fault: Fault
    seat: Seat
    what: str
    details: bool


@dataclass(frozen=True)
class LogRow:
    """What the reader's own bot printed in a game."""

    seat: Seat
    text: str
    marks: Sequence[Mark] = ()

    @property
    def prints(self) -> list[tuple[int | None, str]]:
        """The text in parts, each with the step of the replay that it came with, if that is known."""
        return prints_of(self.text, self.marks)


@dataclass(frozen=True)
class GameRow:
    """One game of a finished match. Scores are in the match's seat order."""

    game: Game
    winner: Seat | None
    how: str
    faults: tuple[FaultRow, ...]
    logs: tuple[LogRow, ...]

    @property
    def place(self) -> int:
        """The game's number as people count, from 1."""
        return self.game.number + 1

    @property
    def top_seat(self) -> int:
        """The seat, in this game, of the match's first bot: it is drawn at the top."""
        return self.game.seat0_index  # of two bots: who has the other's place has it in either direction


@dataclass(frozen=True)
class SideRow:
    """One seat of a match with what the match did to its rating (None when unrated or unfinished)."""

    seat: Seat
    change: RatingChange | None
    won: bool


@dataclass(frozen=True)
class MatchView:
    """Everything on a match page."""

    match: Match
    sides: tuple[SideRow, SideRow]
    games: tuple[GameRow, ...]
    verdict: str
    """The result in one sentence; empty while there is none."""
    reason: str
    """Why the score is what it is, or why there is none to come."""


def owns(user: User | AnonymousUser, bot: Bot) -> bool:
    """Whether the reader may see the bot's tracebacks and prints: its owner, or staff."""
    return user.is_authenticated and (user.is_staff or (bot.owner_id is not None and bot.owner_id == user.pk))


def match_view(match: Match, user: User | AnonymousUser) -> MatchView:
    """The page of a match from `queries.match_detail`, with details of faults only where `user` may see them."""
    seats = list(match.seats.all())
    changes = {change.rating.version_id: change for change in match.rating_changes.all()}
    sides = tuple(
        SideRow(seat=seat, change=changes.get(seat.version_id), won=(seat.score_quarters or 0) > 2) for seat in seats
    )
    logs = [
        (log.game_id, LogRow(seat, log.text, log.marks))
        for seat in seats
        if owns(user, seat.version.bot)
        for log in queries.seat_logs(match, seat.index)
    ]
    games = tuple(
        _game_row(game, seats, user, tuple(row for game_id, row in logs if game_id == game.pk))
        for game in match.games.all()
    )
    finished = match.state == Match.State.FINISHED
    return MatchView(
        match=match,
        sides=(sides[0], sides[1]),
        games=games,
        verdict=_verdict(seats) if finished else "",
        reason=_reason(seats, games) if finished else _void_reason(match),
    )


def _game_row(game: Game, seats: Sequence[Seat], user: User | AnonymousUser, logs: tuple[LogRow, ...]) -> GameRow:
    faults = tuple(
        FaultRow(
            fault=fault,
            seat=seats[fault.seat],
            what=FAULTS.get(fault.kind, "failed"),
            details=owns(user, seats[fault.seat].version.bot),
        )
        for fault in game.faults.all()
    )
    winner = None if game.winner is None else seats[game.winner]
    if winner is None:
        how = "Drawn: both bots failed." if len(faults) == 2 else "Drawn: level when the last hand allowed was played."
    else:
        how = f"{winner.version.bot.name} {ENDINGS.get(game.ending, 'won')}."
    return GameRow(game=game, winner=winner, how=how, faults=faults, logs=logs)


def _verdict(seats: Sequence[Seat]) -> str:
    first, second = seats
    if first.score_quarters == second.score_quarters:
        return f"{first.version.bot.name} and {second.version.bot.name} drew."
    better, worse = sorted(seats, key=lambda seat: seat.score_quarters or 0, reverse=True)
    clear = "beat" if better.score_quarters == 4 else "edged out"
    return f"{better.version.bot.name} {clear} {worse.version.bot.name}."


def _void_reason(match: Match) -> str:
    if match.state != Match.State.VOID:
        return ""
    if match.failures >= ATTEMPTS:
        return "The match could not be played for reasons on our side, after several tries."
    return "It was taken out before it was played: one of its bots had left the ladder, or the staff decided so."


def _reason(seats: Sequence[Seat], games: Sequence[GameRow]) -> str:
    better, worse = sorted(seats, key=lambda seat: seat.score_quarters or 0, reverse=True)
    name = better.version.bot.name
    won = f"{better.games_won}\N{EN DASH}{worse.games_won} in games"
    points = f"{better.points} to {worse.points} points"
    draws = len(games) - better.games_won - worse.games_won
    if better.score_quarters == 4:
        return f"{name} won {won}, which is worth the whole match."
    if draws == len(games):
        return "Every game was drawn, so each bot gets half."
    if draws:
        return f"{won}, the rest drawn: three quarters for {name}, one quarter for {worse.version.bot.name}."
    if better.score_quarters == 3 and worse.faults and not better.faults:
        failed = worse.version.bot.name
        return f"The games were shared, and {failed} alone failed in one: three quarters for {name}, one for {failed}."
    if better.score_quarters == 3:
        return f"The games were shared; {name} scored more over both ({points}), worth three quarters of the match."
    return f"The games were shared and the points are equal ({points}), so each bot gets half."
