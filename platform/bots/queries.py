"""What the site asks about bots. Lists leave the source out: it is up to 4 MiB a version."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Max, OuterRef, Prefetch, Q, QuerySet, Subquery

from arena.archive import BotSource
from arena.bots import HOUSE_BOTS
from bots import clock
from bots.caps import DAY
from bots.models import Bot, BotVersion, SandboxStatus
from bots.names import typed

RECENT = 10
"""Versions of a bot that its owner's overview shows; the bot's own page shows more."""
SUGGESTED = 10
"""Bots that are offered for a part of a name."""


def active_versions() -> QuerySet[BotVersion]:
    """The current version (the newest active one) of every bot that plays; bot and owner come along."""
    newest = (
        BotVersion.objects.filter(bot=OuterRef("bot"), state=BotVersion.State.ACTIVE)
        .order_by("-number")
        .values("number")
    )
    return (
        BotVersion.objects.filter(
            state=BotVersion.State.ACTIVE, bot__state=Bot.State.ACTIVE, number=Subquery(newest[:1])
        )
        .select_related("bot__owner")
        .defer("source", "report")
    )


def current_version(bot: Bot) -> BotVersion | None:
    """The newest active version of `bot`, whatever the bot's own state."""
    return bot.versions.filter(state=BotVersion.State.ACTIVE).defer("source", "report").order_by("-number").first()


def house_description(bot: Bot) -> str:
    """One sentence on the style and level of a house bot; empty for anybody else's."""
    return next((each.description for each in HOUSE_BOTS if bot.is_house and each.name == bot.name), "")


@dataclass(frozen=True)
class OwnBot:
    """A bot as its owner sees it."""

    bot: Bot
    versions: list[BotVersion]
    """The newest RECENT ones, newest first, without their sources."""
    current_number: int | None
    """The number of the version that plays or would play; None when none is valid."""

    @property
    def status(self) -> str:
        """Where the bot stands: its state, or before a version has passed that of the newest; without any, "draft"."""
        if self.bot.state != Bot.State.ACTIVE or self.current_number is not None:
            return self.bot.state
        return self.versions[0].state if self.versions else "draft"

    def place_in(self, waiting: Sequence[int]) -> int | None:
        """The place of the newest version among those that wait to be checked, from 1; None when it does not wait."""
        newest = self.versions[0].pk if self.versions else None
        return waiting.index(newest) + 1 if newest in waiting else None


def bots_of(owner: AbstractBaseUser | AnonymousUser) -> list[OwnBot]:
    """The owner's bots, live ones first, the one with the latest upload at the top."""
    recent = BotVersion.objects.defer("source", "report").order_by("-number")[:RECENT]
    bots = (
        Bot.objects.filter(owner_id=owner.pk)
        .exclude(state=Bot.State.DELETED)
        .annotate(last_upload=Max("versions__created_at"))
        .prefetch_related(Prefetch("versions", recent, to_attr="recent_versions"))
        .order_by("state", "-last_upload")
    )
    active = BotVersion.objects.filter(bot__owner_id=owner.pk, state=BotVersion.State.ACTIVE)
    current = dict(active.order_by("bot_id").values_list("bot_id").annotate(Max("number")))
    return [OwnBot(bot, bot.recent_versions, current.get(bot.pk)) for bot in bots]


def bots_like(text: str, among: QuerySet[Bot]) -> list[Bot]:
    """Some bots that have the typed text in their name, with their owners, in the order of names."""
    text = typed(text)
    return list(among.filter(name__icontains=text).select_related("owner").order_by("name")[:SUGGESTED]) if text else []


def waiting_versions() -> list[int]:
    """Keys of the versions that wait to be checked and that no worker has, in the order of the queue."""
    waiting = BotVersion.objects.filter(state=BotVersion.State.VALIDATING, attempt=0)
    return list(waiting.order_by("pk").values_list("pk", flat=True))


def bot_count(owner: AbstractBaseUser) -> int:
    """How many bots the owner has, retired ones included."""
    return Bot.objects.filter(owner_id=owner.pk).exclude(state=Bot.State.DELETED).count()


def live_bots(owner: AbstractBaseUser | AnonymousUser) -> QuerySet[Bot]:
    """The bots that count against the owner's cap."""
    return Bot.objects.filter(owner_id=owner.pk).exclude(state__in=[Bot.State.RETIRED, Bot.State.DELETED])


def recent_uploads(owner: AbstractBaseUser, *, now: datetime) -> list[datetime]:
    """When the owner uploaded in the last 24 hours, newest first."""
    uploads = BotVersion.objects.filter(bot__owner_id=owner.pk, created_at__gt=now - DAY)
    return list(uploads.order_by("-created_at").values_list("created_at", flat=True))


def unheld_validations() -> QuerySet[BotVersion]:
    """Versions that are to be checked and that no worker holds."""
    is_free = Q(lease_expires_at=None) | Q(lease_expires_at__lt=clock.now())
    return BotVersion.objects.filter(is_free, state=BotVersion.State.VALIDATING)


def source_of(version: BotVersion) -> BotSource:
    """The stored source."""
    return BotSource.from_bytes(bytes(version.source))


def sandbox_status() -> SandboxStatus | None:
    """The best that the workers of any machine say of their sandbox; None before the first report."""
    # Uploads can run on one machine or on several; then house bots may; a machine without a sandbox says "".
    return SandboxStatus.objects.order_by("-runs_uploads", "-driver").first()


def numpy_version() -> str:
    """The release of numpy that bots may import on this site, the oldest if machines differ; "" if one has none."""
    return min(SandboxStatus.objects.filter(runs_uploads=True).values_list("numpy", flat=True), default="")
