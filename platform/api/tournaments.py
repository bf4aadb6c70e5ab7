"""Public tournaments in the API: which there are, who plays in one, how it stands. Private ones are not there."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any, Literal

from django.http import HttpRequest
from django.urls import reverse
from ninja import Field, Path, Query, Router, Schema
from ninja.errors import HttpError

from api.schemas import BotName
from api.views import PROBLEMS, SLUG, Before, Limit, next_page
from tournaments import exports, queries
from tournaments.models import Entry, Tournament

router = Router(tags=["Tournaments"])
Slug = Annotated[str, Path(max_length=80, pattern=SLUG, description="As in the address of its page.")]


class TournamentOut(Schema):
    """A tournament in short."""

    slug: str
    name: str = Field(description="In a series with its number.")
    state: str = Field(description="open, closed, running, paused, finished or cancelled.")
    format: dict[str, Any] = Field(
        description="`kind`: round_robin, swiss, single_elimination, double_elimination or groups_then_knockout; "
        "`matches` of a pairing; and what else that kind has."
    )
    ladder: str = Field(description="The slug of the ladder whose rules are played.")
    rule_set: str
    organizer: str
    is_rated: bool
    opens_at: dt.datetime = Field(description="From when on bots are entered.")
    closes_at: dt.datetime = Field(description="When versions and seeds are fixed.")
    starts_at: dt.datetime
    finished_at: dt.datetime | None
    entries: int = Field(description="Bots entered.")
    most_entries: int
    champion: BotName | None = Field(description="Null until it is finished.")


class TournamentsOut(Schema):
    """A page of tournaments, newest first."""

    tournaments: list[TournamentOut]
    next: str | None = Field(description="The address of the next page; null at the end.")


class EntryOut(Schema):
    """A bot in a tournament."""

    bot: BotName
    version: int | None = Field(description="Null until entries close.")
    seed: int | None = Field(description="From 1; null until entries close.")
    elo: float | None = Field(description="Its rating when entries closed, if it had one.")
    status: str = Field(description="playing, withdrawn or disqualified.")
    reason: str = Field(description="Why it was disqualified.")


class TournamentDetailOut(TournamentOut):
    """A tournament with its entrants."""

    description: str
    note: str = Field(description="Why it is paused or cancelled.")
    seeding: str = Field(description="elo, random or manual.")
    entrants: list[EntryOut] = Field(description="By seed.")
    results: str = Field(description="The address of every match and its score, as JSON.")


class TournamentStandingOut(Schema):
    """An entrant's line in the standings."""

    rank: int = Field(description="From 1. Those who went out of a knockout in the same round share one.")
    bot: str = Field(description="Its slug.")
    version: int
    seed: int
    status: str
    points: float = Field(description="Of a point a match, byes and walkovers included.")
    played: int = Field(description="Matches.")
    won: int = Field(description="Pairings, as are level and lost.")
    level: int
    lost: int
    byes: int
    tiebreaks: dict[str, float] = Field(description="Their values by name; head-to-head where it counts.")
    decided_by: str | None = Field(description="The tie-break that puts it behind the line above.")


class TournamentStandingsOut(Schema):
    """How a tournament stands."""

    state: str
    standings: list[TournamentStandingOut] = Field(description="The best first; empty until entries close.")


@router.get("", response={200: TournamentsOut, **PROBLEMS}, summary="Tournaments")
def tournaments(
    request: HttpRequest,
    state: Annotated[
        Literal["open", "closed", "running", "paused", "finished", "cancelled"] | None,
        Query(description="Only those in this state."),
    ] = None,
    before: Before = None,
    limit: Limit = 50,
) -> Any:
    """Newest first."""
    found = queries.public()
    if state is not None:
        found = found.filter(state=state)
    if before is not None:
        found = found.filter(pk__lt=before)
    rows = list(found[: limit + 1])
    entered = queries.entered(rows)
    return TournamentsOut(
        tournaments=[TournamentOut(**_short(one, entered[one.pk])) for one in rows[:limit]],
        next=next_page(request, before=rows[limit - 1].pk if len(rows) > limit else None),
    )


@router.get("/{slug}", response={200: TournamentDetailOut, **PROBLEMS}, summary="A tournament")
def tournament(request: HttpRequest, slug: Slug) -> Any:
    """With who plays in it."""
    found = _tournament(slug)
    entries = queries.entries_of(found)
    return TournamentDetailOut(
        **_short(found, len(entries)),
        description=found.description,
        note=found.note,
        seeding=found.seeding,
        entrants=[_entry(entry) for entry in entries],
        results=request.build_absolute_uri(reverse("tournaments:results", args=[found.slug, "json"])),
    )


@router.get("/{slug}/standings", response={200: TournamentStandingsOut, **PROBLEMS}, summary="How a tournament stands")
def standings(request: HttpRequest, slug: Slug) -> Any:
    """The best first, with every tie-break; as its page shows it."""
    found = _tournament(slug)
    entries = {entry.pk: entry for entry in queries.entries_of(found)}
    return {"state": found.state, "standings": exports.standings(queries.shown(found), entries)}


def _tournament(slug: str) -> Tournament:
    found = queries.public().filter(slug=slug).first()
    if found is None:
        raise HttpError(404, f"There is no public tournament {slug!r}.")
    return found


def _short(found: Tournament, entered: int) -> dict[str, Any]:
    champion = found.champion
    return {
        "slug": found.slug,
        "name": found.title,
        "state": found.state,
        "format": found.format,
        "ladder": found.ladder.slug,
        "rule_set": found.ladder.rule_set,
        "organizer": found.creator.get_username(),
        "is_rated": found.is_rated,
        "opens_at": found.opens_at,
        "closes_at": found.closes_at,
        "starts_at": found.starts_at,
        "finished_at": found.finished_at,
        "entries": entered,
        "most_entries": found.max_entries,
        "champion": champion and _name(champion),
    }


def _entry(entry: Entry) -> EntryOut:
    # Before entries close a seed is the organizers' wish, and no version is pinned.
    version = entry.version
    status = "disqualified" if entry.is_disqualified else "withdrawn" if entry.left_number else "playing"
    return EntryOut(
        bot=_name(entry),
        version=None if version is None else version.number,
        seed=entry.seed if version else None,
        elo=None if entry.milli is None else entry.milli / 1000,
        status=status,
        reason=entry.reason,
    )


def _name(entry: Entry) -> BotName:
    return BotName(slug=entry.bot.slug, name=entry.bot.name)
