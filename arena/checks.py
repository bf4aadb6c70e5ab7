"""Whether an upload is a bot that plays: it is loaded, meets a house bot, and meets itself.

The site runs these checks in a sandbox (`sandbox.validation`) and an author on their own machine (`arena check`): both
come to the same sentences. A bot that fails is its author's affair and becomes a check that failed, with file and line.
Whatever else fails, a house bot included, is the house's affair: HouseFailure, and the checks are done again.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from arena.archive import ENTRY, BotSource
from arena.bots import HOUSE_BOTS, house_source
from arena.client import LinkedPlayer
from arena.game import Game
from arena.player import BotFault, HouseFailure
from arena.record import FaultRecord, GameRecord
from arena.referee import play_game, play_match
from arena.rules import CLASSIC

CHECKS = ("load", "house_game", "self_play")
"""The names of the checks, in order."""
HOUSE_BOT = "simple"
_LOG_CHARACTERS = 64 * 1024
_SEED_BYTES = 16


@dataclass(frozen=True)
class Check:
    """One thing that was tried with the upload."""

    name: str
    """load, house_game or self_play."""
    ok: bool
    message: str
    """One sentence: what was done, or what was wrong and what to do."""
    code: str = ""
    """What kind of failure; '' when the check passed."""
    traceback: str = ""
    """For the owner only."""
    file: str | None = None
    """Path inside the upload."""
    line: int | None = None
    """Line in `file`, from 1."""


@dataclass(frozen=True)
class ValidationReport:
    """The checks in the order they ran; none runs after one that failed."""

    checks: tuple[Check, ...]
    class_name: str = ""
    """The bot class, once it was found."""
    log: str = ""
    """What the bot printed meanwhile, capped. For the owner only."""

    @property
    def ok(self) -> bool:
        """Whether every check passed."""
        return all(check.ok for check in self.checks)

    def to_dict(self) -> dict[str, Any]:
        """JSON data with the keys ok, class_name, checks (a list of `Check` as objects) and log."""
        return {"ok": self.ok} | asdict(self) | {"checks": [asdict(check) for check in self.checks]}


Progress = Callable[[ValidationReport], None]
"""Called with what is known so far, at every check and every hand; what it raises ends the validation."""


class Entrant(Protocol):
    """A contestant that can be closed, as one that holds a box must be."""

    def new_player(self) -> LinkedPlayer:
        """A player that has never run the bot's code. Raises HouseFailure."""
        ...

    def close(self) -> None:
        """Let go of whatever it holds. Raises nothing."""
        ...


def examine(
    source: BotSource, enter: Callable[[BotSource], Entrant], *, progress: Progress | None = None
) -> ValidationReport:
    """Run every check, as far as they pass, on what `enter` gives to play a source. Raises HouseFailure."""
    # One entrant for all checks: every game has a mind of its own, and in a sandbox to open a box takes longest.
    with closing(enter(source)) as own:
        examination = _Examination(source, own, enter, progress)
        for name in CHECKS:
            examination.tell()
            check: Callable[[], Check] = getattr(examination, name)
            found = check()
            examination.checks.append(found)
            if not found.ok:
                break
    return examination.report()


class _Examination:
    def __init__(
        self,
        source: BotSource,
        own: Entrant,
        enter: Callable[[BotSource], Entrant],
        progress: Progress | None,
    ) -> None:
        self.source = source
        self.own = own
        self.enter = enter
        self.progress = progress
        self.checks: list[Check] = []
        self.class_name = ""
        self.log = ""

    def report(self) -> ValidationReport:
        return ValidationReport(tuple(self.checks), self.class_name, self.log)

    def tell(self) -> None:
        if self.progress is not None:
            self.progress(self.report())

    def load(self) -> Check:
        with closing(self.own.new_player()) as player:
            try:
                self.class_name = player.load().class_name
            except BotFault as fault:
                return Check(
                    "load",
                    ok=False,
                    message=fault.message,
                    code=fault.code or fault.kind.value,
                    traceback=fault.traceback,
                    file=fault.file,
                    line=fault.line,
                )
            finally:
                self._keep_log("loading", player.log)
        return Check("load", ok=True, message=f"The class {self.class_name} was loaded from {self.source.entry}.")

    def house_game(self) -> Check:
        house_bot = next(bot for bot in HOUSE_BOTS if bot.slug == HOUSE_BOT)
        opponent = BotSource({ENTRY: house_source(HOUSE_BOT)}, ENTRY)
        with closing(self.enter(opponent)) as other:
            game = play_game(CLASSIC, os.urandom(_SEED_BYTES), (self.own, other), on_hand=self._after_hand)
        self._keep_log(f"the game against {house_bot.name}", game.logs[0])
        if game.fault is None:
            mine, theirs = game.scores
            message = f"It played a game against {house_bot.name} without a fault: {mine} to {theirs}."
            return Check("house_game", ok=True, message=message)
        fault = next((fault for fault in game.faults if fault.seat == 0), None)
        if fault is None:
            raise HouseFailure(f"The house bot {house_bot.name} failed in a validation: {game.fault.message}")
        return _failed("house_game", fault, game)

    def self_play(self) -> Check:
        with closing(self.enter(self.source)) as twin:
            games = play_match(CLASSIC, os.urandom(_SEED_BYTES), self.own, twin, on_hand=self._after_hand).games
        for game in games:
            for seat in (0, 1):
                self._keep_log(f"game {game.number + 1} against itself, seat {seat}", game.logs[seat])
        for game in games:
            if game.fault is not None:
                return _failed("self_play", game.fault, game)
        return Check("self_play", ok=True, message="It played a mirrored pair of games against itself without a fault.")

    def _after_hand(self, _number: int, _game: Game) -> None:
        self.tell()

    def _keep_log(self, where: str, text: str) -> None:
        if text:
            self.log = f"{self.log}[{where}]\n{text.rstrip()}\n"[:_LOG_CHARACTERS]


def _failed(name: str, fault: FaultRecord, game: GameRecord) -> Check:
    return Check(
        name,
        ok=False,
        message=f"In hand {fault.hand} of game {game.number + 1}: {fault.message}",
        code=fault.code or fault.kind.value,
        traceback=fault.traceback,
        file=fault.file,
        line=fault.line,
    )
