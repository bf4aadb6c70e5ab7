"""The life of a match up to its result: queued -> running(attempt, lease) -> (results.finish_match) | queued | void.

Messages of the broker only say "look at this match": whoever wins the conditional UPDATE of `claim_match` plays it,
so a message may come twice or late, and one that is lost is sent again by `resend_overdue`. All times are the
database's (`bots.clock`): workers whose clocks disagree agree about a lease.

    queued   --claim_match-->      running   (attempt + 1, fresh seed)
    running  --finish_match-->     finished
    running  --release_match-->    queued, or void after MATCH_ATTEMPTS house failures
    running  --hand_back_match-->  queued, when the worker is told to stop (no failure)
    running  --requeue_expired-->  as release_match, when the worker stopped renewing its lease
    queued   --claim_match-->      void, when a bot has left the ladder since; what runs is finished and counts
    queued, running --void_match--> void
    running, void --requeue_match--> queued  (the operator's word; failures are forgiven)
"""

from __future__ import annotations

import datetime as dt
import logging
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from celery import current_app
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F

from bots import clock
from bots.models import Bot, BotVersion
from bots.resending import Patience, send_again
from ladder.models import Ladder, Match, Seat
from ladder.services.ratings import enter_ladder

LEASE = dt.timedelta(seconds=settings.MATCH_LEASE_SECONDS)
RESEND_AFTER = dt.timedelta(seconds=settings.MATCH_RESEND_SECONDS)
PATIENCE = Patience(RESEND_AFTER, max(RESEND_AFTER, dt.timedelta(minutes=1)))
ATTEMPTS = settings.MATCH_ATTEMPTS
SEED_BYTES = 32
QUEUES = {
    Match.Origin.LADDER: "matches",
    Match.Origin.CHALLENGE: "challenges",
    Match.Origin.TOURNAMENT: "tournaments",
}
"""The queue of a match's message by its origin. Workers take from each in turns: somebody who waits for one match does
not wait for all that the ladders have queued, and the ladders go on however many challenge or play tournaments."""
_NEVER_PASSED = (BotVersion.State.VALIDATING, BotVersion.State.REJECTED)
_ON_A_LADDER = (Match.Origin.LADDER, Match.Origin.CHALLENGE)

logger = logging.getLogger(__name__)


class MatchRefused(ValueError):  # noqa: N818 - a refusal, not an error
    """What was asked for breaks a rule of the ladder; the message says which and what to do."""


@dataclass(frozen=True)
class Claim:
    """The right to play one match once: valid until the lease runs out unrenewed."""

    match_id: int
    attempt: int
    worker: str
    rule_set: str
    seed: bytes
    versions: tuple[BotVersion, BotVersion]
    """In seat order, with source and bot."""


def enqueue_match(
    *,
    ladder: Ladder,
    versions: Sequence[BotVersion],
    is_rated: bool = True,
    origin: Match.Origin = Match.Origin.LADDER,
    asked_by: User | None = None,
    is_private: bool = False,
) -> Match:
    """Queues a match between two versions, seat 0 first, and sends its message once the transaction commits.

    For a rated match both versions enter the ladder, if they have not yet. Raises MatchRefused for other than two
    active versions, and for a rated match that is private or within one owner's bots. A tournament goes on with the
    versions that were entered, withdrawn since or not.
    """
    if len(versions) != 2:
        raise MatchRefused(f"A match has two seats, not {len(versions)}. Name two bot versions.")
    for version in versions:
        is_entered = origin == Match.Origin.TOURNAMENT and version.state not in _NEVER_PASSED
        if version.state != BotVersion.State.ACTIVE and not is_entered:
            raise MatchRefused(f"{version} is {version.get_state_display()}. Only an active version can play.")
    first, second = versions
    if is_rated and not may_be_rated(first.bot, second.bot):
        raise MatchRefused("Bots of one owner do not meet in rated matches. Queue the match as unrated.")
    if is_rated and is_private:
        raise MatchRefused("What moves ratings is for everybody to see. Queue the private match as unrated.")
    now = clock.now()
    with transaction.atomic():
        if is_rated:
            for version in versions:
                enter_ladder(ladder=ladder, version=version)
        match = Match.objects.create(
            ladder=ladder,
            is_rated=is_rated,
            origin=origin,
            asked_by=asked_by,
            is_private=is_private,
            queued_at=now,
            resend_at=now + RESEND_AFTER,
        )
        Seat.objects.bulk_create(
            Seat(match=match, index=index, version=version, ladder=ladder, bot=version.bot, opponent=other.bot)
            for index, (version, other) in enumerate([(first, second), (second, first)])
        )
        _send(match)
    return match


def may_be_rated(first: Bot, second: Bot) -> bool:
    """Whether a match of the two may move ratings: not within one owner's bots."""
    # The house owns several bots on purpose: they are the scale's anchor and must meet.
    return first.pk != second.pk and (first.owner_id is None or first.owner_id != second.owner_id)


