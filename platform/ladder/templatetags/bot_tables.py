"""The rows of the tables on a bot's page, and its drawings. Not templates: those took most of the page's time."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import template
from django.urls import reverse
from django.utils.safestring import SafeString

from bots.models import Bot
from ladder.bot_stats import Opponent
from ladder.charts import Chart, Histogram
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
    page = reverse("ladder:bot", args=["-"]).removesuffix("-/")
    against = reverse("ladder:head_to_head", args=[bot.slug, "-"]).removesuffix("-/")
    return format_html_join(
        "\n",
        '<tr><th scope="row"><a href="{}{}/">{}</a></th><td class="num wide">{}</td>'
        '<td class="num"><a href="{}{}/?ladder={}">{}<span class="visually-hidden"> matches against {}</span></a></td>'
        '<td class="num wide">{} \N{EN DASH} {} \N{EN DASH} {}</td><td class="num">{}</td><td class="num wide">{}</td>'
        '<td class="num">{}</td></tr>',
        (
            (
                *(page, row.slug, row.name, elo(row.milli)),
                *(against, row.slug, ladder.slug, row.matches, row.name),
                *(row.wins, row.draws, row.losses, percent(row.score), percent(row.expected), surprise(row.surprise)),
            )
            for row in rows
        ),
    )


@register.simple_tag
def rating_lines(chart: Chart) -> SafeString:
    """What is drawn in the chart of a rating: grid, intervals, versions, the line and where it ends."""
    left, bottom = chart.left - 6, chart.bottom + 18
    anchors = ["start", *["middle"] * (len(chart.counts) - 2), "end"]
    levels = format_html_join(
        "",
        '<line class="grid" x1="{}" x2="{}" y1="{}" y2="{}"/><text class="axis" x="{}" y="{}" dy="4" text-anchor="end">'
        "{}</text>",
        ((chart.left, chart.right, level.at, level.at, left, level.at, level.label) for level in chart.levels),
    )
    counts = format_html_join(
        "",
        '<text class="axis" x="{}" y="{}" text-anchor="{}">{}</text>',
        ((count.at, bottom, anchor, count.label) for count, anchor in zip(chart.counts, anchors, strict=True)),
    )
    marks = format_html_join(
        "",
        '<line class="mark" x1="{}" x2="{}" y1="{}" y2="{}"/><text class="axis" x="{}" y="{}">{}</text>',
        ((mark.at, mark.at, chart.top, chart.bottom, mark.at, chart.top - 6, mark.label) for mark in chart.marks),
    )
    bands = format_html_join("", '<polygon class="area" points="{}"/>', ((band,) for band in chart.bands))
    lines = format_html_join("", '<polyline class="line" points="{}"/>', ((line,) for line in chart.lines))
    dot = format_html('<circle class="dot" cx="{}" cy="{}" r="4"/>', chart.end_x, chart.end_y)
    return SafeString("\n".join((levels, counts, bands, marks, lines, dot)))


@register.simple_tag
def time_bars(times: Histogram) -> SafeString:
    """What is drawn in the histogram of decision times: the bars, the axis and what stands under it."""
    bars = format_html_join(
        "",
        '<rect class="bar" x="{}" y="{}" width="{}" height="{}"><title>{}</title></rect>',
        times.bars,
    )
    axis = format_html('<line class="grid" x1="0" x2="{}" y1="{}" y2="{}"/>', times.width, times.bottom, times.bottom)
    ticks = format_html_join(
        "",
        '<text class="axis" x="{}" y="{}" text-anchor="middle">{}</text>',
        ((tick.at, times.bottom + 18, tick.label) for tick in times.ticks),
    )
    return SafeString("\n".join((bars, axis, ticks)))
