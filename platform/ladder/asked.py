"""What owners asked for: reads only, as `ladder.queries`."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Prefetch

from ladder.models import Match, Seat


def recent_challenges(user: User | AnonymousUser, *, limit: int = 10) -> list[Match]:
    """The matches that the user asked for, newest first, with `.seats.all()` and their bots loaded; void ones too."""
    seats = Seat.objects.select_related("version__bot").defer("version__source", "version__report").order_by("index")
    asked = Match.objects.filter(asked_by=user.pk) if user.is_authenticated else Match.objects.none()
    return list(asked.select_related("ladder").prefetch_related(Prefetch("seats", seats)).order_by("-pk")[:limit])
