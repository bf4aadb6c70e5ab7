"""A trial in words and rows, as its author reads it beside the code."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.bots import HOUSE_BOTS, HouseBot
from arena.record import FaultRecord, GameRecord, MatchRecord
from bots.models import Trial

DRAFT = 0
"""The draft's side of the match."""


@dataclass(frozen=True)
class Problem:
    """A line of the draft that something went wrong at."""

    line: int
    message: str


@dataclass(frozen=True)
class TriedGame:
    """One game of a trial, as the draft saw it."""

    place: int
    """From 1."""
    outcome: str
    """won, lost or drawn."""
    points: tuple[int, int]
    """The draft's and its opponent's."""
    fault: FaultRecord | None
    """The draft's own."""
    log: str
    """What the draft printed."""
    start: int
    """The position that a replay is opened at: the deal, or where the draft failed."""
    has_cards: bool
    """False when the draft failed before anybody moved, so that there is nothing to watch."""


@dataclass(frozen=True)
class TrialView:
    """Everything on the page of a trial."""

    trial: Trial
    opponent: HouseBot
    verdict: str
    """The result in a sentence; empty while there is none."""
    games: tuple[TriedGame, ...]
    problems: tuple[Problem, ...]
    """For the editor, one a line."""

    @property
    def faults(self) -> list[tuple[str, FaultRecord]]:
        """What the draft failed of, and where in words; once when it was the same in both games."""
        found = [(game, game.fault) for game in self.games if game.fault]
        if len(found) == 2 and len({(fault.message, fault.traceback) for _, fault in found}) == 1:
            return [("Both games", found[0][1])]
        return [(f"Game {game.place}, hand {fault.hand}", fault) for game, fault in found]

    @property
    def is_live(self) -> bool:
        """Whether there is more to come."""
        return self.trial.state in (Trial.State.QUEUED, Trial.State.RUNNING)

    @property
    def watched(self) -> TriedGame | None:
        """The game whose replay is opened first: one in which the draft failed, else the first with any cards."""
        shown = [game for game in self.games if game.has_cards]
        return next((game for game in shown if game.fault), shown[0] if shown else None)


def record_of(trial: Trial) -> MatchRecord | None:
    """The move log of a finished trial."""
    return None if trial.record is None else MatchRecord.from_bytes(bytes(trial.record))


def trial_view(trial: Trial) -> TrialView:
    """The page of a trial, whatever its state."""
    opponent = next(bot for bot in HOUSE_BOTS if bot.slug == trial.opponent)
    record = record_of(trial)
    games = () if record is None else tuple(_game(game) for game in record.games)
    problems = {fault.line: fault.message for game in reversed(games) if (fault := game.fault) and fault.line}
    return TrialView(
        trial=trial,
        opponent=opponent,
        verdict=_verdict(games, opponent.name),
        games=games,
        problems=tuple(Problem(line, message) for line, message in sorted(problems.items())),
    )


def _game(game: GameRecord) -> TriedGame:
    seat, score = game.side_of(DRAFT), game.score()
    moves = sum(len(hand.times) for hand in game.hands)
    fault = next((fault for fault in game.faults if fault.seat == seat), None)
    return TriedGame(
        place=game.number + 1,
        outcome={DRAFT: "won", None: "drawn"}.get(score.winner, "lost"),
        points=score.points,
        fault=fault,
        log=game.logs[seat],
        # A position for each deal, move and fault.
        start=len(game.hands) + moves + len(game.faults) - 1 if fault else 0,
        has_cards=moves > 0,
    )


def _verdict(games: Sequence[TriedGame], opponent: str) -> str:
    if not games:
        return ""
    failed = sum(game.fault is not None for game in games)
    if failed == len(games):
        return f"Your draft failed in every game against {opponent}."
    won, lost = (sum(game.outcome == outcome for game in games) for outcome in ("won", "lost"))
    mine, theirs = (sum(game.points[side] for game in games) for side in (0, 1))
    what = "beat" if won > lost else "lost to" if won < lost else "drew with"
    also = f" It failed in {failed} of the games." if failed else ""
    return f"Your draft {what} {opponent}: {won} to {lost} in games, {mine} to {theirs} in points.{also}"
