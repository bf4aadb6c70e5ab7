"""Challenges: an owner asks for one unrated match against whom they like."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from bots import clock
from bots.caps import DAY, check_day
from bots.models import Bot, BotVersion
from bots.queries import current_version
from bots.refusals import Refusal
from bots.services import uploads_closed
from ladder.models import Ladder, Match
from ladder.services.matches import enqueue_match


def challenge(*, user: User, version: BotVersion, opponent: Bot, ladder: Ladder) -> Match:
    """Queues an unrated match of `version`, which is the user's, against the opponent's current version.

    Raises Refusal: the two cannot play, or the user has asked as often as ARENA_MAX_CHALLENGES_A_DAY allows; a void
    match does not count.
    """
    against = current_version(opponent)
    if version.bot.owner_id != user.pk:
        raise Refusal("not_yours", "Only a bot's owner may challenge with it.", field="version")
    if version.bot.state != Bot.State.ACTIVE or version.state != BotVersion.State.ACTIVE:
        raise Refusal("not_playing", f"{version} plays no matches now. Choose another of your bots.", field="version")
    if opponent.state != Bot.State.ACTIVE or against is None:
        raise Refusal("opponent_not_playing", f"{opponent} plays no matches now, so it cannot be challenged.")
    if against.pk == version.pk:
        raise Refusal(
            "same_version",
            f"{version} is the one you would challenge. Choose another version, or challenge another bot.",
            field="version",
        )
    if not ladder.is_open:
        raise Refusal("closed_ladder", f"The ladder {ladder} is closed. Choose an open one.", field="ladder")
    if (closed := uploads_closed()) is not None:
        raise Refusal(closed.code, "Uploaded bots cannot be run on this server at the moment. Try again later.")
    with transaction.atomic():
        # One account's writes queue: the cap is counted before the match is written.
        User.objects.select_for_update(no_key=True).get(pk=user.pk)
        now = clock.now()
        asked = Match.objects.filter(asked_by=user, queued_at__gt=now - DAY).exclude(state=Match.State.VOID)
        check_day(
            times=list(asked.order_by("-queued_at").values_list("queued_at", flat=True)),
            cap=settings.ARENA_MAX_CHALLENGES_A_DAY,
            now=now,
            code="too_many_challenges",
            done="asked for {} challenges",
        )
        return enqueue_match(
            ladder=ladder,
            versions=[version, against],
            is_rated=False,
            origin=Match.Origin.CHALLENGE,
            asked_by=user,
        )
