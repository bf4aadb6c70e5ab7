"""The pages of a replay: the table, its frame for other sites, its positions as data, as text and as a test case.

All of it is of finished matches alone, so nothing hidden leaks; what a bot printed is on the page of its owner only.
"""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import msgspec
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from arena.bots import HOUSE_BOTS
from arena.decisions import Decision
from arena.record import MatchRecord
from arena.rules import RULE_SETS
from ladder import advice
from ladder import replay as replays
from ladder.match_view import GameRow, MatchView
from ladder.models import Match
from ladder.privacy import may_see
from ladder.replay_forms import as_text, decision_data, unittest_of
from ladder.replay_view import narrated, replay_view, seat_names
from ladder.views import match_or_404

FRAMEABLE = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors *"
"""The Content-Security-Policy of the table that other sites may frame."""
ADVISER = "sharp"
"""The house bot that is asked until the reader chooses another: the strongest."""

Steps = list[dict[str, Any]]


@require_safe
def replay(request: HttpRequest, match_id: int, number: int) -> HttpResponse:
    """A game move by move. The list of moves reads without a script; js/replay.js lays the table."""
    return render(request, "ladder/replay.html", _context(request, match_id, number))


@require_safe
@xframe_options_exempt
def embed(request: HttpRequest, match_id: int, number: int) -> HttpResponse:
    """The table alone, the one page that other sites may frame: there is nothing on it to be tricked into."""
    response = render(request, "ladder/embed.html", _context(request, match_id, number))
    response.headers["Content-Security-Policy"] = FRAMEABLE
    return response


@require_safe
@gzip_page
@cache_control(public=True, max_age=3600)
def steps(request: HttpRequest, match_id: int, number: int) -> HttpResponse:
    """Every position of a game as JSON.

    It goes out packed to everybody, for it is large, and public to the last byte; of pages see `config.middleware`.
    """
    view, row, found = _game(request, match_id, number, replays.game_steps)
    data = {"match": match_id, "game": number, "names": seat_names(view, row), "steps": found}
    # Hundreds of positions: Django's own encoder takes ten times as long.
    return HttpResponse(msgspec.json.encode(data), content_type="application/json")


@require_safe
@cache_control(public=True, max_age=3600)
def text(request: HttpRequest, match_id: int, number: int) -> HttpResponse:
    """The game in words, as a file."""
    view, row, found = _game(request, match_id, number, replays.game_story)
    lines = as_text(view, replay_view(view, row, found, RULE_SETS[view.match.ladder.rule_set]))
    return HttpResponse(
        lines,
        content_type="text/plain; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="match-{match_id}-game-{number}.txt"'},
    )


@require_safe
def decision(request: HttpRequest, match_id: int, number: int, step: int) -> HttpResponse:
    """What the hand could do at a step, and what the house bot named in the address (`bot=`) would have done."""
    adviser = adviser_of(request)
    found = replays.game_decision(_match(request, match_id), number - 1, step)
    if found is None:
        raise Http404
    return advised(*found, adviser, "public")


def adviser_of(request: HttpRequest) -> str:
    """The slug of the house bot that the address names, ADVISER without one. Raises Http404 for any other."""
    asked = request.GET.get("bot", ADVISER)
    if asked not in {bot.slug for bot in HOUSE_BOTS}:
        raise Http404
    return asked


def advised(due: Decision, seed: str, adviser: str, keeper: str) -> HttpResponse:
    """The decision with the adviser's choice as JSON, for a "public" or "private" cache to keep; 429 if many ask.

    `seed` is that of the seat's own randomness.
    """
    try:
        action = advice.advised(due, seed, adviser)
    except advice.Busy as busy:
        headers = {"Retry-After": "5", "Cache-Control": "no-store"}
        return JsonResponse({"error": str(busy)}, status=HTTPStatus.TOO_MANY_REQUESTS, headers=headers)
    headers = {"Cache-Control": f"{keeper}, max-age=3600"}
    return JsonResponse(decision_data(due, adviser, action), headers=headers)


@require_safe
@cache_control(public=True, max_age=3600)
def position(request: HttpRequest, match_id: int, number: int, step: int) -> HttpResponse:
    """A decision as a unit test in Python, to be run in the folder of a bot."""
    found = replays.game_decision(_match(request, match_id), number - 1, step)
    if found is None:
        raise Http404
    address = request.build_absolute_uri(reverse("ladder:replay", args=[match_id, number]))
    lines = unittest_of(*found, name=f"Match{match_id}Game{number}Move{step}", address=f"{address}#{step}")
    return HttpResponse(lines, content_type="text/x-python; charset=utf-8")


@require_safe
@cache_control(public=True, max_age=3600)
def record(request: HttpRequest, match_id: int) -> HttpResponse:
    """The record of a finished match, for `arena replay` and `arena debug`, without what only owners may see."""
    found = replays.match_record(_match(request, match_id))
    if found is None:
        raise Http404
    return record_file(match_id, found)


def record_file(match_id: int, record: MatchRecord) -> HttpResponse:
    """What of a match's record everybody may see, as a file."""
    return HttpResponse(
        record.public().to_bytes(),
        content_type="application/octet-stream",
        headers={"Content-Disposition": f'attachment; filename="match-{match_id}.record"'},
    )


def _context(request: HttpRequest, match_id: int, number: int) -> dict[str, Any]:
    view, row, found = _game(request, match_id, number, replays.game_story)
    address = reverse("ladder:embed", args=[match_id, number])
    return {
        "view": view,
        "replay": replay_view(view, row, found, RULE_SETS[view.match.ladder.rule_set]),
        "house_bots": HOUSE_BOTS,
        "adviser": ADVISER,
        "embed_address": request.build_absolute_uri(address),
    }


def _game(
    request: HttpRequest, match_id: int, number: int, steps_of: Callable[[Match, int], Steps | None]
) -> tuple[MatchView, GameRow, Steps]:
    """Game `number` (from 1) of a finished match and its steps in words, or 404."""
    view = match_or_404(request, match_id)
    found = steps_of(view.match, number - 1)
    if found is None or number > len(view.games):
        raise Http404
    row = view.games[number - 1]
    return view, row, narrated(view, row, found, RULE_SETS[view.match.ladder.rule_set])


def _match(request: HttpRequest, match_id: int) -> Match:
    found = Match.objects.select_related("ladder").filter(pk=match_id).first()
    if found is None or not may_see(request, found):
        raise Http404
    return found