def claim_match(*, match_id: int, worker: str) -> Claim | None:
    """Takes a queued match for `worker`; None when it is not queued (any more) or does not exist.

    None too when one of its bots is benched, retired or deleted by now, and then the match is void. (Tournaments decide
    for themselves who goes on.)

    Draws the deck seed: nobody, not even the database, knows the cards before a worker starts to play.
    """
    now = clock.now()
    seed = secrets.token_bytes(SEED_BYTES)
    with transaction.atomic():
        claimed = Match.objects.filter(pk=match_id, state=Match.State.QUEUED).update(
            state=Match.State.RUNNING,
            attempt=F("attempt") + 1,
            worker=worker[:120],
            claimed_at=now,
            lease_expires_at=now + LEASE,
            seed=seed.hex(),
        )
        if not claimed:
            return None
        match = Match.objects.select_related("ladder").get(pk=match_id)
        seats = list(Seat.objects.filter(match=match).select_related("version__bot").order_by("index"))
        gone = [seat for seat in seats if seat.version.bot.state != Bot.State.ACTIVE]
        if gone and match.origin in _ON_A_LADDER:
            # By number: a bot that is deleted later leaves its name nowhere.
            state = gone[0].version.bot.get_state_display()
            void_match(match_id=match_id, error=f"The bot in seat {gone[0].index} was {state} before it began.")
            return None
    return Claim(
        match_id=match.pk,
        attempt=match.attempt,
        worker=match.worker,
        rule_set=match.ladder.rule_set,
        seed=seed,
        versions=(seats[0].version, seats[1].version),
    )


def renew_lease(*, claim: Claim) -> bool:
    """Extends the lease to a full one from now; False when the claim is lost and the play pointless."""
    renewed = Match.objects.filter(pk=claim.match_id, state=Match.State.RUNNING, attempt=claim.attempt).update(
        lease_expires_at=clock.now() + LEASE
    )
    return renewed == 1


def release_match(*, claim: Claim, error: str) -> bool:
    """Gives a match back after a failure of the house; False when the claim is lost.

    It is sent again after MATCH_RESEND_SECONDS, so that a broken engine does not burn all attempts in a second.
    """
    with transaction.atomic():
        match = (
            Match.objects.select_for_update(no_key=True)
            .filter(pk=claim.match_id, state=Match.State.RUNNING, attempt=claim.attempt)
            .first()
        )
        if match is None:
            return False
        _give_back(match, error=error, resend_at=clock.now() + RESEND_AFTER)
    return True


def hand_back_match(*, claim: Claim) -> bool:
    """Queues a match again at once because its worker is told to stop; False when the claim is lost.

    Nobody failed, and it counts as no failure.
    """
    with transaction.atomic():
        changed = Match.objects.filter(pk=claim.match_id, state=Match.State.RUNNING, attempt=claim.attempt).update(
            state=Match.State.QUEUED, lease_expires_at=None, resend_at=clock.now() + RESEND_AFTER
        )
        if changed:
            _send(Match.objects.get(pk=claim.match_id))
    return changed == 1


def requeue_expired() -> int:
    """Takes every match back whose worker stopped renewing the lease; returns their number."""
    now = clock.now()
    # No lease is longer than LEASE. One that is dates from before the database's clock was set back.
    Match.objects.filter(state=Match.State.RUNNING, lease_expires_at__gt=now + LEASE).update(
        lease_expires_at=now + LEASE
    )
    overdue = Match.objects.filter(state=Match.State.RUNNING, lease_expires_at__lt=now)
    count = 0
    for match_id in list(overdue.order_by("pk").values_list("pk", flat=True)):
        with transaction.atomic():
            # Read again under the lock: it may have finished or renewed its lease in between.
            match = overdue.select_for_update(no_key=True).filter(pk=match_id).first()
            if match is None:
                continue
            _give_back(match, error=f"Worker {match.worker} stopped while playing attempt {match.attempt}.")
            count += 1
    return count


def _give_back(match: Match, *, error: str, resend_at: dt.datetime | None = None) -> None:
    """Queues a locked running match again, or voids it when the house has failed it too often."""
    match.failures += 1
    match.error = error
    match.lease_expires_at = None
    if match.failures >= ATTEMPTS:
        match.state = Match.State.VOID
        logger.error("Match %s is void after %s failures of the house: %s", match.pk, match.failures, error)
    else:
        match.state = Match.State.QUEUED
        match.resend_at = resend_at or clock.now() + RESEND_AFTER
        if resend_at is None:
            _send(match)
    match.save(update_fields=["failures", "error", "lease_expires_at", "state", "resend_at"])


def void_match(*, match_id: int, error: str) -> bool:
    """Takes a queued or running match out for good; False when it is finished or void already.

    A worker that is playing it finds its claim lost; its result is refused.
    """
    changed = Match.objects.filter(pk=match_id, state__in=[Match.State.QUEUED, Match.State.RUNNING]).update(
        state=Match.State.VOID, lease_expires_at=None, error=error
    )
    return changed == 1


def requeue_match(*, match_id: int) -> bool:
    """Queues a void or running match afresh, its failures forgiven; False when it is queued or finished."""
    with transaction.atomic():
        changed = Match.objects.filter(pk=match_id, state__in=[Match.State.VOID, Match.State.RUNNING]).update(
            state=Match.State.QUEUED,
            lease_expires_at=None,
            failures=0,
            resend_at=clock.now() + RESEND_AFTER,
        )
        if changed:
            _send(Match.objects.get(pk=match_id))
    return changed == 1


def resend_overdue() -> int:
    """Sends the message again for every match that has waited too long for a worker; returns their number."""
    waiting = Match.objects.filter(state=Match.State.QUEUED)
    return send_again(
        waiting, since="queued_at", patience=PATIENCE, send=lambda match_id: _send(Match.objects.get(pk=match_id))
    )


def _send(match: Match) -> None:
    # By name: tasks import services, not the other way round.
    def send() -> None:
        queue = QUEUES[Match.Origin(match.origin)]
        current_app.send_task("ladder.tasks.play_match", args=[match.pk], queue=queue)

    # Robust: a broker that is down must not undo the transaction's success; resend_overdue tries again.
    transaction.on_commit(send, robust=True)
