"""The page of a bot."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from arena.digits import whole_number
from bots.models import Bot, BotVersion
from bots.queries import house_description
from ladder import queries
from ladder.bot_stats import PAGES, By, Order, Stats, opponents_page, stats_of
from ladder.charts import rating_chart, time_histogram
from ladder.match_view import owns
from ladder.models import Rating
from ladder.styles import TIME_BINS, bin_limit, share

RECENT = 8
VERSIONS = 50
OF_VERSION = ("bot", "number", "state", "note", "is_source_public", "created_at")
"""What is shown of them."""
LIMITS = [bin_limit(place) for place in range(TIME_BINS)]
HEADS = (
    (By.NAME, "Opponent", ""),
    (By.ELO, "Its Elo", "num wide"),
    (By.MATCHES, "Matches", "num"),
    (None, "Won \N{EN DASH} drawn \N{EN DASH} lost", "num wide"),
    (By.SCORE, "Score", "num"),
    (None, "Expected", "num wide"),
    (By.SURPRISE, "Surprise", "num"),
)
"""The columns of the table of opponents: by what they sort, their headings and classes."""


@require_safe
def bot(request: HttpRequest, slug: str) -> HttpResponse:
    """A bot: its rating and where it came from, how it plays, whom it met, its versions; its owner sees its faults."""
    found = get_object_or_404(Bot.objects.select_related("owner"), slug=slug)
    if found.state == Bot.State.DELETED:
        return render(request, "ladder/deleted.html", {"bot": found}, status=HTTPStatus.GONE)
    standings = queries.bot_standings(found)
    wanted = request.GET.get("ladder")
    current = next((rating for rating in standings if wanted in (None, "", rating.ladder.slug)), None)
    if wanted and current is None:
        raise Http404
    is_owner = owns(request.user, found)
    versions = list(found.versions.only(*OF_VERSION).order_by("-number")[: VERSIONS + 1])
    context = {
        "bot": found,
        "description": house_description(found),
        "standings": standings,
        "current": current,
        "matches": queries.matches_page(bot=found, limit=RECENT).matches,
        "versions": versions[:VERSIONS],
        "older_versions": versions[VERSIONS - 1].number if len(versions) > VERSIONS else None,
        "playing": next((version for version in versions if version.state == BotVersion.State.ACTIVE), None),
        "is_owner": is_owner,
        "faults": queries.recent_faults(found) if is_owner else [],
        "provisional_below": queries.PROVISIONAL_BELOW,
        "version_ratings": {},
    }
    if current is not None:
        context |= _on_ladder(request, found, current)
    return render(request, "ladder/bot.html", context)


def _on_ladder(request: HttpRequest, bot: Bot, current: Rating) -> dict[str, Any]:
    stats = stats_of(bot, current.ladder)
    order, number = _order(request), _page(request)
    return {
        "rank": queries.rank_of(current),
        "stats": stats,
        "chart": rating_chart(stats.spans),
        "habits": _habits(stats) if stats.overall.hands else [],
        "times": time_histogram(stats.current.times, LIMITS),
        "opponents": opponents_page(bot, current.ladder, order, number),
        "order": order,
        "heads": [
            {
                "label": label,
                "css": css,
                "link": "" if by is None else str(order.turned(by)),
                "sorted": "" if by is not order.by else "descending" if order.is_down else "ascending",
            }
            for by, label, css in HEADS
        ],
        "version_ratings": {rating.version_id: rating for rating in stats.ratings},
    }


def _habits(stats: Stats) -> list[tuple[str, list[float | None]]]:
    """Rates of the bot as it plays now, over all its versions, and of the whole ladder; the last is no share."""
    styles = [stats.current, stats.overall, stats.ladder]
    if len(stats.spans) < 2:
        del styles[1]

    def row(words: str, part: str, whole: str) -> tuple[str, list[float | None]]:
        return words, [share(getattr(style, part), getattr(style, whole)) for style in styles]

    return [
        row("Hands ended by its gin", "gins", "hands"),
        row("Hands ended by its knock", "knocks", "hands"),
        row("Its knocks that were undercut", "caught", "knocks"),
        row("Knocks against it that it undercut", "undercuts", "faced"),
        row("Deadwood left when a hand ends", "deadwood", "hands"),
    ]


def _order(request: HttpRequest) -> Order:
    try:
        return Order.parse(request.GET.get("by", ""))
    except ValueError:
        raise Http404 from None


def _page(request: HttpRequest) -> int:
    page = whole_number(request.GET.get("page", "1"), least=1, most=PAGES)
    if page is None:
        raise Http404
    return page
