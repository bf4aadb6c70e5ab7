"""The pages of bots against each other: any two, a way to choose them, and the top of a ladder all against all."""

from __future__ import annotations

from itertools import pairwise
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from bots.models import Bot
from bots.names import slug_of, typed
from bots.queries import bots_like
from ladder import queries
from ladder.head_to_head import head_to_head as results_between
from ladder.matrix import TOP, matrix_of
from ladder.parameters import before_of, ladder_of
from ladder.standings import standings_of, standings_page

PAGE = 30
NEIGHBOURS = 7
"""Bots at the top of a ladder of whom each is offered against the next."""


@require_safe
def head_to_head(request: HttpRequest, slug: str, other: str) -> HttpResponse:
    """Two bots: what came of all their rated matches, whether that could be chance, and the matches themselves."""
    bots = {bot.slug: bot for bot in Bot.objects.filter(slug__in=[slug, other]).select_related("owner")}
    if len(bots) != 2:  # one is not there, or both are the same
        raise Http404
    first, second = bots[slug], bots[other]
    ladders = queries.open_ladders()
    ladder = ladder_of(request, ladders)
    # Where there is one ladder only, "all ladders" is that one.
    ranked_on = ladder or (ladders[0] if len(ladders) == 1 else None)
    standings = standings_of(ranked_on, [first, second]) if ranked_on else {}
    before = before_of(request)
    context = {
        "first": first,
        "second": second,
        "sides": [(bot, standings.get(bot.pk)) for bot in (first, second)],
        "ladders": ladders,
        "ladder": ladder,
        "result": results_between(first, second, ladder),
        "page": queries.matches_page(bot=first, opponent=second, ladder=ladder, before=before, limit=PAGE),
        "is_first": before is None,
        "query": urlencode({"ladder": ladder.slug}) if ladder else "",
    }
    return render(request, "ladder/head_to_head.html", context)


@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    """Choose two bots by name: on to their page, or what is wrong with the names."""
    ladders = queries.open_ladders()
    ladder = ladder_of(request, ladders) or next(iter(ladders), None)
    fields = [_Field(name, label, request.GET.get(name, "")) for name, label in _FIELDS]
    first, second = (field.bot for field in fields)
    if first is not None and second is not None and first != second:
        query = urlencode({"ladder": ladder.slug}) if ladder and request.GET.get("ladder") else ""
        return redirect(reverse("ladder:head_to_head", args=[first.slug, second.slug]) + (f"?{query}" if query else ""))
    top = standings_page(ladder, limit=NEIGHBOURS).rows if ladder else []
    context = {
        "fields": fields,
        "are_same": first is not None and first == second,
        "ladder": ladder,
        "pairs": [pair for pair in pairwise(top) if pair[1].rank is not None],
    }
    return render(request, "ladder/compare.html", context)


@require_safe
def names(request: HttpRequest) -> HttpResponse:
    """Bots whose name has the typed text in it, as options; the fields of the choice ask for them."""
    text = next((request.GET[name] for name, _ in _FIELDS if name in request.GET), "")
    return render(request, "ladder/_names.html", {"bots": bots_like(text, _shown())})


@require_safe
def matrix(request: HttpRequest) -> HttpResponse:
    """The top of a ladder, each against each."""
    ladders = queries.open_ladders()
    ladder = ladder_of(request, ladders) or next(iter(ladders), None)
    context = {"ladders": ladders, "ladder": ladder, "rows": matrix_of(ladder) if ladder else [], "top": TOP}
    return render(request, "ladder/matrix.html", context)


_FIELDS = (("first", "One bot"), ("second", "Against"))


class _Field:
    """A name that somebody typed: the bot that it names, or those that it may have meant."""

    def __init__(self, name: str, label: str, text: str) -> None:
        self.name = name
        self.label = label
        self.text = typed(text)
        self.bot = _named(self.text)
        self.is_unknown = bool(self.text) and self.bot is None
        self.meant = bots_like(self.text, _shown()) if self.is_unknown else []


def _shown() -> QuerySet[Bot]:
    return Bot.objects.exclude(state=Bot.State.DELETED)


def _named(text: str) -> Bot | None:
    return _shown().filter(slug=slug_of(text)).first() if text else None
