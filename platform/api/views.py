"""The public API, read only: what the pages show, as JSON. Every answer that is no success is a `Problem`."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from django.conf import settings
from django.db.models import Prefetch
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from ninja import NinjaAPI, Path, Query
from ninja.errors import HttpError, ValidationError

from api import present, schemas
from api.throttle import MinuteThrottle
from bots.models import Bot, BotVersion
from bots.queries import house_description
from ladder import queries
from ladder.bot_stats import PAGES, By, Order, opponents_page, stats_of
from ladder.head_to_head import head_to_head as results_between
from ladder.matrix import matrix_of
from ladder.models import Ladder, Match, Rating
from ladder.order import Place
from ladder.parameters import LONGEST_SEARCH
from ladder.replay import match_record
from ladder.replay_pages import record_file
from ladder.standings import Show, Wanted, standings_page

MOST = 100
"""Rows of a page."""
BIGGEST = 10**18
"""One digit more does not fit the database's column."""

Limit = Annotated[int, Query(ge=1, le=MOST, description=f"Rows, at most {MOST}.")]
Before = Annotated[int | None, Query(ge=1, lt=BIGGEST, description="Only what is older than this; `next` sets it.")]
SLUG = "^[-a-zA-Z0-9_]*$"
"""What a slug is made of. Not every database takes every other character: PostgreSQL no NUL."""
Slug = Annotated[str, Path(max_length=64, pattern=SLUG, description="As in the address of its page.")]
LadderSlug = Annotated[str | None, Query(max_length=50, pattern=SLUG, description="Only on this ladder, by slug.")]
BotSlug = Annotated[str | None, Query(max_length=64, pattern=SLUG, description="Only of this bot, by slug.")]
OtherSlug = Annotated[str | None, Query(max_length=64, pattern=SLUG, description="With `bot`: only against this one.")]
PROBLEMS = {frozenset({404, 422, 429}): schemas.Problem}


api = NinjaAPI(
    title="Gin Rummy Arena",
    version="1",
    description="Ladders, bots, matches and records of this arena. Read only; no key is needed.",
    docs_url=None,
    urls_namespace="api",
    throttle=[MinuteThrottle(settings.API_REQUESTS_A_MINUTE)],
)


@api.exception_handler(HttpError)
def _refused(request: HttpRequest, error: HttpError) -> HttpResponse:
    return api.create_response(request, {"error": _sentence(error)}, status=error.status_code)


@api.exception_handler(ValidationError)
def _malformed(request: HttpRequest, error: ValidationError) -> HttpResponse:
    first = error.errors[0]
    return api.create_response(
        request, {"error": f"The parameter {first['loc'][-1]!r} is wrong: {first['msg']}."}, status=422
    )


@api.exception_handler(Http404)
def _missing(request: HttpRequest, error: Http404) -> HttpResponse:
    return api.create_response(request, {"error": str(error) or "There is nothing at this address."}, status=404)


def _sentence(error: HttpError) -> str:
    if error.status_code == 429:
        return (
            f"More than {settings.API_REQUESTS_A_MINUTE} requests a minute came from your address. "
            "Wait as long as Retry-After says."
        )
    return str(error)


def nothing(request: HttpRequest) -> HttpResponse:
    """Any other address below the API's."""
    where = request.build_absolute_uri(reverse("api_docs"))
    return api.create_response(request, {"error": f"The API has no such address; {where} lists all."}, status=404)


