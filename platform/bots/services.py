"""What owners, the staff and the house do to bots and their versions. Keyword-only; each call is one transaction.

An upload's way: `enter_bot` or `add_version` stores an immutable version -> `tasks.validate_version` claims it with
`validations.claim_validation`, runs it in the sandbox and hands the report to `validations.record_validation`.
"""

import socket
from datetime import timedelta
from itertools import chain, count

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from arena.archive import BotSource, UploadRejected, read_upload, shown
from arena.bots import HOUSE_BOTS, HouseBot, house_source
from bots import clock, queries
from bots.caps import check_day
from bots.models import Bot, BotVersion, SandboxStatus
from bots.names import DELETED_SLUG, checked_name, slug_of
from bots.outbox import VALIDATION, validate_later
from bots.refusals import Refusal

HOUSE_BOT_FILE = "bot.py"
MACHINE_GONE = timedelta(minutes=15)
"""A machine that has not reported for so long is gone. Each minute one is asked to: that which takes the message."""


def uploads_closed() -> Refusal | None:
    """Why no uploads are taken; None when they are.

    The site has no access to the sandbox (its socket is as good as root): it goes by what the workers reported.
    """
    status = queries.sandbox_status()
    if status is None:
        return Refusal(
            "no_worker_yet",
            "The arena is starting: no worker has reported a sandbox for uploaded bots yet. Try again in a minute.",
        )
    if not status.runs_uploads:
        return Refusal(
            "no_sandbox",
            "Uploads are closed: this server has no sandbox that is safe for other people's code, so only house bots "
            "play. Whoever runs the server finds what to do on its console.",
        )
    return None


def create_bot(*, owner: User, name: str) -> Bot:
    """A bot without versions. Raises Refusal: the name is not allowed or taken, or the owner's cap is reached."""
    name = checked_name(name)
    with transaction.atomic():
        _lock(owner)
        if queries.live_bots(owner).count() >= settings.ARENA_MAX_LIVE_BOTS:
            raise Refusal(
                "too_many_bots",
                f"You have {settings.ARENA_MAX_LIVE_BOTS} bots, as many as one account may have at a time. "
                "Upload a new version of one of them, or retire one to make room.",
            )
        # Two accounts may ask for one name at the same moment: the database gives it to the first.
        bot, is_new = Bot.objects.get_or_create(slug=slug_of(name), defaults={"owner": owner, "name": name})
        if not is_new:
            raise Refusal(
                "name_taken",
                f"There is a bot called “{bot.name}” already. Choose a name that differs by more than its case.",
                field="name",
            )
        return bot


def add_version(*, bot: Bot, filename: str, data: bytes, note: str = "") -> BotVersion:
    """Store an upload as the bot's next version and have it validated once this is committed.

    Raises Refusal: the file breaks a rule of `arena.archive` (with that rule's code), repeats the bot's newest
    version, the owner uploaded too often, the bot is retired, or no sandbox is there to run it.
    """
    closed = uploads_closed()
    if closed is not None:
        raise closed
    try:
        source = read_upload(filename, data)
    except UploadRejected as rejected:
        raise Refusal(rejected.code, rejected.message, field="file") from None
    with transaction.atomic():
        if bot.owner is not None:
            _lock(bot.owner)
            _check_daily_uploads(bot.owner)
        version = _store(bot=bot, source=source, filename=filename, note=note)
        # Robust: a broker that is away must not fail an upload that is stored; the message is sent again later.
        # (A lambda: when a robust partial fails, Django stumbles over its missing name.)
        transaction.on_commit(lambda: validate_later(version.pk), robust=True)
    return version


def enter_bot(*, owner: User, name: str, filename: str, data: bytes, note: str = "") -> BotVersion:
    """A new bot with its first version, or neither. Raises Refusal as `create_bot` and `add_version` do."""
    with transaction.atomic():
        return add_version(bot=create_bot(owner=owner, name=name), filename=filename, data=data, note=note)


def retire_bot(*, bot: Bot) -> None:
    """Take the bot out for good. Its matches and its name stay."""
    Bot.objects.filter(pk=bot.pk).exclude(state=Bot.State.DELETED).update(state=Bot.State.RETIRED)


def delete_bot(*, bot: Bot) -> None:
    """Hide the bot for good: no list has it and its name is free again. Its matches stay, under a number.

    Its files stay too, where nobody but the staff can read them: a match that is being played still needs them.
    """
    Bot.objects.filter(pk=bot.pk).update(
        state=Bot.State.DELETED, name=f"Deleted bot {bot.pk}", slug=f"{DELETED_SLUG}{bot.pk}", benched_reason=""
    )


