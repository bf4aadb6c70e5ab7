"""The address of a match's picture, which its pages name to the sites where somebody shares a link."""

from __future__ import annotations

from collections.abc import Sequence

from django.core.cache import caches
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from ladder import picture, replay
from ladder.match_view import MatchView, SideRow
from ladder.models import Match
from ladder.replay_view import seat_names
from ladder.views import match_or_404


@require_safe
@cache_control(public=True, max_age=3600)
def match_picture(request: HttpRequest, match_id: int) -> HttpResponse:
    """A finished match as a PNG; each process keeps the last that it drew. Private matches have none."""
    view = match_or_404(request, match_id)
    if view.match.state != Match.State.FINISHED or view.match.is_private:
        raise Http404
    sides = [_side(row) for row in view.sides]
    # By what is on it: a bot's name goes with its owner.
    key = f"{match_id}:{hash(tuple(sides))}"
    kept: bytes | None = caches["pictures"].get(key)
    if kept is None:
        kept = picture.draw(sides, *_last_hand(view))
        caches["pictures"].set(key, kept)
    return HttpResponse(kept, content_type="image/png")


def _side(row: SideRow) -> picture.Side:
    seat = row.seat
    bot = seat.version.bot
    return picture.Side(bot.name, bot.slug, seat.games_won, seat.points, row.won)


def _last_hand(view: MatchView) -> tuple[str, Sequence[Sequence[str]]]:
    """The last knock of the match: in words, and the knocker's cards in groups. Nothing where nobody ever knocked, or
    the record cannot be read."""
    with replay.damage_noted(view.match):
        for row in reversed(view.games):
            for step in reversed(replay.game_story(view.match, row.game.number) or []):
                shown = step["showdown"]
                if shown and shown["knocker"] is not None:
                    name = seat_names(view, row)[shown["knocker"]]
                    held = shown["knocker_deadwood"]
                    how = f"{shown['knocker_points']} deadwood" if held else "gin"
                    return f"The last knock, by {name}: {how}", [*shown["knocker_melds"], *([held] if held else [])]
    return "", []
