"""Playing one match: claim -> both bots in the sandbox -> referee -> finish.

play(match_id)
  get_driver                    a sandbox that has proved itself; without one the match waits
  services.claim_match          conditional UPDATE, lease, deck seed
  Heartbeat                     a thread that renews the lease
  SandboxContestant x 2         the versions' sources behind the driver
  arena.referee.play_match      every rule, clock and fault
  live.Broadcast                tells spectators how each hand ended
  services.finish_match         check, store and rate in one transaction
  services.release_match        instead, when the house failed: the match is played again
  services.hand_back_match      instead, when this worker is told to stop: it is played again at once, elsewhere
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Iterator

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection

from arena.game import Game
from arena.player import HouseFailure
from arena.record import MatchRecord
from arena.referee import play_match
from arena.rules import RULE_SETS
from bots.queries import source_of
from bots.sandboxes import close_driver, get_driver, reap_sometimes
from ladder import services
from ladder.live import Broadcast
from ladder.services import Claim
from sandbox.drivers.base import Driver, DriverUnavailable
from sandbox.player import SandboxContestant, close_all

FINISH_TRIES = 15
FINISH_PAUSE = 1.0
DATABASE_AWAY = (OperationalError, InterfaceError)
"""Busy, restarting or unreachable; InterfaceError is a connection that was open when it went."""

logger = logging.getLogger(__name__)


class ClaimLost(Exception):  # noqa: N818 - not an error: somebody else has the match now
    """The lease went to another worker, or the operator took the match away: stop playing."""


def play(match_id: int, *, worker: str) -> bool:
    """Plays the match unless somebody else has it; whether its result was stored by this call."""
    try:
        driver = get_driver()
    except DriverUnavailable as unavailable:
        # Unclaimed: an engine that is away for an hour must not use up the attempts of a match.
        logger.warning("Match %s waits for a sandbox: %s", match_id, unavailable)
        return False
    reap_sometimes(driver)
    claim = services.claim_match(match_id=match_id, worker=worker)
    if claim is None:
        return False
    try:
        with _heartbeat(claim) as beat:
            record = _play(claim, driver, beat)
            return _finish(claim, record)
    except ClaimLost:
        logger.warning("Match %s, attempt %s: the claim was lost while playing.", claim.match_id, claim.attempt)
    except SystemExit:  # the worker has had its time to finish; see `config.celery.drain`
        services.hand_back_match(claim=claim)
        raise
    except Exception as error:  # whatever is not a bot's fault is ours
        logger.exception("Match %s, attempt %s failed on our side.", claim.match_id, claim.attempt)
        services.release_match(claim=claim, error=f"{type(error).__name__}: {error}")
        if isinstance(error, HouseFailure):
            # The sandbox proves itself again before this process claims another match.
            close_driver()
    return False


def _play(claim: Claim, driver: Driver, beat: Heartbeat) -> MatchRecord:
    # Without a real sandbox an uploaded bot's contestant refuses to be made: that is the house's failure.
    first, second = (
        SandboxContestant(driver, source_of(version), trusted=version.bot.is_house) for version in claim.versions
    )
    broadcast = Broadcast(claim.match_id, claim.attempt)

    def after_hand(number: int, game: Game) -> None:
        beat.check()
        broadcast.after_hand(number, game)

    try:
        return play_match(RULE_SETS[claim.rule_set], claim.seed, first, second, on_hand=after_hand)
    finally:
        broadcast.end()
        close_all(first, second)


class Heartbeat:
    """Renews a claim's lease until stopped, but not for ever: a hung match must come free at last."""

    def __init__(self, claim: Claim) -> None:
        self._claim = claim
        self._stop = threading.Event()
        self._lost = threading.Event()
        self._deadline = time.monotonic() + settings.MATCH_SECONDS
        self._thread = threading.Thread(target=self._run, name=f"lease-{claim.match_id}", daemon=True)

    def start(self) -> None:
        """Begins renewing."""
        self._thread.start()

    def stop(self) -> None:
        """Ends the renewing and waits for the thread."""
        self._stop.set()
        self._thread.join()

    def is_alive(self) -> bool:
        """Whether the lease is still being renewed."""
        return self._thread.is_alive()

    def check(self) -> None:
        """Raises ClaimLost once a renewal was refused."""
        if self._lost.is_set():
            raise ClaimLost

    def _run(self) -> None:
        try:
            while not self._stop.wait(settings.MATCH_LEASE_SECONDS / 3) and time.monotonic() < self._deadline:
                try:
                    if not services.renew_lease(claim=self._claim):
                        self._lost.set()
                        return
                except DATABASE_AWAY:
                    # The lease outlives two missed renewals.
                    logger.warning("The lease of match %s could not be renewed.", self._claim.match_id, exc_info=True)
                    connection.close()
        finally:
            connection.close()


@contextlib.contextmanager
def _heartbeat(claim: Claim) -> Iterator[Heartbeat]:
    beat = Heartbeat(claim)
    beat.start()
    try:
        yield beat
    finally:
        beat.stop()


def _finish(claim: Claim, record: MatchRecord) -> bool:
    """Hands the result in. A database that is busy or restarting gets a few chances before the play is thrown away."""
    for tries_left in reversed(range(FINISH_TRIES)):
        try:
            return services.finish_match(claim=claim, record=record)
        except DATABASE_AWAY:
            if not tries_left:
                raise
            logger.warning("The result of match %s could not be stored yet.", claim.match_id, exc_info=True)
            connection.close()
            time.sleep(FINISH_PAUSE)
    raise AssertionError("unreachable")
