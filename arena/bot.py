"""The class that authors subclass, and what it is told at the two ends of a game."""

# ruff: noqa: B027 - a hook that does nothing is what most bots want

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum

from arena.events import event_from_wire, event_to_wire
from arena.rules import Rules
from arena.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from random import Random
    from typing import Any, Self

    from arena.actions import BigGin, Discard, Draw
    from arena.cards import Card
    from arena.events import Event, HandEnded, HandStarted
    from arena.layoffs import LayOff
    from arena.melds import Meld
    from arena.view import View


class GameEnding(Enum):
    """Why a game ended."""

    TARGET = "target"
    """A player reached the rule set's target."""
    HAND_CAP = "hand_cap"
    """The rule set's number of hands was played; the higher score wins, equal scores are a draw."""
    FAULT = "fault"
    """A bot failed and forfeited; if both failed at the same point, nobody won."""


class Clock(Value):
    """The time a bot has, in seconds of CPU."""

    game_seconds: float
    """For all decisions and notices of one game together."""
    decision_seconds: float
    """At most, for one of them."""


class GameStart(Value):
    """What a bot is told before the first hand. It is never told whom it plays."""

    rules: Rules
    seat: int
    """0 or 1. Everything a bot sees names seats by these numbers."""
    seed: str
    """32 hex digits that `Bot.random` is seeded with; they tell nothing about the decks."""
    clock: Clock | None = None
    """None when nobody keeps time, as in local play."""

    def to_wire(self) -> dict[str, Any]:
        """The JSON object of a start request; `from_wire` reads it back."""
        clock = self.clock
        return {
            "rules": self.rules.to_wire(),
            "seat": self.seat,
            "seed": self.seed,
            "clock": None if clock is None else [clock.game_seconds, clock.decision_seconds],
        }

    @classmethod
    def from_wire(cls, data: Mapping[str, Any]) -> GameStart:
        """The start that `to_wire` gave."""
        clock = data["clock"]
        return cls(Rules.from_wire(data["rules"]), data["seat"], data["seed"], None if clock is None else Clock(*clock))


class GameEnd(Value):
    """What a bot is told after the last hand. A forfeited game stops at once, without this."""

    ending: GameEnding
    winner: int | None
    """Winning seat, or None for a draw."""
    scores: tuple[int, int]
    """Final points by seat."""
    events: tuple[Event, ...] = ()
    """What happened since the bot was last asked; its other hooks have been told already."""

    def to_wire(self) -> dict[str, Any]:
        """The JSON object of an end request; `from_wire` reads it back."""
        return {
            "ending": self.ending.value,
            "winner": self.winner,
            "scores": list(self.scores),
            "events": [event_to_wire(event) for event in self.events],
        }

    @classmethod
    def from_wire(cls, data: Mapping[str, Any]) -> GameEnd:
        """The end that `to_wire` gave."""
        first, second = data["scores"]
        events = tuple(event_from_wire(event) for event in data["events"])
        return cls(GameEnding(data["ending"]), data["winner"], (first, second), events)


class Bot(ABC):
    """A Gin Rummy player. Subclass it, write the two choices, and leave the rest if you like.

    One instance plays one game. Its process has never run the bot before and ends with the game, so
    nothing can be carried over.
    """

    random: Random
    """The bot's own randomness, seeded anew for every game, so that a game can be played again exactly."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Give every bot its `random`, also one whose `__init__` forgets to call `super().__init__()`."""
        from random import Random  # here, for what it costs `import arena`; the sandbox has it before it starts a bot

        bot = super().__new__(cls)
        bot.random = Random(0)
        return bot

    @abstractmethod
    def choose_draw(self, view: View) -> Draw:
        """Where to draw from: one of `view.legal`. `Draw.PASS` is legal only when the first upcard is offered."""

    @abstractmethod
    def choose_discard(self, view: View) -> Discard | Card | BigGin:
        """What to discard from eleven cards, and whether to knock with it: one of `view.legal`.

        A bare card is discarded without a knock.
        """

    def start_game(self, start: GameStart) -> None:
        """Called once, before the first hand."""

    def start_hand(self, start: HandStarted) -> None:
        """Called when a hand has been dealt."""

    def observe(self, event: Event) -> None:
        """Called for each thing that happens during a hand, the bot's own actions included, in order.

        The start and the end of a hand go to `start_hand` and `end_hand` instead. What happened since the
        bot's last decision is told just before its next one.
        """

    def end_hand(self, end: HandEnded) -> None:
        """Called when a hand is over."""

    def end_game(self, end: GameEnd) -> None:
        """Called once, after the last hand."""

    def arrange(self, view: View) -> Sequence[Meld] | None:
        """The melds to show of one's own hand at a knock, one's own or the opponent's. None: the best ones."""
        return None

    def lay_off(self, view: View, melds: tuple[Meld, ...]) -> Sequence[LayOff] | None:
        """The cards to lay off on the knocker's `melds`, in order; each names its meld by index. None: the best."""
        return None
