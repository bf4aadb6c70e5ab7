"""The part of the front page that goes on by itself: what is being played now."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from ladder.live import now_playing


@require_safe
@never_cache
def now(request: HttpRequest) -> HttpResponse:
    """A few matches that are being played; the front page asks again and again."""
    return render(request, "ladder/_now.html", {"playing": now_playing()})
