"""What the addresses of ladder pages say after the question mark. Raises Http404 for what no page of ours links to."""

from __future__ import annotations

from collections.abc import Sequence

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404

from arena.digits import whole_number
from bots.models import Bot
from bots.names import typed
from ladder.models import Ladder
from ladder.order import Place
from ladder.standings import Show, Wanted

LONGEST_SEARCH = 60


def ladder_of(request: HttpRequest, ladders: Sequence[Ladder]) -> Ladder | None:
    """The one of `ladders` that the address names, if any."""
    slug = request.GET.get("ladder")
    if not slug:
        return None
    for ladder in ladders:
        if ladder.slug == slug:
            return ladder
    raise Http404


def bot_of(request: HttpRequest) -> Bot | None:
    """The bot that the address names, if any."""
    slug = request.GET.get("bot")
    if not slug:
        return None
    if "\0" in slug:  # PostgreSQL does not even look for it
        raise Http404
    return get_object_or_404(Bot, slug=slug)


def before_of(request: HttpRequest) -> int | None:
    """The match that the page of a list goes on below; None on its first page."""
    text = request.GET.get("before", "")
    before = whole_number(text)
    if text and before is None:
        raise Http404
    return before


def place_of(request: HttpRequest) -> Place | None:
    """The place that the page of a ladder goes on behind; None on its first page."""
    after = request.GET.get("after", "")
    try:
        return Place.parse(after) if after else None
    except ValueError:
        raise Http404 from None


def wanted_of(request: HttpRequest) -> Wanted:
    """What the reader looks for on the ladder."""
    try:
        show = Show(request.GET.get("show") or Show.ALL)
    except ValueError:
        raise Http404 from None
    return Wanted(typed(request.GET.get("q", ""), LONGEST_SEARCH), show)
