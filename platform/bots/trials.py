"""Trying a draft out: a match in the sandbox against a house bot, for the author's eyes alone.

`start_trial` stores the draft -> `tasks.play_trial` claims it with `claim_trial`, plays it and hands the record to
`record_trial`. A claim is a conditional UPDATE with a lease, as for validations; times are the database's.

    queued   --claim_trial-->          running   (attempt + 1)
    running  --record_trial-->         finished
    running  --release_trial-->        queued, or failed after ATTEMPTS failures of the house
    running  --requeue_stale_trials--> as release_trial, when the worker stopped renewing its lease
"""

from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, QuerySet

from arena.archive import BotSource, UploadRejected, read_upload
from arena.bots import HOUSE_BOTS
from arena.record import MatchRecord
from bots import clock
from bots.caps import DAY, check_day
from bots.models import Trial
from bots.outbox import TRIAL, play_trial_later
from bots.refusals import Refusal
from bots.resending import send_again
from bots.services import uploads_closed

DRAFT_FILE = "bot.py"
"""What a draft is called in tracebacks."""
LEASE = timedelta(minutes=3)
"""Renewed as hands end (`tasks.TELL_SECONDS`), the first of which may take a box's opening, two starts and all of a
game's time."""
ATTEMPTS = 3
_LIVE = (Trial.State.QUEUED, Trial.State.RUNNING)


@dataclass(frozen=True)
class TrialClaim:
    """The right to play a trial, until the lease runs out."""

    trial_id: int
    attempt: int


def start_trial(*, owner: User, code: str, opponent: str) -> Trial:
    """Store the draft and have it play the house bot with that slug.

    Raises Refusal: the text breaks a rule of `arena.archive`, there is no such house bot, the owner's last trial is not
    over, the owner tried as often as ARENA_MAX_TRIALS_A_DAY allows, or no sandbox is there to run it.
    """
    if (closed := uploads_closed()) is not None:
        raise closed
    if opponent not in {bot.slug for bot in HOUSE_BOTS}:
        raise Refusal("no_such_opponent", "There is no such house bot. Choose one from the list.", field="opponent")
    try:
        source = read_upload(DRAFT_FILE, code.encode())
    except UploadRejected as rejected:
        raise Refusal(rejected.code, rejected.message, field="code") from None
    with transaction.atomic():
        # One account's writes queue: what it has is counted before more is written.
        if not User.objects.select_for_update(no_key=True).get(pk=owner.pk).is_active:
            raise Refusal("account_closed", "This account is closed and tries nothing out.")
        now = clock.now()
        own = Trial.objects.filter(owner=owner, created_at__gt=now - DAY)
        if own.filter(state__in=_LIVE).exists():
            raise Refusal(
                "trial_running",
                "A draft of yours is being tried out. The limit is one at a time: the next may begin when it is over.",
            )
        played = own.exclude(state=Trial.State.FAILED).order_by("-created_at")
        check_day(
            times=list(played.values_list("created_at", flat=True)),
            cap=settings.ARENA_MAX_TRIALS_A_DAY,
            now=now,
            code="too_many_trials",
            done="tried out {} drafts",
        )
        trial = Trial.objects.create(
            owner=owner,
            source=source.to_bytes(),
            opponent=opponent,
            created_at=now,
            resend_at=now + TRIAL.least,
        )
        transaction.on_commit(lambda: play_trial_later(trial.pk), robust=True)
    return trial


def claim_trial(*, trial_id: int) -> TrialClaim | None:
    """Take the trial, or None: it is over, or somebody else holds it."""
    queued = Trial.objects.filter(pk=trial_id, state=Trial.State.QUEUED)
    attempt = queued.values_list("attempt", flat=True).first()
    if attempt is None:
        return None
    taken = queued.filter(attempt=attempt).update(
        state=Trial.State.RUNNING, attempt=F("attempt") + 1, lease_expires_at=clock.now() + LEASE, hands=0
    )
    return TrialClaim(trial_id, attempt + 1) if taken else None


def draft_of(claim: TrialClaim) -> tuple[BotSource, str]:
    """The draft, and the slug of the house bot that it plays."""
    source, opponent = Trial.objects.values_list("source", "opponent").get(pk=claim.trial_id)
    return BotSource.from_bytes(bytes(source)), opponent


def draft_text(trial: Trial) -> str:
    """The draft as it was written."""
    return BotSource.from_bytes(bytes(trial.source)).files[DRAFT_FILE]


def renew_trial(*, claim: TrialClaim, hands: int) -> bool:
    """Hold the claim for another lease and tell how many hands are played; False when the claim is lost."""
    return bool(_held(claim).update(lease_expires_at=clock.now() + LEASE, hands=hands))


def record_trial(*, claim: TrialClaim, record: MatchRecord) -> bool:
    """Store the match, once; False when the claim is lost and the record is not wanted any more."""
    hands = sum(len(game.hands) for game in record.games)
    changed = _held(claim).update(
        state=Trial.State.FINISHED, record=record.to_bytes(), hands=hands, lease_expires_at=None, house_error=""
    )
    return bool(changed)


def release_trial(*, claim: TrialClaim, error: str) -> None:
    """Give the claim back after a failure of the house; the sweep has it played again."""
    _give_back(_held(claim), error)


def hand_back_trial(*, claim: TrialClaim) -> None:
    """Queue it again at once, because its worker is told to stop. Nobody failed."""
    now = clock.now()
    if _held(claim).update(state=Trial.State.QUEUED, lease_expires_at=None, resend_at=now + TRIAL.least):
        play_trial_later(claim.trial_id)


def requeue_stale_trials() -> int:
    """Ask again for every trial that nobody holds and whose message is lost by now, and forget those older than a day;
    returns how many were asked."""
    now = clock.now()
    Trial.objects.filter(created_at__lt=now - DAY).delete()
    _give_back(
        Trial.objects.filter(state=Trial.State.RUNNING, lease_expires_at__lt=now),
        "Its worker stopped renewing the lease.",
    )
    waiting = Trial.objects.filter(state=Trial.State.QUEUED)
    return send_again(waiting, since="created_at", patience=TRIAL, send=play_trial_later)


def _give_back(trials: QuerySet[Trial], error: str) -> None:
    back = {"lease_expires_at": None, "house_error": error}
    trials.filter(attempt__gte=ATTEMPTS).update(state=Trial.State.FAILED, **back)
    trials.filter(attempt__lt=ATTEMPTS).update(state=Trial.State.QUEUED, resend_at=clock.now(), **back)


def _held(claim: TrialClaim) -> QuerySet[Trial]:
    return Trial.objects.filter(pk=claim.trial_id, attempt=claim.attempt, state=Trial.State.RUNNING)