def play_version(*, version: BotVersion) -> None:
    """Let the bot play as this version from now on: the newer ones are withdrawn, and it comes back if it was.

    Its rating on each ladder goes on where it stood: the files are the same, so all that was measured holds. A benched
    bot plays again. Raises Refusal: the version did not pass, plays already, or the bot is out for good.
    """
    with transaction.atomic():
        bot = Bot.objects.select_for_update().get(pk=version.bot_id)
        version = bot.versions.defer("source", "report").get(pk=version.pk)
        if bot.state in (Bot.State.RETIRED, Bot.State.DELETED):
            raise Refusal("retired", f"{bot.name} is {bot.get_state_display()} and plays no more.")
        if version.state not in (BotVersion.State.ACTIVE, BotVersion.State.WITHDRAWN):
            raise Refusal("not_passed", f"{version} has not passed its check, so it cannot play.")
        if version == queries.current_version(bot):
            raise Refusal("plays_already", f"{version} is the version that plays already.")
        bot.versions.filter(number__gt=version.number, state=BotVersion.State.ACTIVE).update(
            state=BotVersion.State.WITHDRAWN
        )
        bot.versions.filter(pk=version.pk).update(state=BotVersion.State.ACTIVE)
        if bot.state == Bot.State.BENCHED:
            Bot.objects.filter(pk=bot.pk).update(state=Bot.State.ACTIVE, benched_reason="")


def publish_source(*, version: BotVersion, is_public: bool) -> None:
    """Let everybody read this version's files, or nobody but its owner from now on."""
    BotVersion.objects.filter(pk=version.pk).update(is_source_public=is_public)


def write_note(*, version: BotVersion, note: str) -> None:
    """Say something else of this version."""
    BotVersion.objects.filter(pk=version.pk).update(note=note)


def bench_bot(*, bot: Bot, reason: str) -> None:
    """Let an active bot play no more until a new version of it is validated."""
    Bot.objects.filter(pk=bot.pk, state=Bot.State.ACTIVE).update(state=Bot.State.BENCHED, benched_reason=reason)


def sync_house_bots() -> list[BotVersion]:
    """Bring the house bots up to the code that is installed; returns the versions that are new. May be repeated."""
    new = []
    for house_bot in HOUSE_BOTS:
        source = BotSource({HOUSE_BOT_FILE: house_source(house_bot.slug)}, HOUSE_BOT_FILE)
        with transaction.atomic():
            bot = Bot.objects.select_for_update().get(pk=_house_row(house_bot).pk)
            current = queries.current_version(bot)
            if current is not None and current.sha256 == source.sha256:
                continue
            version = _store(bot=bot, source=source, filename=f"{house_bot.slug}.py", note="")
            version.state = BotVersion.State.ACTIVE
            version.validated_at = timezone.now()
            version.save(update_fields=["state", "validated_at"])
            new.append(version)
    return new


def _house_row(house_bot: HouseBot) -> Bot:
    """The bot's row, made at the first call.

    The house gets new bots while authors enter theirs, so that the slug may be an author's by now, who keeps it.
    """
    found = Bot.objects.filter(is_house=True, name=house_bot.name).first()
    if found is not None:
        return found
    slugs = chain([house_bot.slug], (f"{house_bot.slug}-house-{number}" for number in count(1)))
    free = next(slug for slug in slugs if not Bot.objects.filter(slug=slug).exists())
    return Bot.objects.get_or_create(slug=free, defaults={"name": house_bot.name, "is_house": True})[0]


def record_sandbox(
    *, driver: str, runs_uploads: bool, message: str = "", numpy: str = "", machine: str = ""
) -> SandboxStatus:
    """Keep what a worker says about the sandbox of its machine, by default this one, and forget machines that are gone.

    Only a report tells that others are missing: where all of them wait behind a long queue, what they said holds.
    """
    now = clock.now()
    said = {"driver": driver, "runs_uploads": runs_uploads, "message": message, "numpy": numpy, "checked_at": now}
    with transaction.atomic():
        SandboxStatus.objects.filter(checked_at__lt=now - MACHINE_GONE).delete()
        status, _ = SandboxStatus.objects.update_or_create(machine=machine or socket.gethostname(), defaults=said)
    return status


def _lock(owner: User) -> None:
    """Let one account's writes queue: the caps are counted before they are written."""
    if not User.objects.select_for_update().get(pk=owner.pk).is_active:
        raise Refusal("account_closed", "This account is closed and enters no bots.")


def _check_daily_uploads(owner: User) -> None:
    now = timezone.now()
    check_day(
        times=queries.recent_uploads(owner, now=now),
        cap=settings.ARENA_MAX_UPLOADS_A_DAY,
        now=now,
        code="too_many_uploads",
        done="made {} uploads",
    )


def _store(*, bot: Bot, source: BotSource, filename: str, note: str) -> BotVersion:
    # Two uploads at once queue here: the lock on the bot's row is what makes the numbers distinct.
    bot = Bot.objects.select_for_update().get(pk=bot.pk)
    if bot.state in (Bot.State.RETIRED, Bot.State.DELETED):
        state = bot.get_state_display()
        raise Refusal("retired", f"{bot.name} is {state} and takes no new versions. Enter a new bot instead.")
    gone = (BotVersion.State.REJECTED, BotVersion.State.WITHDRAWN)
    newest = bot.versions.exclude(state__in=gone).defer("source").order_by("-number").first()
    if newest is not None and newest.sha256 == source.sha256:
        raise Refusal(
            "duplicate_version",
            f"These files are the same as version {newest.number} of {bot.name}, so there is nothing new to check.",
            field="file",
        )
    highest: int = bot.versions.aggregate(highest=Max("number"))["highest"] or 0
    return BotVersion.objects.create(
        bot=bot,
        number=highest + 1,
        sha256=source.sha256,
        source=source.to_bytes(),
        filename=shown(filename),
        note=note,
        resend_at=clock.now() + VALIDATION.least,
    )
