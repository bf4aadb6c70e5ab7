"""What the referee asks of whoever plays, and the two ways in which playing can fail.

    Exception
    +-- BotFault       the bot's doing: the game is forfeited, and that is rated
    +-- HouseFailure   the arena's doing: the match is void and played again, and the bot never hears of it

The two are unrelated classes on purpose: no `except` can take the one for the other.
"""

from __future__ import annotations

from enum import Enum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from arena.actions import Action
    from arena.bot import GameEnd, GameStart
    from arena.events import Event
    from arena.view import View
else:
    Protocol = object
    """A box has no use for what only type checkers ask about."""


class FaultKind(Enum):
    """What a bot did wrong."""

    START = "start"
    """It could not be loaded: a syntax error, no bot class, a constructor that raises."""
    EXCEPTION = "exception"
    """Its code raised an exception, SystemExit and KeyboardInterrupt included."""
    ILLEGAL = "illegal"
    """It chose an action that the rules forbid, or something that is no action at all."""
    TIME = "time"
    """It used up its clock."""
    MEMORY = "memory"
    """It ran out of memory."""
    CRASH = "crash"
    """Its process ended or stopped answering."""
    PROTOCOL = "protocol"
    """Its process sent something other than the one reply that was due."""
    OUTPUT = "output"
    """It wrote more than its limits allow."""


class BotFault(Exception):  # noqa: N818 - whose doing it is, not just that it went wrong
    """The bot failed; the game is forfeited by its seat."""

    def __init__(
        self,
        kind: FaultKind,
        message: str,
        *,
        traceback: str = "",
        file: str | None = None,
        line: int | None = None,
        code: str = "",
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        """One sentence for the owner and for spectators; holds none of the bot's source."""
        self.traceback = traceback
        """For the owner alone: frames of the upload with their source lines, or ''."""
        self.file = file
        """Path inside the upload, '/'-separated, or None when there is no one place."""
        self.line = line
        """Line in `file`, counted from 1."""
        self.code = code
        """With START: which of the loader's checks failed (`LoadError.code`), else ''."""


class HouseFailure(Exception):  # noqa: N818 - as above
    """The arena failed (an engine gone, a full disk): the match is played again and nothing is rated."""


class Player(Protocol):
    """One mind in one game. It is asked in the order start, decide (many times), end, close."""

    @property
    def log(self) -> str:
        """What the bot printed in this game so far, capped; for its owner alone."""

    @property
    def spent(self) -> float:
        """Seconds charged to the bot in this game so far, start-up not counted. Never falls."""

    def start(self, start: GameStart) -> None:
        """Load the bot and tell it that a game begins. Raises BotFault or HouseFailure."""

    def decide(self, view: View, events: Sequence[Event]) -> Action:
        """The bot's action at `view.decision`, given what happened since it was last asked.

        Raises BotFault or HouseFailure. Whether the action is legal is for the caller to check.
        """

    def end(self, end: GameEnd) -> None:
        """Tell the bot how the game ended. Raises BotFault or HouseFailure."""

    def close(self) -> None:
        """Let go of everything the mind held. May be called at any time, more than once; raises nothing."""


class Contestant(Protocol):
    """A bot in a match: it sends a fresh mind to every game.

    The games of a mirrored pair share their decks, so that a mind which remembered the first would know
    every card of the second. Nothing may pass from one player of a contestant to the next.
    """

    def new_player(self) -> Player:
        """A player that has never run the bot's code. Raises HouseFailure."""
