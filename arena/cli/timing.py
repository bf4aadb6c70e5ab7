"""How long bots take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.actions import Action
from arena.bot import GameEnd, GameStart
from arena.cli.bots import NamedBot
from arena.events import Event
from arena.player import Player
from arena.view import View


@dataclass
class Timing:
    """CPU seconds that a bot used."""

    decisions: int = 0
    seconds: float = 0.0
    longest_decision: float = 0.0
    longest_game: float = 0.0

    def add(self, other: Timing) -> None:
        """Take the other's in."""
        self.decisions += other.decisions
        self.seconds += other.seconds
        self.longest_decision = max(self.longest_decision, other.longest_decision)
        self.longest_game = max(self.longest_game, other.longest_game)


class _Stopwatch:
    """A player that notes how long another one takes."""

    def __init__(self, player: Player, timing: Timing) -> None:
        self._player = player
        self._timing = timing

    @property
    def log(self) -> str:
        return self._player.log

    @property
    def spent(self) -> float:
        return self._player.spent

    def start(self, start: GameStart) -> None:
        self._player.start(start)

    def decide(self, view: View, events: Sequence[Event]) -> Action:
        before = self._player.spent
        try:
            return self._player.decide(view, events)
        finally:
            self._timing.decisions += 1
            self._timing.longest_decision = max(self._timing.longest_decision, self._player.spent - before)

    def end(self, end: GameEnd) -> None:
        self._player.end(end)

    def close(self) -> None:
        self._timing.seconds += self._player.spent
        self._timing.longest_game = max(self._timing.longest_game, self._player.spent)
        self._player.close()


class Timed:
    """A contestant whose players are timed."""

    def __init__(self, bot: NamedBot, timing: Timing) -> None:
        self._bot = bot
        self._timing = timing

    def new_player(self) -> _Stopwatch:
        """A player that is timed."""
        return _Stopwatch(self._bot.contestant().new_player(), self._timing)
