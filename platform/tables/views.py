"""The pages of tables: choosing an opponent, playing, and what the page of a game asks for while it is played."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from arena.digits import whole_number
from arena.rules import RULE_SETS
from bots.models import Bot
from bots.refusals import Refusal
from ladder.models import Ladder
from ladder.queries import open_ladders
from ladder.rulebook import Rulebook, rulebook
from tables import queries, services
from tables.forms import FIRST, DealForm, by_strength
from tables.models import Table
from tables.players import Player, player_of
from tables.present import state_of


@never_cache
@require_http_methods(["GET", "POST"])
def play(request: HttpRequest) -> HttpResponse:
    """Choose whom to play, and by which rules; leads to the table. The person's games are listed below."""
    player = player_of(request)
    ladders = open_ladders()
    form = DealForm(request.POST or None, ladders=ladders)
    if form.is_bound and form.is_valid() and form.version is not None:
        try:
            table = services.open_table(
                player=player,
                version=form.version,
                rule_set=form.cleaned_data["rules"],
                is_quick=form.is_quick,
            )
        except Refusal as refused:
            form.add_error(refused.field or None, refused.message)
        else:
            response = redirect(table)
            player.keep(response)
            return response
    wanted = request.GET.get("bot", "")
    asked = Bot.objects.filter(slug=wanted, state=Bot.State.ACTIVE).first() if wanted else None
    house = by_strength()
    is_house = not form.data.get("name") and (asked is None or asked.is_house)
    context = {
        "form": form,
        "house_bots": house,
        "chosen": form.data.get("bot") or (asked.slug if asked and asked.is_house else FIRST) if is_house else "",
        "name": form.data.get("name") or ("" if asked is None or asked.is_house else asked.name),
        "rule_sets": _rule_sets(ladders),
        "rules": form.data.get("rules", ""),
        "length": form.data.get("length", "game"),
        "tables": queries.tables_of(player),
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, "tables/play.html", context, status=status)


@require_safe
def names(request: HttpRequest) -> HttpResponse:
    """Bots that play and have the typed text in their name, as options."""
    return render(request, "ladder/_names.html", {"bots": queries.opponents_like(request.GET.get("name", ""))})


@never_cache
@require_safe
def table(request: HttpRequest, token: str) -> HttpResponse:
    """The card table of a game; js/play.js lays it and plays."""
    found = table_or_404(token)
    context = {
        "table": found,
        "bot": found.version.bot,
        "rules": rulebook(RULE_SETS[found.rule_set]),
        "is_player": player_of(request).owns(found),
    }
    return render(request, "tables/table.html", context)


@never_cache
@require_safe
def state(request: HttpRequest, token: str) -> HttpResponse:
    """The game as the person's seat sees it."""
    return _state(table_or_404(token), player_of(request))


@never_cache
@require_POST
def act(request: HttpRequest, token: str) -> HttpResponse:
    """Play an action: `action` is its word and `at` the number of those before it. The answer is the new state, in
    which the bot has yet to act; `refused` in it says why nothing was played."""
    found, player = table_or_404(token), player_of(request)
    if not player.owns(found):
        return _state(found, player, "Only whoever began this game can play it.", HTTPStatus.FORBIDDEN)
    at = whole_number(request.POST.get("at", ""))
    if at is None:
        raise Http404
    try:
        services.act(table=found, at=at, word=request.POST.get("action", "")[:8])
    except services.Moved:
        # Said before, or another window was faster: this is how it stands.
        return _state(table_or_404(token), player, status=HTTPStatus.CONFLICT)
    except Refusal as refused:
        return _state(table_or_404(token), player, refused.message, HTTPStatus.UNPROCESSABLE_ENTITY)
    return _state(table_or_404(token), player)


@never_cache
@require_POST
def resign(request: HttpRequest, token: str) -> HttpResponse:
    """Give the game up."""
    found, player = table_or_404(token), player_of(request)
    if not player.owns(found):
        return _state(found, player, "Only whoever began this game can resign it.", HTTPStatus.FORBIDDEN)
    services.resign(table=found)
    return _state(table_or_404(token), player)


def _rule_sets(ladders: Sequence[Ladder]) -> list[Rulebook]:
    """Those that ladders are played by, classic first."""
    names = {ladder.rule_set for ladder in ladders}
    return [rulebook(rules) for name, rules in RULE_SETS.items() if name in names]


def table_or_404(token: str) -> Table:
    """The table of that address, with its version's bot."""
    found = queries.table_at(token)
    if found is None:
        raise Http404
    return found


def _state(found: Table, player: Player, refused: str = "", status: HTTPStatus = HTTPStatus.OK) -> JsonResponse:
    data: dict[str, Any] = state_of(found, is_player=player.owns(found))
    return JsonResponse(data | {"refused": refused}, status=status)
