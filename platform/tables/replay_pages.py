"""The replay of a finished game at a table, with advice: the same as a match's, at the table's own address."""

from __future__ import annotations

import dataclasses
from typing import Any

import msgspec
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from arena.bots import HOUSE_BOTS
from arena.decisions import decision_at
from arena.record import MatchRecord
from arena.referee import bot_seed
from arena.steps import steps as steps_of
from ladder.editor_pages import as_match
from ladder.match_view import MatchView
from ladder.replay import read_record
from ladder.replay_pages import ADVISER, advised, adviser_of
from ladder.replay_view import narrated, replay_view, seat_names
from tables.games import rules_of
from tables.models import Table
from tables.views import table_or_404

PERSON = "The visitor"
"""What a replay, which speaks of both sides alike, calls somebody without an account."""


@require_safe
def replay(request: HttpRequest, token: str) -> HttpResponse:
    """The game move by move; js/replay.js lays the table."""
    found, record, view, told = _game(token)
    shown = replay_view(view, view.games[0], told, record.rules)
    names = seat_names(view, view.games[0])
    # The person sits at the bottom, as they did.
    top = 1 - found.seat
    shown = dataclasses.replace(shown, top_seat=top, names=(names[top], names[found.seat]))
    context = {"table": found, "view": view, "replay": shown, "house_bots": HOUSE_BOTS, "adviser": ADVISER}
    return render(request, "tables/replay.html", context)


@require_safe
@gzip_page  # nothing in it is secret from whoever has the address
@cache_control(private=True, max_age=3600)
def steps(request: HttpRequest, token: str) -> HttpResponse:
    """Every position of the game as JSON."""
    _, _, view, told = _game(token)
    data = {"game": 1, "names": seat_names(view, view.games[0]), "steps": told}
    return HttpResponse(msgspec.json.encode(data), content_type="application/json")


@require_safe
def decision(request: HttpRequest, token: str, step: int) -> HttpResponse:
    """What the hand could do at a step, and what the house bot named in the address (`bot=`) would have done."""
    adviser = adviser_of(request)
    record = _record(table_or_404(token))
    record.games[0].replay()
    due = decision_at(record.games[0], step)
    if due is None:
        raise Http404
    return advised(due, bot_seed(record.seed, 0, due.view.seat), adviser, "private")


def _record(table: Table) -> MatchRecord:
    if table.state != Table.State.FINISHED:
        raise Http404
    return read_record(bytes(table.record), seed=table.seed, rules=rules_of(table), games=1)


def _game(token: str) -> tuple[Table, MatchRecord, MatchView, list[dict[str, Any]]]:
    found = table_or_404(token)
    record = _record(found)
    bot = found.version.bot.name
    person = found.user.get_username() if found.user is not None else PERSON
    view = as_match(record, (person, bot) if found.seat == 0 else (bot, person))
    told = narrated(view, view.games[0], [step.to_dict() for step in steps_of(record.games[0])], record.rules)
    return found, record, view, told
