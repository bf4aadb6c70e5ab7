"""Hosting a table: a match's referee between a bot in the sandbox and a person whose actions come from the database.

host(table_id)
  services.claim_table        conditional UPDATE, lease
  _lease                      a thread that renews it
  arena.referee.play_game     every rule, clock and fault
    _Person.decide            `services.tell`s what the bot did, then waits for the person's action
    _Opponent.decide          the bot, once the actions that are in the database are played again
  services.finish_table       the record; or hand_back_table, release_table

A host that takes a table over asks the bot nothing that is answered already: its new mind is told all that it has seen
of the game, with the first question that is new.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Iterator, Sequence

from django.db import InterfaceError, OperationalError, connection

from arena.actions import BEST_ARRANGE, BEST_DEFEND, Action, parse_action
from arena.bot import GameEnd, GameStart
from arena.events import Event
from arena.legal import Phase
from arena.player import BotFault, Contestant, FaultKind, HouseFailure, Player
from arena.record import GameRecord, MatchRecord
from arena.referee import play_game
from arena.view import View
from bots import clock
from bots.queries import source_of
from bots.sandboxes import close_driver, get_driver, reap_sometimes
from sandbox.drivers.base import DriverUnavailable
from sandbox.player import SandboxContestant, close_all
from tables import services
from tables.games import rules_of
from tables.models import Table
from tables.services import TableClaim

LOOK_SECONDS = 0.1
"""How often a host looks whether the person has acted."""

stopping = threading.Event()
"""Set once this worker is told to stop: hosts whose turn it is to wait hand their tables back."""
logger = logging.getLogger(__name__)


class ClaimLost(Exception):  # noqa: N818 - not an error: somebody else hosts the table now
    """The lease went to another worker: stop playing."""


class Stopping(Exception):  # noqa: N818 - as above
    """This worker is told to stop."""


def host(table_id: int) -> None:
    """Host the table until its game is over, unless that is so or somebody else does."""
    try:
        driver = get_driver()
    except DriverUnavailable as unavailable:
        # Unclaimed: `tend_tables` asks again, and tells the person at last.
        logger.warning("Table %s waits for a sandbox: %s", table_id, unavailable)
        return
    reap_sometimes(driver)
    claim = services.claim_table(table_id=table_id)
    if claim is None:
        return
    try:
        with _lease(claim):
            version = claim.table.version
            bot = SandboxContestant(driver, source_of(version), trusted=version.bot.is_house)
            try:
                seats = _Seats(claim, bot)
                record = seats.play()
            finally:
                close_all(bot)
            services.finish_table(claim=claim, record=record, ending=seats.ending_of(record.games[0]))
    except ClaimLost:
        logger.warning("Table %s, host %s: the claim was lost.", table_id, claim.attempt)
    except Stopping:
        services.hand_back_table(claim=claim)
    except Exception as error:  # whatever is not a bot's fault is ours
        logger.exception("Table %s, host %s failed on our side.", table_id, claim.attempt)
        services.release_table(claim=claim, error=f"{type(error).__name__}: {error}")
        if isinstance(error, HouseFailure):
            # The sandbox proves itself again before this process opens another box.
            close_driver()


class _Seats:
    """Both seats of a table, and what was done there so far."""

    def __init__(self, claim: TableClaim, bot: Contestant) -> None:
        self.claim = claim
        self.bot = bot
        table = claim.table
        self.stored = [parse_action(word) for word in table.actions.split()]
        """What is in the database."""
        self.at = 0
        """How many of these the referee has got."""
        self.untold: list[Action] = []
        """What was done after these, until the person is to act."""
        self.person = _Person(self)

    def play(self) -> MatchRecord:
        table = self.claim.table
        rules, seed = rules_of(table), bytes.fromhex(table.seed)
        contestants: tuple[Contestant, Contestant] = (
            (_Chair(self.person), _Opponents(self)) if table.seat == 0 else (_Opponents(self), _Chair(self.person))
        )
        return MatchRecord(rules, seed, (play_game(rules, seed, contestants),))

    def ending_of(self, game: GameRecord) -> Table.Ending:
        return self.person.gave_up or services.ending_of(game.ending)

    def again(self) -> Action | None:
        """The next action that is in the database; None once all are played."""
        if self.at == len(self.stored):
            return None
        self.at += 1
        return self.stored[self.at - 1]


class _Chair:
    """Sends the one player of the game."""

    def __init__(self, player: Player) -> None:
        self._player = player

    def new_player(self) -> Player:
        return self._player


class _Opponents:
    def __init__(self, seats: _Seats) -> None:
        self._seats = seats

    def new_player(self) -> Player:
        return _Opponent(self._seats, self._seats.bot.new_player())


class _Person:
    """The person, as the referee asks them."""

    log = ""

    def __init__(self, seats: _Seats) -> None:
        self._seats = seats
        self.spent = 0.0
        """Seconds that this host has waited for them."""
        self.gave_up: Table.Ending | None = None

    def start(self, start: GameStart) -> None:
        """They have seen their cards."""

    def decide(self, view: View, events: Sequence[Event]) -> Action:
        """Their action. Raises BotFault when they give up, ClaimLost, and Stopping."""
        seats = self._seats
        if (action := seats.again()) is not None:
            return action
        if view.decision in (Phase.ARRANGE, Phase.DEFEND):
            best = BEST_ARRANGE if view.decision is Phase.ARRANGE else BEST_DEFEND
            seats.untold.append(best)
            return best
        if seats.untold:
            if not services.tell(claim=seats.claim, at=len(seats.stored), actions=seats.untold):
                raise ClaimLost
            seats.stored += seats.untold
            seats.at, seats.untold = len(seats.stored), []
        began = time.monotonic()
        try:
            return self._wait()
        finally:
            self.spent += time.monotonic() - began

    def _wait(self) -> Action:
        seats = self._seats
        while (table := services.look(claim=seats.claim)) is not None:
            # A record knows no resignation, and its kind of fault is shown nowhere: the table says how it ended.
            if table.is_resigned:
                self.gave_up = Table.Ending.RESIGNED
                raise BotFault(FaultKind.TIME, "resigned")
            if table.moves > len(seats.stored):
                seats.stored = [parse_action(word) for word in table.actions.split()]
                action = seats.again()
                assert action is not None
                return action
            if table.act_by is not None and table.act_by < clock.now():
                self.gave_up = Table.Ending.LEFT
                raise BotFault(FaultKind.TIME, "left the table")
            if stopping.wait(LOOK_SECONDS):
                raise Stopping
        raise ClaimLost

    def end(self, end: GameEnd) -> None:
        """The page tells them."""

    def close(self) -> None:
        """They may stay as long as they like."""


class _Opponent:
    """The bot, which is asked only what it has not answered yet."""

    def __init__(self, seats: _Seats, mind: Player) -> None:
        self._seats = seats
        self._mind = mind
        self._unheard: list[Event] = []

    @property
    def log(self) -> str:
        return self._mind.log

    @property
    def spent(self) -> float:
        return self._mind.spent

    def start(self, start: GameStart) -> None:
        self._mind.start(start)

    def decide(self, view: View, events: Sequence[Event]) -> Action:
        heard = self._heard(events)
        if (action := self._seats.again()) is not None:
            self._unheard = heard
            return action
        action = self._mind.decide(view, heard)
        self._seats.untold.append(action)
        return action

    def end(self, end: GameEnd) -> None:
        self._mind.end(end.replace(events=tuple(self._heard(end.events))))

    def close(self) -> None:
        self._mind.close()

    def _heard(self, events: Sequence[Event]) -> list[Event]:
        heard, self._unheard = [*self._unheard, *events], []
        return heard


@contextlib.contextmanager
def _lease(claim: TableClaim) -> Iterator[None]:
    """Renews the claim while the body runs. Whoever has lost it learns so when they write."""
    done = threading.Event()

    def renew() -> None:
        try:
            while not done.wait(services.LEASE.total_seconds() / 3):
                try:
                    if not services.renew_table(claim=claim):
                        return
                except (OperationalError, InterfaceError):
                    logger.warning("The lease of table %s could not be renewed.", claim.table.pk, exc_info=True)
                    connection.close()
        finally:
            connection.close()

    thread = threading.Thread(target=renew, name=f"lease-table-{claim.table.pk}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
