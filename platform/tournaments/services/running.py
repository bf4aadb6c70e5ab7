"""A tournament running by itself: entries close, versions and seeds are fixed, matches are queued, it ends.

Each step may run twice, and may die anywhere: it is one transaction under the tournament's lock and goes by what is
stored alone. `tasks.run` takes them every few seconds.
"""

from __future__ import annotations

import random

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from arena import tournament as pure
from arena.elo import START_MILLI
from bots import clock
from bots.models import Bot, BotVersion
from bots.queries import active_versions
from ladder import services as ladder
from ladder.models import Match, Rating
from ladder.scheduler import depth
from tournaments import queries
from tournaments.models import Entry, Fixture, Notice, Tournament
from tournaments.services import notices
from tournaments.services.entries import take_out
from tournaments.services.locks import locked
from tournaments.services.settling import settle
from tournaments.services.setup import continue_series

State = Tournament.State
PLAYING_BOTS = (Bot.State.ACTIVE, Bot.State.BENCHED)
"""A benched bot plays on here with the version that was entered; one that its author retired or deleted has left."""


def due() -> list[int]:
    """The tournaments that a step may be due for."""
    now = clock.now()
    waiting = Q(state=State.OPEN, closes_at__lte=now) | Q(state=State.CLOSED, starts_at__lte=now)
    return list(Tournament.objects.filter(waiting | Q(state=State.RUNNING)).order_by("pk").values_list("pk", flat=True))


def close_entries(*, tournament_id: int, rng: random.Random | None = None) -> bool:
    """Fixes every entry's version and seed once entries close, and announces the next one of the series; False when
    that is not due.

    Entries of bots that play no more go. With fewer than two left the tournament is cancelled.
    """
    with transaction.atomic():
        found = locked(tournament_id)
        if found.state != State.OPEN or found.closes_at > clock.now():
            return False
        versions = {version.bot_id: version for version in active_versions().filter(bot__entries__tournament=found)}
        entries = []
        for entry in found.entries.select_related("bot"):
            entry.version = versions.get(entry.bot_id)
            if entry.version is None:
                text = f"{entry.bot} does not take part: it had no version that plays when entries closed."
                notices.tell(found, Notice.Kind.CHANGED, [(entry.bot.owner_id, f"dropped-{entry.bot_id}", text)])
                entry.delete()
            else:
                entries.append(entry)
        _seed(found, entries, rng or random.SystemRandom())
        found.state = State.CLOSED
        if len(entries) < 2:
            found.state, found.note = State.CANCELLED, "Fewer than two bots were entered."
        found.save(update_fields=["state", "note"])
        for entry in entries:
            text = f"Entries are closed. {entry.version} is seeded {entry.seed} of {len(entries)}."
            if found.state == State.CANCELLED:
                text = f"Cancelled. {found.note}"
            kind = Notice.Kind.CHANGED if found.state == State.CANCELLED else Notice.Kind.CLOSED
            notices.tell(found, kind, [(entry.bot.owner_id, f"closed-{entry.pk}", text)])
        continue_series(tournament=found)
    return True


def _seed(tournament: Tournament, entries: list[Entry], rng: random.Random) -> None:
    """The best seed first: by lot or by Elo; by hand as the organizers said, the rest behind them by Elo."""
    elo = _elo(tournament, [entry.version for entry in entries if entry.version is not None])
    rng.shuffle(entries)  # Equal ratings are in no order of their own.
    if tournament.seeding != Tournament.Seeding.RANDOM:
        entries.sort(key=lambda entry: -elo.get(entry.bot_id, START_MILLI))
    if tournament.seeding == Tournament.Seeding.MANUAL:
        entries.sort(key=lambda entry: (entry.seed is None, entry.seed or 0))
    for seed, entry in enumerate(entries, start=1):
        entry.seed, entry.milli = seed, elo.get(entry.bot_id)
    Entry.objects.bulk_update(entries, ["version", "seed", "milli"])


def _elo(tournament: Tournament, versions: list[BotVersion]) -> dict[int, int]:
    """The rating of each bot's version on the tournament's ladder, or else of the newest before it, by bot if any."""
    newest = {version.bot_id: version.number for version in versions}
    ratings = Rating.objects.filter(ladder=tournament.ladder_id, version__bot__in=newest).order_by("version__number")
    rows = ratings.values_list("version__bot_id", "version__number", "milli")
    return {bot: milli for bot, number, milli in rows if number <= newest[bot]}


def start(*, tournament_id: int) -> bool:
    """Begins a closed tournament at its time; False when that is not due."""
    with transaction.atomic():
        locked(tournament_id)
        ready = Tournament.objects.filter(pk=tournament_id, state=State.CLOSED, starts_at__lte=clock.now())
        return ready.update(state=State.RUNNING) == 1


def advance(*, tournament_id: int, house_only: bool = False) -> int:
    """Queues what can be played now, takes out what is not asked for any more, and ends what is over.

    Returns the number of matches queued.

    `house_only` leaves matches of uploaded bots waiting, where there is no sandbox for them.
    """
    with transaction.atomic():
        found = locked(tournament_id)
        if found.state != State.RUNNING:
            return 0
        for entry in found.entries.filter(left_number=None).exclude(bot__state__in=PLAYING_BOTS):
            take_out(tournament=found, entry=entry)
        cup, live = settle(tournament=found)
        return 0 if cup.is_over else _queue(found, cup, live, house_only=house_only)


def _queue(tournament: Tournament, cup: pure.Tournament, live: list[Fixture], *, house_only: bool) -> int:
    own = Match.objects.filter(fixture__tournament=tournament, ladder=tournament.ladder_id)
    room = depth(own, least=settings.TOURNAMENT_QUEUE_DEPTH) - sum(
        one.match.state == Match.State.QUEUED for one in live
    )
    on_the_way = {queries.slot_of(one) for one in live}
    draws = queries.draws_of(tournament, {match.round for match in cup.playable})
    entries = {
        entry.pk: entry for entry in tournament.entries.select_related("version__bot", "bot").defer(*queries.LONG)
    }
    queued: list[pure.Match] = []
    for match in cup.playable:
        slot = (match.round, frozenset((match.first, match.second)), match.number)
        sides = entries[match.first], entries[match.second]
        if len(queued) >= room:
            break
        if slot in on_the_way or (house_only and not all(side.bot.is_house for side in sides)):
            continue
        versions = [side.version for side in sides if side.version is not None]
        played = ladder.enqueue_match(
            ladder=tournament.ladder,
            versions=versions,
            is_rated=tournament.is_rated and ladder.may_be_rated(sides[0].bot, sides[1].bot),
            origin=Match.Origin.TOURNAMENT,
            is_private=not tournament.is_public,
        )
        Fixture.objects.create(
            match=played,
            tournament=tournament,
            round=match.round,
            first=sides[0],
            second=sides[1],
            number=match.number,
            draw=draws.get(slot, 0) + 1,
        )
        queued.append(match)
    notices.tell_who_plays(tournament, cup, queued, entries)
    return len(queued)
