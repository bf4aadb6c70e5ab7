"""What the tests of tournaments share: one that is set up, and a worker without a sandbox that plays it by strength."""

import datetime as dt
from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from arena.tournament import Format
from bots.models import Bot
from ladder import services as ladder_services
from ladder.models import Ladder, Match
from tests.web.entering import author
from tests.web.matches import make_version, record_of
from tournaments import services, tasks
from tournaments.models import Entry, Fixture, Tournament
from tournaments.services import Plan

Score = Callable[[Fixture], int]
"""The quarters of a fixture's first side."""


def plan(chosen: Format, **changes: Any) -> Plan:
    """A public tournament whose entries close in an hour."""
    now = timezone.now()
    values: dict[str, Any] = {
        "name": "Cup",
        "description": "",
        "ladder": Ladder.objects.get(slug="classic"),
        "format": chosen,
        "zone": "UTC",
        "opens_at": now - dt.timedelta(hours=1),
        "closes_at": now + dt.timedelta(hours=1),
        "starts_at": now + dt.timedelta(hours=1),
        "who_enters": "anybody",
        "is_public": True,
        "bots_per_author": 1,
        "max_entries": 64,
        "seeding": "manual",
        "is_rated": False,
        "repeat_days": None,
    }
    return Plan(**{**values, **changes})


def opened(creator: User, chosen: Format, **changes: Any) -> Tournament:
    """A published tournament."""
    made = services.create(creator=creator, plan=plan(chosen, **changes))
    services.publish(tournament=made)
    made.refresh_from_db()
    return made


def entered(tournament: Tournament, count: int) -> list[Entry]:
    """So many bots, each of an author of its own, entered and seeded in the order of their numbers."""
    entries = []
    for number in range(1, count + 1):
        user = author(f"author{number}")
        entries.append(services.enter(user=user, tournament=tournament, bot=make_version(f"Bot{number:02}", user).bot))
    services.set_seeds(tournament=tournament, order=entries)
    return entries


def make_due(tournament: Tournament) -> None:
    """As if its entries were to close, and it to start, now."""
    now = timezone.now()
    Tournament.objects.filter(pk=tournament.pk).update(
        opens_at=now - dt.timedelta(hours=2), closes_at=now, starts_at=now
    )


def by_seed(fixture: Fixture) -> int:
    """The better seed wins both games."""
    return 4 if (fixture.first.seed or 0) < (fixture.second.seed or 0) else 0


def play_queued(score: Score = by_seed) -> int:
    """A worker plays every fixture that waits; returns their number."""
    waiting = Fixture.objects.filter(match__state=Match.State.QUEUED).select_related("first", "second")
    count = 0
    for fixture in list(waiting.order_by("match")):
        claim = ladder_services.claim_match(match_id=fixture.match_id, worker="w1")
        if claim is None:
            continue
        assert ladder_services.finish_match(claim=claim, record=record_of(claim, score(fixture)))
        count += 1
    return count


def play_out(tournament: Tournament, score: Score = by_seed) -> None:
    """The scheduler and a worker take turns until it is over."""
    for _ in range(200):
        tasks.run()
        tournament.refresh_from_db()
        if tournament.state not in (Tournament.State.CLOSED, Tournament.State.RUNNING):
            return
        play_queued(score)
    raise AssertionError("The tournament does not end.")


def bot(number: int) -> Bot:
    """The bot that `entered` made."""
    return Bot.objects.get(slug=f"bot{number:02}")
