"""Setting a tournament up: made as a draft, changed until entries close, published."""

from __future__ import annotations

import datetime as dt
import secrets
from dataclasses import asdict, dataclass

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.text import slugify

from arena.tournament import Format, format_to_dict
from bots import clock
from bots.refusals import Refusal
from ladder.models import Ladder
from tournaments.models import Tournament
from tournaments.queries import PAST
from tournaments.services.locks import locked, require


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What the organizer of a tournament chooses."""

    name: str
    description: str
    ladder: Ladder
    format: Format
    zone: str
    opens_at: dt.datetime
    closes_at: dt.datetime
    starts_at: dt.datetime
    who_enters: str
    is_public: bool
    bots_per_author: int
    max_entries: int
    seeding: str
    is_rated: bool
    repeat_days: int | None


def create(*, creator: User, plan: Plan) -> Tournament:
    """A draft. Raises Refusal: ratings are not the creator's to move, or it has too many tournaments under way."""
    _check(creator, plan)
    with transaction.atomic():
        if not creator.is_staff:
            # One account's writes queue: the cap is counted before the tournament is written.
            User.objects.select_for_update(no_key=True).get(pk=creator.pk)
            under_way = Tournament.objects.filter(creator=creator).exclude(state__in=PAST).count()
            if under_way >= settings.ARENA_MAX_TOURNAMENTS:
                raise Refusal(
                    "too_many_tournaments",
                    f"You have {under_way} tournaments that are not over; the limit is "
                    f"{settings.ARENA_MAX_TOURNAMENTS}. Cancel one, or wait until it is over.",
                )
        return Tournament.objects.create(
            creator=creator, slug=free_slug(plan.name), code=secrets.token_urlsafe(9), **_columns(plan)
        )


def edit(*, tournament: Tournament, plan: Plan, editor: User) -> Tournament:
    """Changes everything but who made it, until entries close. Raises Refusal."""
    _check(editor, plan)
    with transaction.atomic():
        found = locked(tournament.pk)
        require(found, [Tournament.State.DRAFT, Tournament.State.OPEN], "changed any more")
        for name, value in _columns(plan).items():
            setattr(found, name, value)
        found.save(update_fields=list(_columns(plan)))
    return found


def publish(*, tournament: Tournament) -> None:
    """Opens a draft for entries, from its `opens_at` on. Raises Refusal."""
    with transaction.atomic():
        found = locked(tournament.pk)
        require(found, [Tournament.State.DRAFT], "published")
        if found.closes_at <= clock.now():
            raise Refusal("closes_in_the_past", "Its entries would close in the past. Change the times first.")
        Tournament.objects.filter(pk=found.pk).update(state=Tournament.State.OPEN)


def continue_series(*, tournament: Tournament) -> Tournament | None:
    """Announces the next one of a locked tournament's series, once; None when there is none to come."""
    if tournament.repeat_days is None or Tournament.objects.filter(previous=tournament).exists():
        return None
    times = [_local(tournament, when) for when in (tournament.opens_at, tournament.closes_at, tournament.starts_at)]
    now = clock.now()
    step = dt.timedelta(days=tournament.repeat_days)
    # By the creator's calendar: eight in the evening stays eight in the evening when the clocks change.
    times = [when + step for when in times]
    while times[1].astimezone(dt.UTC) <= now:
        times = [when + step for when in times]
    following = Tournament.objects.get(pk=tournament.pk)
    following.pk = None
    following._state.adding = True  # noqa: SLF001 - Django's own way of copying a row
    following.slug = free_slug(f"{tournament.name} {tournament.edition + 1}")
    following.code = secrets.token_urlsafe(9)
    following.edition = tournament.edition + 1
    following.previous = tournament
    following.state = Tournament.State.OPEN
    following.opens_at, following.closes_at, following.starts_at = (when.astimezone(dt.UTC) for when in times)
    following.champion = following.finished_at = None
    following.note = ""
    following.created_at = now
    following.save(force_insert=True)
    return following


def free_slug(name: str) -> str:
    """A slug of the name that no tournament has."""
    base = slugify(name)[:60] or "tournament"
    taken = set(Tournament.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    return next(slug for slug in [base, *(f"{base}-{n}" for n in range(2, len(taken) + 3))] if slug not in taken)


def _local(tournament: Tournament, when: dt.datetime) -> dt.datetime:
    return when.astimezone(tournament.zone_info)


def _check(user: User, plan: Plan) -> None:
    if plan.is_rated and not plan.is_public:
        raise Refusal(
            "rated_in_private",
            "What moves ratings is for everybody to see: list it, or leave it unrated.",
            field="is_rated",
        )
    if plan.is_rated and not user.is_staff:
        raise Refusal(
            "rated_by_staff", "Only the staff's tournaments move ratings. Leave it unrated.", field="is_rated"
        )


def _columns(plan: Plan) -> dict[str, object]:
    return {**asdict(plan), "ladder": plan.ladder, "format": format_to_dict(plan.format)}
