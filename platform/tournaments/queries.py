"""What is asked about tournaments: reads only. `cup` folds one from what is stored."""

from __future__ import annotations

import hmac
import time
from collections import Counter
from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Count, F, Max, Prefetch, Q, QuerySet, Sum
from django.db.models.functions import Abs

from arena import tournament as pure
from arena.elo import MAX_QUARTERS
from bots.models import Bot
from bots.queries import active_versions
from ladder.models import Game, Match, Seat
from tournaments.models import Entry, Fixture, Muted, Notice, Tournament

MAX_DRAWS = 3
"""How often a match is put on the schedule that the house fails to play; then it counts level and holds up nothing."""
GAMES = 2
LEVEL = (MAX_QUARTERS // 2, MAX_QUARTERS // 2)
LIVE = (Match.State.QUEUED, Match.State.RUNNING)
UPCOMING = (Tournament.State.OPEN, Tournament.State.CLOSED)
UNDER_WAY = (Tournament.State.RUNNING, Tournament.State.PAUSED)
PAST = (Tournament.State.FINISHED, Tournament.State.CANCELLED)
_OF_FIXTURE = ("tournament", "round", "first", "second", "number", "draw", "match__state")
LONG = ("version__source", "version__report")
SLOW = 0.5
"""Seconds of this process after which folding a tournament took long."""
STALE = 10
SHOWN = 100
"""Past tournaments that the list shows."""

Viewer = User | AnonymousUser
Slot = tuple[int, frozenset[int], int]
"""Round, both entries, number of the match: what a fixture is played for."""


def cup(tournament: Tournament) -> pure.Tournament | None:
    """The tournament as the results have it, its entrants being keys of entries; None before its entries are seeded.

    A process reads and folds the results of a tournament once: whoever asks again, before another one has come, costs
    two small queries.
    """
    facts = _facts(tournament)
    return None if facts is None else _folded(*facts, tournament.pk, _stamp(tournament))


def shown(tournament: Tournament) -> pure.Tournament | None:
    """As `cup`, for pages: a large field that took long to fold is shown as it was for STALE times as long, or many
    readers of one that is being played would keep the site busy. What organizers and authors do is seen at once."""
    facts = _facts(tournament)
    if facts is None:
        return None
    key = (tournament.created_at, tournament.state, *facts)
    kept = _shown.get(tournament.pk)
    if kept is not None and kept[0] == key and time.monotonic() < kept[1]:
        return kept[2]
    began = time.thread_time()
    found = _folded(*facts, tournament.pk, _stamp(tournament))
    assert found.standings  # all of it follows now
    took = time.thread_time() - began
    if took > SLOW:
        _shown[tournament.pk] = key, time.monotonic() + STALE * took, found
    return found


_Facts = tuple[pure.Format, tuple[int, ...], tuple[pure.Withdrawal, ...]]
_shown: dict[int, tuple[Hashable, float, pure.Tournament]] = {}
"""By tournament: of which facts, until when on the steady clock, and what is shown."""


def _facts(tournament: Tournament) -> _Facts | None:
    """Format, entrants and withdrawals; None before entries are seeded."""
    entries = list(
        Entry.objects.filter(tournament=tournament, version__isnull=False, seed__isnull=False).order_by("seed", "pk")
    )
    if tournament.state in (Tournament.State.DRAFT, Tournament.State.OPEN) or len(entries) < 2:
        return None
    gone = sorted((entry for entry in entries if entry.left_number), key=lambda entry: entry.left_number or 0)
    withdrawals = tuple(pure.Withdrawal(entry.pk, entry.after_round or 0, entry.is_disqualified) for entry in gone)
    return tournament.chosen, tuple(entry.pk for entry in entries), withdrawals


@lru_cache(maxsize=64)
def _folded(
    chosen: pure.Format,
    entrants: tuple[int, ...],
    withdrawals: tuple[pure.Withdrawal, ...],
    tournament_id: int,
    _stamp: Hashable,
) -> pure.Tournament:
    # What follows from the facts is derived at the first question for it, and kept with them.
    return pure.Tournament(chosen, entrants, results(tournament_id), withdrawals)


def _stamp(tournament: Tournament) -> Hashable:
    """Tells one state of the results from every other: by the matches that they are of, for no result ever changes."""
    ended = Fixture.objects.filter(tournament=tournament, is_set_aside=False)
    ended = ended.filter(match__state__in=[Match.State.FINISHED, Match.State.VOID]).order_by()
    counts = ended.values_list("match__state").annotate(Count("pk"), Sum("match"), Max("match__finished_at"))
    return tournament.created_at, tuple(sorted(counts))


def results(tournament_id: int) -> tuple[pure.Result, ...]:
    """The results that count, and a level one for each match that the house failed to play MAX_DRAWS times."""
    seats = (
        Seat.objects.filter(match__fixture__tournament=tournament_id, match__fixture__is_set_aside=False)
        .filter(match__state__in=[Match.State.FINISHED, Match.State.VOID])
        .order_by("match__fixture__round", "match", "index")
        .values_list(
            "match__fixture__round",
            "match__fixture__first",
            "match__fixture__second",
            "match__fixture__number",
            "match__state",
            "score_quarters",
            "points",
            "faults",
        )
    )
    found: dict[Slot, pure.Result] = {}
    failed: Counter[Slot] = Counter()
    rows = iter(seats)
    for (round_, first, second, number, state, *one), (*_, quarters, points, faults) in zip(rows, rows, strict=True):
        slot = (round_, frozenset((first, second)), number)
        if state == Match.State.FINISHED and slot not in found:
            # Nothing for two that failed in every game, as `arena.tournament.match_score` has it.
            score = (0, 0) if one[2] == faults == GAMES else (one[0] or 0, quarters or 0)
            found[slot] = pure.Result(round_, first, second, number, score, (one[1] or 0, points))
        elif state == Match.State.VOID:
            failed[slot] += 1
    for slot in failed.keys() - found.keys():
        if failed[slot] >= MAX_DRAWS:
            first, second = sorted(slot[1])
            found[slot] = pure.Result(slot[0], first, second, slot[2], LEVEL)
    return tuple(sorted(found.values(), key=lambda one: (one.round, one.first, one.second, one.number)))


def live_fixtures(tournament: Tournament) -> list[Fixture]:
    """Those whose match waits or is being played."""
    live = Fixture.objects.filter(tournament=tournament, match__state__in=LIVE, is_set_aside=False)
    return list(live.select_related("match").order_by("match"))


def slot_of(fixture: Fixture) -> Slot:
    """What the fixture is played for."""
    return fixture.round, frozenset((fixture.first_id, fixture.second_id)), fixture.number


def draws_of(tournament: Tournament, rounds: Collection[int]) -> dict[Slot, int]:
    """The highest draw of each slot of these rounds, set aside or not."""
    rows = Fixture.objects.filter(tournament=tournament, round__in=rounds).order_by("draw")
    return {
        (round_, frozenset((first, second)), number): draw
        for round_, first, second, number, draw in rows.values_list("round", "first", "second", "number", "draw")
    }


def entries_of(tournament: Tournament) -> list[Entry]:
    """All entries by seed, with bot, owner and version."""
    return list(
        tournament.entries.select_related("bot__owner", "version")
        .defer(*LONG)
        .order_by(F("seed").asc(nulls_last=True), "pk")
    )


def fixtures_of(tournament: Tournament, rounds: Collection[int] | None = None) -> list[Fixture]:
    """The fixtures that are not set aside, each with its match; of these rounds only, but those on the way always."""
    rows = Fixture.objects.filter(tournament=tournament, is_set_aside=False).select_related("match")
    if rounds is not None:
        rows = rows.filter(Q(round__in=rounds) | Q(match__state__in=LIVE))
    return list(rows.only(*_OF_FIXTURE).order_by("round", "match"))


def longest_game(tournament: Tournament) -> Game | None:
    """The game with the most hands, the earliest of several."""
    return _games(tournament).order_by("-hands", "match", "number").first()


def clearest_game(tournament: Tournament) -> Game | None:
    """The game with the widest difference in points that no failure decided."""
    played = _games(tournament).filter(faults=None)
    return played.order_by(Abs(F("score_a") - F("score_b")).desc(), "match", "number").first()


def most_played(tournament: Tournament, *, limit: int = 3) -> list[Fixture]:
    """The fixtures with the hands of the most moves, a hand of each."""
    counted = Fixture.objects.filter(tournament=tournament, is_set_aside=False, most_moves__gt=0)
    return list(counted.select_related("first__bot", "second__bot").order_by("-most_moves", "match")[:limit])


def _games(tournament: Tournament) -> QuerySet[Game]:
    return Game.objects.filter(match__fixture__tournament=tournament, match__fixture__is_set_aside=False)


def finished(tournament: Tournament) -> list[Fixture]:
    """The finished fixtures that count: of two for one slot, the earlier one."""
    played = Fixture.objects.filter(tournament=tournament, is_set_aside=False, match__state=Match.State.FINISHED)
    return list({slot_of(fixture): fixture for fixture in played.order_by("round", "-match")}.values())


def set_aside(tournament: Tournament) -> QuerySet[Fixture]:
    """Finished fixtures that count no more."""
    return Fixture.objects.filter(tournament=tournament, is_set_aside=True, match__state=Match.State.FINISHED)


# Who sees what


def runs(user: Viewer, tournament: Tournament) -> bool:
    """Whether the user is an organizer: the creator, or staff."""
    return user.is_authenticated and (user.is_staff or user.pk == tournament.creator_id)


def has_code(tournament: Tournament, code: str) -> bool:
    """Whether that is the tournament's invitation code."""
    return hmac.compare_digest(tournament.code.encode(), code.encode())


def sees(user: Viewer, tournament: Tournament, code: str = "") -> bool:
    """Whether the user may see the tournament: a draft its organizers only, a private one whoever has the code or a bot
    in it as well."""
    if runs(user, tournament):
        return True
    if tournament.state == Tournament.State.DRAFT:
        return False
    if tournament.is_public or has_code(tournament, code):
        return True
    return user.is_authenticated and tournament.entries.filter(bot__owner=user.pk).exists()


def public() -> QuerySet[Tournament]:
    """The tournaments that everybody finds, newest first."""
    found = Tournament.objects.filter(is_public=True).exclude(state=Tournament.State.DRAFT)
    return found.select_related("ladder", "creator", "champion__bot").order_by("-pk")


def entered(tournaments: Iterable[Tournament]) -> Counter[int]:
    """The number of entries of each, by its key."""
    rows = Entry.objects.filter(tournament__in=[one.pk for one in tournaments]).order_by()
    return Counter(dict(rows.values_list("tournament").annotate(Count("pk"))))


def listed(user: Viewer, states: Iterable[str]) -> list[Tournament]:
    """The tournaments in these states that the user finds in the list, with `.entered`, the number of entries."""
    mine = Q(is_public=True) & ~Q(state=Tournament.State.DRAFT)
    if user.is_authenticated:
        mine |= Q(creator=user.pk) | Q(pk__in=Entry.objects.filter(bot__owner=user.pk).values("tournament"))
        if user.is_staff:
            mine = Q()
    found = Tournament.objects.filter(mine, state__in=list(states)).select_related("ladder", "creator", "champion__bot")
    return list(found.annotate(entered=Count("entries")).order_by("-starts_at", "-pk")[:SHOWN])


@dataclass(frozen=True)
class OwnEntry:
    """An entry of the user's and what the user may do with it."""

    entry: Entry
    may_leave: bool


def own_entries(user: Viewer, tournament: Tournament) -> list[OwnEntry]:
    """The user's bots in the tournament."""
    if not user.is_authenticated:
        return []
    can = tournament.state in (*UPCOMING, *UNDER_WAY)
    own = tournament.entries.filter(bot__owner=user.pk).select_related("bot", "version")
    return [OwnEntry(entry, can and entry.left_number is None) for entry in own.defer(*LONG).order_by("pk")]


def may_be_entered(user: Viewer, tournament: Tournament) -> list[Bot]:
    """The bots that the user could enter: its own that play, and for organizers the house's too."""
    if not user.is_authenticated:
        return []
    whose = Q(bot__owner=user.pk)
    if runs(user, tournament):
        whose |= Q(bot__is_house=True)
    playing = active_versions().filter(whose).exclude(bot__in=tournament.entries.values("bot"))
    return [version.bot for version in playing.order_by("bot__is_house", "bot__name")]


# What entrants are told


def notices_for(user: Viewer, *, limit: int = 10) -> list[Notice]:
    """The newest notices that the user wanted on the page."""
    if not user.is_authenticated:
        return []
    return list(Notice.objects.filter(user=user.pk, on_page=True).select_related("tournament")[:limit])


def muted(users: Collection[int]) -> set[tuple[int, str, str]]:
    """What these users turned off: user, kind, channel."""
    return set(Muted.objects.filter(user__in=users).values_list("user", "kind", "channel"))


def with_seats(fixtures: QuerySet[Fixture]) -> QuerySet[Fixture]:
    """The same with their matches and seats."""
    seats = Seat.objects.select_related("version__bot").defer(*LONG).order_by("index")
    return fixtures.select_related("match__ladder").prefetch_related(Prefetch("match__seats", seats))
