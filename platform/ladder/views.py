"""The pages that everybody reads. What is shown comes from `ladder.queries`; nothing here writes."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from arena.bots import starter_source
from arena.refusal import LIMITS as UPLOAD_LIMITS
from arena.rules import CLASSIC, RULE_SETS
from arena.wheel import wheel
from bots.queries import numpy_version
from ladder import queries
from ladder.documents import document as document_named
from ladder.documents import documents, small_bot
from ladder.fresh import Fresh
from ladder.live import LiveMatch, now_playing
from ladder.match_view import MatchView, match_view
from ladder.models import Ladder, Match
from ladder.parameters import before_of, bot_of, ladder_of, place_of, wanted_of
from ladder.privacy import may_see
from ladder.reference import reference
from ladder.rulebook import comparison, rulebook
from ladder.standings import Show, Wanted, standings_page
from sandbox.drivers.base import Limits

PAGE = 30
STANDINGS = 50
RECENT = 8
SHOWS = {
    Show.ALL: "All bots",
    Show.PEOPLE: "People's bots",
    Show.HOUSE: "House bots",
    Show.SETTLED: "Settled",
    Show.PROVISIONAL: "Provisional",
}


def _what_happens(ladder: Ladder) -> tuple[list[Match], queries.Activity]:
    return queries.recent_finished(ladder, limit=RECENT), queries.activity(ladder)


_lately = Fresh(_what_happens)
"""The same beside every page of a ladder, whoever reads."""
_now: Fresh[None, list[LiveMatch]] = Fresh(lambda _: now_playing())
"""What every page of every ladder begins with; js/now.js goes on from there."""


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """The ladder, with what happened lately beside it."""
    ladders = queries.open_ladders()
    ladder = ladder_of(request, ladders) or next(iter(ladders), None)
    wanted = wanted_of(request)
    recent, activity = _lately(ladder) if ladder else ([], None)
    context = {
        "ladders": ladders,
        "ladder": ladder,
        "page": standings_page(ladder, wanted=wanted, after=place_of(request), limit=STANDINGS) if ladder else None,
        "wanted": wanted,
        "shows": SHOWS,
        "query": urlencode({"ladder": ladder.slug} | _asked(wanted)) if ladder else "",
        "recent": recent,
        "activity": activity,
        "playing": _now(None),
        "provisional_below": queries.PROVISIONAL_BELOW,
    }
    return render(request, "ladder/index.html", context)


@require_safe
def matches(request: HttpRequest) -> HttpResponse:
    """All matches, or those of one bot, of one ladder or of both, newest first."""
    ladders = queries.open_ladders()
    ladder = ladder_of(request, ladders)
    only = bot_of(request)
    before = before_of(request)
    page = queries.matches_page(bot=only, ladder=ladder, before=before, limit=PAGE)
    # What is on every page of the list; `before` follows it.
    query = urlencode([(name, one.slug) for name, one in (("bot", only), ("ladder", ladder)) if one is not None])
    context = {
        "page": page,
        "bot": only,
        "ladder": ladder,
        "ladders": ladders,
        "is_first": before is None,
        "query": query,
    }
    return render(request, "ladder/matches.html", context)


@require_safe
def match(request: HttpRequest, match_id: int) -> HttpResponse:
    """A match: who met, how each game ended, what it did to the ratings. htmx asks again while it is not over."""
    context = {"view": match_or_404(request, match_id)}
    is_fragment = request.headers.get("HX-Request") == "true"
    return render(request, "ladder/match_body.html" if is_fragment else "ladder/match.html", context)


@require_safe
def rules(request: HttpRequest, name: str = CLASSIC.name) -> HttpResponse:
    """A rule set, as this arena plays it, in words made from the values that the engine runs on."""
    if name not in RULE_SETS:
        raise Http404
    context = {
        "book": rulebook(RULE_SETS[name]),
        "comparison": comparison(),
        "ladders": [ladder for ladder in queries.open_ladders() if ladder.rule_set == name],
    }
    return render(request, "ladder/rules.html", context)


@require_safe
def guide(request: HttpRequest) -> HttpResponse:
    """How to write a bot, with the limits that are in force."""
    context = {
        "limits": Limits(),
        "numpy": numpy_version(),
        "upload": UPLOAD_LIMITS,
        "starter": starter_source(),
        "small_bot": small_bot(),
        "documents": documents(),
        "tool_version": wheel().version,
        "tool_address": request.build_absolute_uri(reverse("ladder:tool", args=[wheel().filename])),
    }
    return render(request, "ladder/guide.html", context)


@require_safe
def document(request: HttpRequest, slug: str) -> HttpResponse:
    """A document of the repository's docs/."""
    found = document_named(slug)
    if found is None:
        raise Http404
    return render(request, "ladder/document.html", {"document": found, "documents": documents()})


@require_safe
def api(request: HttpRequest) -> HttpResponse:
    """What a bot can import from `arena`."""
    return render(request, "ladder/api.html", {"sections": reference(), "documents": documents()})


@require_safe
def starter(request: HttpRequest) -> HttpResponse:
    """The commented bot that newcomers download and change."""
    return HttpResponse(
        starter_source(),
        content_type="text/x-python; charset=utf-8",
        headers={"Content-Disposition": 'attachment; filename="starter.py"'},
    )


@require_safe
@cache_control(public=True, max_age=86400, immutable=True)
def tool(request: HttpRequest, filename: str) -> HttpResponse:
    """The wheel of the library and the authors' tool, as this site runs them; its name changes with its content."""
    if filename != wheel().filename:
        raise Http404
    return HttpResponse(wheel().data, content_type="application/zip")


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """200 when the site can answer from its database; for load balancers and start scripts.

    The first line is "ok"; a line for each check of ratings that fails follows, without its details.
    """
    lines = ["ok", *(f"degraded: {check.name} {check.ladder.slug}" for check in queries.alarms())]
    return HttpResponse("".join(f"{line}\n" for line in lines), content_type="text/plain")


def _asked(wanted: Wanted) -> dict[str, str]:
    asked = {"q": wanted.text, "show": "" if wanted.show == Show.ALL else wanted.show.value}
    return {name: value for name, value in asked.items() if value}


def match_or_404(request: HttpRequest, match_id: int) -> MatchView:
    """The match as the reader of this request may see it."""
    found = queries.match_detail(match_id)
    if found is None or not may_see(request, found):
        raise Http404
    return match_view(found, request.user)
