"""What the editor asks of the ladder's side: the words it completes, and the replay of a trial.

A trial's table is the same as a match's, in a frame beside the code, for the draft's author alone.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from arena.record import GameRecord, MatchRecord
from arena.steps import steps as steps_of
from bots.models import Bot, BotVersion, Trial
from bots.trial_view import DRAFT as DRAFT_SIDE
from bots.trial_view import record_of, trial_view
from ladder.match_view import GameRow, LogRow, MatchView, SideRow
from ladder.models import Match, Seat
from ladder.replay_view import narrated, replay_view, seat_names
from ladder.services.results import game_row
from ladder.words import words as known_words

FRAMEABLE = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
DRAFT = "Your draft"


@require_safe
@gzip_page  # public to the last byte
@cache_control(public=True, max_age=3600)
def words(request: HttpRequest) -> HttpResponse:
    """The names of `arena`, as `ladder.words` gives them."""
    return JsonResponse(known_words())


@login_required
@require_safe
@xframe_options_sameorigin
@cache_control(private=True, max_age=3600)
def trial(request: HttpRequest, trial_id: int, number: int) -> HttpResponse:
    """The table of a game of the trial, from 1."""
    view, row, found, record = _game(request, trial_id, number)
    shown = replay_view(view, row, found, record.rules)
    context = {"view": view, "replay": shown, "trial_id": trial_id, "logs": shown.placed_logs}
    response = render(request, "ladder/trial.html", context)
    response.headers["Content-Security-Policy"] = FRAMEABLE
    return response


@login_required
@require_safe
@gzip_page  # nothing in it is secret from the one who may ask, and nothing comes from the address
@cache_control(private=True, max_age=3600)
def steps(request: HttpRequest, trial_id: int, number: int) -> HttpResponse:
    """Every position of the game as JSON."""
    view, row, found, _ = _game(request, trial_id, number)
    return JsonResponse({"game": number, "names": seat_names(view, row), "steps": found})


def _game(
    request: HttpRequest, trial_id: int, number: int
) -> tuple[MatchView, GameRow, list[dict[str, Any]], MatchRecord]:
    own = Trial.objects.filter(pk=trial_id, owner=request.user if isinstance(request.user, User) else None).first()
    record = None if own is None else record_of(own)
    if own is None or record is None or not 0 < number <= len(record.games):
        raise Http404
    view = as_match(record, (DRAFT, trial_view(own).opponent.name), printed_by=DRAFT_SIDE)
    row = view.games[number - 1]
    told = [step.to_dict() for step in steps_of(record.games[number - 1])]
    return view, row, narrated(view, row, told, record.rules), record


def as_match(record: MatchRecord, names: tuple[str, str], *, printed_by: int | None = None) -> MatchView:
    """A record as if it were a match of the ladder between sides of these names; nothing of it is in the database.

    The reader may see what the side `printed_by` printed.
    """
    seats = [Seat(index=index, version=BotVersion(bot=Bot(name=name))) for index, name in enumerate(names)]
    first, second = (SideRow(seat=seat, change=None, won=False) for seat in seats)
    match = Match()
    games = tuple(_game_row(match, game, seats, printed_by) for game in record.games)
    return MatchView(match=match, sides=(first, second), games=games, verdict="", reason="")


def _game_row(match: Match, game: GameRecord, seats: list[Seat], printed_by: int | None) -> GameRow:
    row = game_row(match, game)
    winner = None if row.winner is None else seats[row.winner]
    logs: tuple[LogRow, ...] = ()
    if printed_by is not None:
        seat = game.side_of(printed_by)
        logs = (LogRow(seats[printed_by], game.logs[seat], game.marks[seat]),)
    return GameRow(game=row, winner=winner, how="", faults=(), logs=logs)