def reading(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """The view for those who ask with GET; everybody else learns that there is nothing to write."""

    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.method == "GET":
            return view(request, *args, **kwargs)
        response = api.create_response(request, {"error": "The API is read only. Ask with GET."}, status=405)
        response["Allow"] = "GET"
        return response

    return answered


@api.get("/ladders", response={200: list[schemas.LadderOut], **PROBLEMS}, summary="All ladders", tags=["Ladders"])
def ladders(request: HttpRequest) -> Any:
    """Open ones first, then by slug."""
    rows = Ladder.objects.select_related("fit").order_by("-is_open", "slug")
    return [present.ladder_out(ladder) for ladder in rows]


@api.get("/ladders/{slug}", response={200: schemas.LadderOut, **PROBLEMS}, summary="A ladder", tags=["Ladders"])
def ladder(request: HttpRequest, slug: Slug) -> Any:
    """One of them."""
    return present.ladder_out(_ladder(slug))


@api.get(
    "/ladders/{slug}/standings",
    response={200: schemas.StandingsOut, **PROBLEMS},
    summary="The table of a ladder",
    tags=["Ladders"],
)
def standings(
    request: HttpRequest,
    slug: Slug,
    after: Annotated[str | None, Query(max_length=60, description="Where the page begins; `next` sets it.")] = None,
    q: Annotated[str, Query(max_length=LONGEST_SEARCH, description="A part of the bot's or its author's name.")] = "",
    show: Literal["all", "people", "house", "settled", "provisional"] = "all",
    limit: Limit = 50,
) -> Any:
    """Best first, each bot as its current version; those that wait for their first match come last."""
    found = _ladder(slug)
    try:
        place = Place.parse(after) if after else None
    except ValueError:
        raise HttpError(422, f"{after!r} is no place on a ladder. Take the address that `next` gives.") from None
    page = standings_page(found, wanted=Wanted(q.replace("\0", ""), Show(show)), after=place, limit=limit)
    return schemas.StandingsOut(
        total=page.total,
        found=page.found,
        rows=[present.standing_out(row, found) for row in page.rows],
        next=next_page(request, after=page.next_after),
    )


@api.get(
    "/ladders/{slug}/matrix",
    response={200: schemas.MatrixOut, **PROBLEMS},
    summary="The top 20, all against all",
    tags=["Ladders"],
)
def matrix(request: HttpRequest, slug: Slug) -> Any:
    """What the best bots of the ladder got out of their rated matches with each other."""
    return present.matrix_out(matrix_of(_ladder(slug)))


@api.get("/bots/{slug}", response={200: schemas.BotOut, **PROBLEMS}, summary="A bot", tags=["Bots"])
def bot(request: HttpRequest, slug: Slug) -> Any:
    """With the ratings of its newest playing version."""
    found = _bot(slug)
    return schemas.BotOut(
        **present.bot_ref(found).dict(),
        state=found.state,
        description=house_description(found),
        created_at=found.created_at,
        ratings=[
            present.rating_out(rating, ladder=rating.ladder.slug, version=rating.version.number)
            for rating in queries.bot_standings(found)
        ],
    )


@api.get(
    "/bots/{slug}/versions", response={200: schemas.VersionsOut, **PROBLEMS}, summary="A bot's versions", tags=["Bots"]
)
def versions(request: HttpRequest, slug: Slug, before: Before = None, limit: Limit = 50) -> Any:
    """Newest first, each with its ratings."""
    ratings = Rating.objects.select_related("ladder", "strength").order_by("ladder__slug")
    rows = _bot(slug).versions.defer("source", "report").order_by("-number")
    if before is not None:
        rows = rows.filter(number__lt=before)
    found: list[BotVersion] = list(rows.prefetch_related(Prefetch("ratings", ratings))[: limit + 1])
    return schemas.VersionsOut(
        versions=[present.version_out(version) for version in found[:limit]],
        next=next_page(request, before=found[limit - 1].number if len(found) > limit else None),
    )


@api.get(
    "/bots/{slug}/statistics",
    response={200: schemas.StatisticsOut, **PROBLEMS},
    summary="How a bot plays",
    tags=["Bots"],
)
def statistics(request: HttpRequest, slug: Slug, ladder: LadderSlug = None) -> Any:
    """Over its rated matches on one ladder: the one named, or its first."""
    found = _bot(slug)
    on = _ladder_of(found, ladder)
    return present.statistics_out(on, stats_of(found, on))


@api.get(
    "/bots/{slug}/opponents",
    response={200: schemas.OpponentsOut, **PROBLEMS},
    summary="A bot's record by opponent",
    tags=["Bots"],
)
def opponents(
    request: HttpRequest,
    slug: Slug,
    ladder: LadderSlug = None,
    by: Annotated[
        Literal["name", "elo", "matches", "score", "surprise"],
        Query(description="What they are sorted by, most first; names from the first letter on."),
    ] = "matches",
    page: Annotated[int, Query(ge=1, le=PAGES)] = 1,
    limit: Limit = 50,
) -> Any:
    """Over its rated matches on one ladder: the one named, or its first."""
    found = _bot(slug)
    column = By(by)
    order = Order(column, is_down=column is not By.NAME)
    rows = opponents_page(found, _ladder_of(found, ladder), order, page, size=limit)
    return schemas.OpponentsOut(
        opponents=[present.opponent_out(row) for row in rows.rows],
        next=next_page(request, page=page + 1 if rows.has_next and page < PAGES else None),
    )


@api.get(
    "/bots/{slug}/against/{other}",
    response={200: schemas.HeadToHeadOut, **PROBLEMS},
    summary="Two bots against each other",
    tags=["Bots"],
)
def head_to_head(request: HttpRequest, slug: Slug, other: Slug, ladder: LadderSlug = None) -> Any:
    """Totals of all their rated matches, over all versions of both."""
    if slug == other:
        raise HttpError(422, "A bot does not meet itself in rated matches. Name two bots.")
    first, second = _bot(slug), _bot(other)
    result = results_between(first, second, _ladder(ladder) if ladder else None)
    return present.head_to_head_out(first, second, result)


@api.get("/matches", response={200: schemas.MatchesOut, **PROBLEMS}, summary="Matches", tags=["Matches"])
def matches(
    request: HttpRequest,
    ladder: LadderSlug = None,
    bot: BotSlug = None,
    against: OtherSlug = None,
    state: Literal["queued", "running", "finished"] | None = None,
    before: Before = None,
    limit: Limit = 50,
) -> Any:
    """Newest first; void ones and those of private tournaments are left out."""
    if against and not bot:
        raise HttpError(422, "The parameter 'against' goes with 'bot'. Name both.")
    page = queries.matches_page(
        ladder=_ladder(ladder) if ladder else None,
        bot=_bot(bot) if bot else None,
        opponent=_bot(against) if against else None,
        state=Match.State(state) if state else None,
        before=before,
        limit=limit,
    )
    return schemas.MatchesOut(
        matches=[present.match_out(match) for match in page.matches], next=next_page(request, before=page.next_before)
    )


MatchId = Annotated[int, Path(ge=1, lt=BIGGEST, description="The match's number.")]


@api.get("/matches/{match_id}", response={200: schemas.MatchDetailOut, **PROBLEMS}, summary="A match", tags=["Matches"])
def match(request: HttpRequest, match_id: MatchId) -> Any:
    """With its games, and what it did to the ratings."""
    found = _public_match(match_id)
    if found is None:
        raise HttpError(404, f"There is no match {match_id}.")
    return present.match_detail_out(found)


@api.get(
    "/matches/{match_id}/record",
    response=PROBLEMS,
    summary="The record of a finished match",
    tags=["Matches"],
    url_name="record",
)
def record(request: HttpRequest, match_id: MatchId) -> Any:
    """Every deal and every move, as a file for `arena replay` and `arena.record.MatchRecord.from_bytes`."""
    match = _public_match(match_id)
    found = match_record(match) if match is not None else None
    if found is None:
        raise HttpError(404, f"There is no finished match {match_id}.")
    return record_file(match_id, found)


def _public_match(match_id: int) -> Match | None:
    found = queries.match_detail(match_id)
    return None if found is None or found.is_private else found


def _ladder(slug: str) -> Ladder:
    found = Ladder.objects.select_related("fit").filter(slug=slug).first()
    if found is None:
        raise HttpError(404, f"There is no ladder {slug!r}.")
    return found


def _ladder_of(bot: Bot, slug: str | None) -> Ladder:
    """The ladder named, or the first that the bot is rated on."""
    if slug:
        return _ladder(slug)
    rating = next(iter(queries.bot_standings(bot)), None)
    if rating is None:
        raise HttpError(404, f"{bot.name} is not on a ladder yet.")
    return rating.ladder


def _bot(slug: str) -> Bot:
    found = Bot.objects.exclude(state=Bot.State.DELETED).select_related("owner").filter(slug=slug).first()
    if found is None:
        raise HttpError(404, f"There is no bot {slug!r}.")
    return found


def next_page(request: HttpRequest, **where: Any) -> str | None:
    """The address of the next page: this one's, from another place on; None when there is no such place."""
    if None in where.values():
        return None
    return f"{request.build_absolute_uri(request.path)}?{urlencode(request.GET.dict() | where)}"
