"""The pages of organizers: setting up, and the switches of a tournament under way."""

from __future__ import annotations

from http import HTTPStatus

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from arena.digits import whole_number
from bots.refusals import Refusal
from tournaments import queries, services
from tournaments.forms import SeedsForm, TournamentForm, initial_of
from tournaments.models import Entry, Tournament
from tournaments.views import invitation, user_of, visible

State = Tournament.State


@login_required
@require_http_methods(["GET", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """Set a tournament up; it is a draft, or published at once."""
    user = user_of(request)
    form = TournamentForm(request.POST or None, may_rate=user.is_staff)
    if form.is_bound and form.is_valid():
        try:
            made = services.create(creator=user, plan=form.plan())
            if "publish" in request.POST:
                services.publish(tournament=made)
        except Refusal as refused:
            form.refuse(refused)
        else:
            return redirect(made)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, "tournaments/edit.html", {"form": form, "tournament": None}, status=status)


@login_required
@require_http_methods(["GET", "POST"])
def edit(request: HttpRequest, slug: str) -> HttpResponse:
    """Change a tournament whose entries are not closed."""
    tournament = _own(request, slug)
    user = user_of(request)
    form = TournamentForm(request.POST or None, may_rate=user.is_staff, initial=initial_of(tournament))
    if form.is_bound and form.is_valid():
        try:
            services.edit(tournament=tournament, plan=form.plan(), editor=user)
            if "publish" in request.POST:
                services.publish(tournament=tournament)
        except Refusal as refused:
            form.refuse(refused)
        else:
            return redirect(tournament)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, "tournaments/edit.html", {"form": form, "tournament": tournament}, status=status)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def organize(request: HttpRequest, slug: str) -> HttpResponse:
    """Everything that an organizer can do now."""
    tournament = _own(request, slug)
    entries = queries.entries_of(tournament)
    seeds = SeedsForm(request.POST if request.POST.get("action") == "seeds" else None, entries=entries)
    if request.method == "POST":
        try:
            said = _act(request, tournament, seeds)
        except Refusal as refused:
            messages.error(request, refused.message)
            return redirect("tournaments:organize", slug)
        if said is not None:
            messages.success(request, said)
            return redirect("tournaments:organize", slug)
    cup = queries.cup(tournament)
    context = {
        "tournament": tournament,
        "entries": entries,
        "seeds": seeds,
        "rounds": cup.rounds if cup is not None else (),
        "invitation": invitation(request, tournament),
        "can_seed": tournament.state in (State.OPEN, State.CLOSED) and len(entries) > 1,
        "can_cancel": tournament.state not in queries.PAST,
        "can_redo": cup is not None and tournament.state in (*queries.UNDER_WAY, State.FINISHED),
        "can_judge": cup is not None and tournament.state != State.CANCELLED,
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if seeds.errors else HTTPStatus.OK
    return render(request, "tournaments/organize.html", context, status=status)


def _act(request: HttpRequest, tournament: Tournament, seeds: SeedsForm) -> str | None:
    """Does what was asked for and says so; None when the form has to be shown again. Raises Refusal."""
    note = request.POST.get("note", "").strip()
    match request.POST.get("action"):
        case "publish":
            services.publish(tournament=tournament)
            return "It is published."
        case "pause":
            services.pause(tournament=tournament, note=note)
            return "It is paused."
        case "resume":
            services.resume(tournament=tournament)
            return "It goes on."
        case "cancel":
            services.cancel(tournament=tournament, note=note)
            return "It is cancelled."
        case "redo":
            return _redo(tournament, request.POST.get("round", ""))
        case "disqualify":
            return _disqualify(tournament, request.POST.get("entry", ""), note)
        case "seeds":
            return _seed(tournament, seeds)
    raise Refusal("unknown", "That is not something that can be done here.")


def _redo(tournament: Tournament, number: str) -> str:
    chosen = whole_number(number)
    if chosen is None:
        raise Refusal("no_such_round", "Choose a round.")
    count = services.redo_round(tournament=tournament, number=chosen)
    return f"Round {chosen} is played again; {count} results were set aside."


def _disqualify(tournament: Tournament, entry: str, reason: str) -> str:
    chosen = whole_number(entry)
    if chosen is None:
        raise Refusal("no_such_entry", "Choose a bot.")
    found = get_object_or_404(Entry.objects.select_related("bot"), pk=chosen, tournament=tournament)
    services.disqualify(entry=found, reason=reason)
    return f"{found.bot} is disqualified."


def _seed(tournament: Tournament, seeds: SeedsForm) -> str | None:
    if not seeds.is_valid():
        return None
    services.set_seeds(tournament=tournament, order=seeds.order())
    return "The seeds are set."


def _own(request: HttpRequest, slug: str) -> Tournament:
    """The tournament, for its organizers; others learn no more than from its page. Raises Http404, PermissionDenied."""
    found = visible(request, slug)
    if not queries.runs(request.user, found):
        raise PermissionDenied("Only its creator and the staff can do that.")
    return found
