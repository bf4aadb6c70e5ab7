"""What a driver is: a way to put one bot of one match into a box, and to give it a fresh mind for every game.

    Driver.open_box() -> Box            one bot in one match; closing it destroys everything
    Box.new_mind()    -> Channel        one process that has never run the bot's code, for one game
    Channel.send(), Channel.receive()   one line each way, on a deadline

Lines are bytes; what they mean is none of a driver's business.

    HouseFailure (arena.player)
    +-- DriverUnavailable               this driver cannot work on this machine; the text says what to do
    BotFault (arena.player)             the bot's doing, and raised only for what the bot's own process did
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from arena import clock
from arena.player import HouseFailure

MEBIBYTE = 1024 * 1024


class DriverUnavailable(HouseFailure):
    """This driver cannot be used here. One sentence says what is missing, one what to do about it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one bot may use. Times are CPU time unless they say wall."""

    memory_bytes: int = 256 * MEBIBYTE
    """Of the whole box, swap included; the mind's own data stays `overhead_bytes` below, so that running out of it is a
    MemoryError with a line number and not a kill."""
    overhead_bytes: int = 32 * MEBIBYTE
    processes: int = 8
    """In the box, the runner's own included. A bot cannot start any; this is the second lock on that door."""
    start_seconds: float = clock.START_SECONDS
    """To load the bot and start the game."""
    decision_seconds: float = clock.DECISION_SECONDS
    """For one decision at most."""
    game_seconds: float = clock.GAME_SECONDS
    """For all decisions of a game together."""
    wall_factor: float = clock.WALL_FACTOR
    """How much longer than its CPU budget an answer may take on the wall's clock, waiting for a CPU not counted."""
    wall_grace_seconds: float = clock.WALL_GRACE_SECONDS
    """Added to every wall budget, so that a small CPU budget does not turn a hiccup of the machine into a fault."""
    reply_bytes: int = 16 * 1024
    """In one line."""
    open_seconds: float = 30.0
    """Wall time for a box to open and for a mind to be born; running out of it is the house's failure."""
    box_seconds: float = 3600.0
    """Wall time after which a box whose owner cannot be asked counts as left behind."""

    def wall_seconds(self, cpu_seconds: float) -> float:
        """The wall budget that goes with a CPU budget."""
        return self.wall_factor * cpu_seconds + self.wall_grace_seconds


@dataclass(frozen=True, slots=True)
class Received:
    """One line from a bot and what it cost."""

    line: bytes
    """Without its newline."""
    cpu_seconds: float
    """Charged: all CPU time since the reply before, so that time burnt in the opponent's turn is included."""
    wall_seconds: float
    """From the call of `receive`, less what the mind waited for a CPU where the host can tell; nobody is charged for
    it."""


class Channel(Protocol):
    """The line to one mind."""

    def send(self, line: bytes) -> None:
        """Send one line, its newline included.

        Raises BotFault: PROTOCOL when the mind has spoken without being asked, CRASH or MEMORY when it is gone, TIME
        when it does not take the line. Raises HouseFailure.
        """
        ...

    def receive(self, *, cpu_budget: float, wall_budget: float) -> Received:
        """The next line, within both budgets (seconds), which count for the whole line and not for a read.

        The wall's clock stands still while the mind could run and has no CPU, so that no bot is late for a busy
        machine.

        Raises BotFault: TIME, OUTPUT (a line too long), PROTOCOL (more than one line), CRASH, MEMORY.
        Raises HouseFailure.
        """
        ...

    def forbid_files(self) -> None:
        """From now on the mind can look up no file: it has seen no card yet, and will have no way to leave word of one.

        Raises BotFault, HouseFailure.
        """
        ...

    def close(self) -> None:
        """End the mind. May be called more than once; raises nothing."""
        ...


class Box(Protocol):
    """One bot in one match."""

    def new_mind(self) -> Channel:
        """A fresh process that has never run the bot's code; the one before is gone by then. Raises HouseFailure."""
        ...

    def is_alive(self) -> bool:
        """Whether the box still runs, as far as can be told without asking it; False once it is closed."""
        ...

    def close(self) -> None:
        """Destroy everything the box holds. May be called more than once; raises nothing."""
        ...


class Driver(Protocol):
    """A way to run bots. May be used from several threads at once."""

    @property
    def name(self) -> str:
        """As settings and logs spell it."""
        ...

    @property
    def trusted_only(self) -> bool:
        """Whether it confines nothing, so that only the house's own bots may run in it."""
        ...

    def check(self) -> None:
        """Prove by trying that boxes open and that their walls hold. Raises DriverUnavailable."""
        ...

    def open_box(self, limits: Limits) -> Box:
        """Raises HouseFailure."""
        ...

    def reap(self) -> int:
        """Remove what owners that died left behind, and count it. Any number of processes may do so at once."""
        ...
