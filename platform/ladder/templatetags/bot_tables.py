"""The rows of the tables on a bot's page. Not templates: those took most of the page's time."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import template
from django.urls import reverse
from django.utils.safestring import SafeString

from bots.models import Bot
from ladder.bot_stats import Opponent
from ladder.desk import desks_of
from ladder.markup import format_html, format_html_join
from ladder.models import Ladder
from ladder.templatetags.arena import elo, percent

register = template.Library()

register.simple_tag(desks_of)

MINUS = "\N{MINUS SIGN}"


@register.filter
def surprise(points: float) -> SafeString:
    """Points of matches beyond what was expected, with their sign and a colour."""
    rounded = round(points, 1)
    tone = "good" if rounded > 0 else "bad" if rounded < 0 else "muted"
    sign = "+" if rounded > 0 else MINUS if rounded < 0 else "\N{PLUS-MINUS SIGN}"
    return format_html('<span class="{} nowrap">{}{}</span>', tone, sign, f"{abs(rounded):.1f}")


@register.filter
def of(things: Mapping[int, Any], key: int) -> Any:
    """What belongs to a key."""
    return things.get(key)


@register.simple_tag
def opponent_rows(bot: Bot, ladder: Ladder, rows: Iterable[Opponent]) -> SafeString:
    """The rows of a bot's table of opponents."""
    against = reverse("ladder:head_to_head", args=[bot.slug, "-"]).removesuffix("-/")
    return format_html_join(
        "\n",
        '<tr><th scope="row"><a href="{}">{}</a></th><td class="num wide">{}</td>'
        '<td class="num"><a href="{}{}/?ladder={}">{}<span class="visually-hidden"> matches against {}</span></a></td>'
        '<td class="num wide">{} \N{EN DASH} {} \N{EN DASH} {}</td><td class="num">{}</td><td class="num wide">{}</td>'
        '<td class="num">{}</td></tr>',
        (
            (
                *(row.bot.get_absolute_url(), row.bot.name, elo(row.milli)),
                *(against, row.bot.slug, ladder.slug, row.matches, row.bot.name),
                *(row.wins, row.draws, row.losses, percent(row.score), percent(row.expected), surprise(row.surprise)),
            )
            for row in rows
        ),
    )
