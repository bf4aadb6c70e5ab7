"""The pages that everybody reads, and by which authors enter."""

from __future__ import annotations

import io
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from bots.refusals import Refusal
from ladder.models import Match
from tournaments import exports, overview, queries, rounds, services
from tournaments.forms import EntryForm
from tournaments.models import Entry, Notice, Tournament

CODES = "tournament_codes"


@require_GET
def index(request: HttpRequest) -> HttpResponse:
    """Tournaments: under way, upcoming, past; and the user's drafts."""
    context = {
        "under_way": queries.listed(request.user, queries.UNDER_WAY),
        "upcoming": queries.listed(request.user, queries.UPCOMING)[::-1],
        "past": queries.listed(request.user, queries.PAST),
        "drafts": queries.listed(request.user, [Tournament.State.DRAFT]),
    }
    return render(request, "tournaments/index.html", context)


@never_cache
@require_GET
def detail(request: HttpRequest, slug: str) -> HttpResponse:
    """A tournament: what it is, who is in, how it stands and what happens next."""
    return detail_page(request, visible(request, slug), seen=request.GET.get("seen", ""))


def detail_page(
    request: HttpRequest,
    tournament: Tournament,
    form: EntryForm | None = None,
    *,
    status: int = HTTPStatus.OK,
    seen: str = "",
) -> HttpResponse:
    """The page, with an entry form that was refused; nothing when the reader has `seen` this state of it."""
    entries = queries.entries_of(tournament)
    view = overview.overview(tournament, entries)
    if seen == view.stamp:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    context = {
        "tournament": tournament,
        "view": view,
        "progress": view.progress,
        "report": overview.report(tournament, view.progress) if view.progress is not None else None,
        "entries": entries,
        "own": queries.own_entries(request.user, tournament),
        "form": form or _entry_form(request, tournament),
        "runs": queries.runs(request.user, tournament),
        "can_enter": view.takes_entries and request.user.is_authenticated,
    }
    return render(request, "tournaments/detail.html", context, status=status)


@login_required
@require_POST
def enter(request: HttpRequest, slug: str) -> HttpResponse:
    """Enter a bot."""
    tournament = visible(request, slug)
    form = _entry_form(request, tournament, bound=True)
    if form.is_valid():
        try:
            entry = services.enter(
                user=user_of(request),
                tournament=tournament,
                bot=form.chosen(),
                code=form.cleaned_data.get("code") or _code(request, tournament),
            )
        except Refusal as refused:
            form.add_error(refused.field if refused.field in form.fields else None, refused.message)
        else:
            messages.success(request, f"{entry.bot} is entered.")
            return redirect(tournament)
    return detail_page(request, tournament, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)


@login_required
@require_http_methods(["GET", "POST"])
def leave(request: HttpRequest, slug: str, entry_id: int) -> HttpResponse:
    """Withdraw a bot, after a question."""
    tournament = visible(request, slug)
    entry = get_object_or_404(Entry.objects.select_related("bot"), pk=entry_id, tournament=tournament)
    if entry.bot.owner_id != request.user.pk and not queries.runs(request.user, tournament):
        raise PermissionDenied("Only a bot's author and the organizers can withdraw it.")
    if request.method == "POST":
        try:
            services.leave(user=user_of(request), entry=entry)
        except Refusal as refused:
            messages.error(request, refused.message)
        else:
            messages.success(request, f"{entry.bot} is withdrawn.")
        return redirect(tournament)
    return render(request, "tournaments/leave.html", {"tournament": tournament, "entry": entry})


@never_cache
@require_GET
def round_page(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """One round: its pairings, with every match of each."""
    tournament = visible(request, slug)
    progress = overview.overview(tournament, queries.entries_of(tournament), number).progress
    found = progress.round(number) if progress is not None else None
    if progress is None or found is None:
        raise Http404
    context = {
        "tournament": tournament,
        "links": rounds.links(progress.cup, number),
        "rounds": [found],
        "number": number,
    }
    return render(request, "tournaments/round.html", context)


@never_cache
@require_GET
def bracket_page(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """A part of a large bracket."""
    tournament = visible(request, slug)
    progress = _progress_or_404(tournament)
    drawing = progress.bracket_part(number)
    if drawing is None:
        raise Http404
    parts = progress.bracket_parts
    context = {"tournament": tournament, "progress": progress, "part": parts[number - 1], "bracket": drawing}
    return render(request, "tournaments/bracket.html", context)


@never_cache
@require_GET
def standings_page(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """A page of the standings of a large field."""
    tournament = visible(request, slug)
    progress = _progress_or_404(tournament)
    pages = progress.standings_pages
    if not 1 <= number <= len(pages):
        raise Http404
    tables = pages[number - 1]
    context = {
        "tournament": tournament,
        "tables": tables,
        "cross_tables": progress.cross_tables_of(tables),
        "pages": [(page, place == number) for place, page in enumerate(pages, start=1)],
    }
    return render(request, "tournaments/standings.html", context)


@never_cache
@require_GET
def cross_table_page(request: HttpRequest, slug: str, rows: int, columns: int) -> HttpResponse:
    """A block of a large cross table."""
    tournament = visible(request, slug)
    progress = _progress_or_404(tournament)
    table = progress.cross_block(rows, columns)
    if table is None:
        raise Http404
    blocks = progress.cross_blocks
    context = {
        "tournament": tournament,
        "table": table,
        "blocks": blocks,
        "rows": rows,
        "columns": columns,
        "down": blocks.down_names[rows - 1],
        "across": blocks.across_names[columns - 1],
    }
    return render(request, "tournaments/cross_table.html", context)


@require_GET
def results(request: HttpRequest, slug: str, kind: str) -> HttpResponseBase:
    """The results as CSV or JSON."""
    tournament = visible(request, slug)
    if kind == "json":
        return JsonResponse(exports.summary(tournament), json_dumps_params={"indent": 1})
    if kind != "csv":
        raise Http404
    out = io.StringIO()
    exports.write_csv(tournament, out)
    name = f"{tournament.slug}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(out.getvalue(), content_type="text/csv; charset=utf-8", headers=headers)


@login_required
@require_http_methods(["GET", "POST"])
def notices(request: HttpRequest) -> HttpResponse:
    """What the user was told, and which of it is told on which way."""
    user = user_of(request)
    pairs = [(kind, channel) for kind in Notice.Kind for channel in Notice.Channel]
    if request.method == "POST":
        wanted = set(request.POST.getlist("wanted"))
        off = [(kind.value, channel.value) for kind, channel in pairs if f"{kind}-{channel}" not in wanted]
        services.set_muted(user=user, muted=off)
        messages.success(request, "Kept.")
        return redirect("tournaments:notices")
    off_now = queries.muted([user.pk])
    kinds = [
        (
            kind.label,
            [
                (f"{kind}-{channel}", (user.pk, kind, channel) not in off_now, channel.label)
                for channel in Notice.Channel
            ],
        )
        for kind in Notice.Kind
    ]
    context = {"notices": queries.notices_for(user, limit=100), "kinds": kinds, "channels": Notice.Channel.labels}
    return render(request, "tournaments/notices.html", context)


def _progress_or_404(tournament: Tournament) -> overview.Progress:
    progress = overview.overview(tournament, queries.entries_of(tournament)).progress
    if progress is None:
        raise Http404
    return progress


def visible(request: HttpRequest, slug: str) -> Tournament:
    """The tournament, if the user may see it: a link with its code lets in and is remembered. Raises Http404."""
    found = get_object_or_404(Tournament.objects.select_related("ladder", "creator", "champion__bot"), slug=slug)
    given = request.GET.get("code", "")
    if given and queries.has_code(found, given):
        request.session[CODES] = {**request.session.get(CODES, {}), str(found.pk): given}
    if not queries.sees(request.user, found, _code(request, found)):
        raise Http404
    return found


def sees_match(request: HttpRequest, match: Match) -> bool:
    """Whether the match is of a tournament that the reader of this request may see."""
    found = Tournament.objects.filter(fixtures__match=match.pk).first()
    return found is not None and queries.sees(request.user, found, _code(request, found))


def user_of(request: HttpRequest) -> User:
    """The logged-in user."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


def _code(request: HttpRequest, tournament: Tournament) -> str:
    return str(request.session.get(CODES, {}).get(str(tournament.pk), ""))


def _entry_form(request: HttpRequest, tournament: Tournament, *, bound: bool = False) -> EntryForm:
    runs = queries.runs(request.user, tournament)
    invited = not tournament.is_public or tournament.who_enters == Tournament.Entrants.INVITED
    data: Any = request.POST if bound else None
    bots = queries.may_be_entered(request.user, tournament)
    return EntryForm(data, bots=bots, asks_code=invited and not runs, code=_code(request, tournament))


def invitation(request: HttpRequest, tournament: Tournament) -> str:
    """The address that lets in."""
    path = reverse("tournaments:detail", args=[tournament.slug])
    return request.build_absolute_uri(f"{path}?code={tournament.code}")
