"""Rows of the longest and most read tables. Not templates: those took most of a page's time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from urllib.parse import urlencode

from django import template
from django.urls import reverse
from django.utils.safestring import SafeString

from ladder.markup import format_html, format_html_join
from ladder.matrix import Cell, Row
from ladder.models import Ladder, Strength
from ladder.queries import PROVISIONAL_BELOW
from ladder.standings import Standing
from ladder.templatetags.arena import elo, moment, percent, strength

register = template.Library()

SPARK_WIDTH, SPARK_HEIGHT = 64, 20
LEAST_SPAN = 40_000
"""Milli-Elo from bottom to top of a trend at least: a few points up and down look like what they are."""

_NONE = "\N{EN DASH}"


@register.simple_tag
def standing_rows(rows: Iterable[Standing], ladder: Ladder) -> SafeString:
    """The rows of a ladder's table."""
    return format_html_join(
        "\n",
        '<tr><td class="num rank">{}{}</td><th scope="row"><a href="{}">{}</a> {}</th><td class="wide author">{}</td>'
        '<td class="num elo">{}<small class="narrow">{}</small></td><td class="trend">{}</td>'
        '<td class="num wide nowrap">{}</td><td class="num"><span class="narrow">{} of </span>{}</td>'
        '<td class="num wide">{}</td><td class="wide nowrap muted small">{}</td></tr>',
        (_standing_cells(row, ladder) for row in rows),
    )


def _standing_cells(row: Standing, ladder: Ladder) -> tuple[object, ...]:
    rating, bot = row.rating, row.bot
    fitted: Strength | None = getattr(rating, "strength", None)
    by_bradley_terry = strength(fitted)
    won = percent(rating.win_rate)
    badges = (
        (bot.is_house, _HOUSE),
        (fitted is not None and fitted.is_anchor, _ANCHOR),
        (row.is_provisional, _PROVISIONAL),
    )
    return (
        _NONE if row.rank is None else row.rank,
        movement(row),
        bot.get_absolute_url(),
        bot.name,
        SafeString(" ".join(badge for applies, badge in badges if applies)),
        _author(row, ladder),
        elo(rating.milli),
        by_bradley_terry,
        _trend(row),
        by_bradley_terry,
        won,
        rating.matches,
        won,
        moment(row.last_played),
    )


def _author(row: Standing, ladder: Ladder) -> SafeString:
    owner = row.bot.owner
    if owner is None:
        return _THE_ARENA
    name = owner.get_username()
    query = urlencode({"ladder": ladder.slug, "q": name})
    return format_html('<a href="?{}" title="All bots of {}">{}</a>', query, name, name)


@register.simple_tag
def movement(row: Standing) -> SafeString | str:
    """How many places a bot has won or lost since a day before; nothing when it stayed or had none."""
    moved = row.movement
    if not moved:
        return ""
    return format_html(
        ' <small class="moved {}"><span aria-hidden="true">{}</span>'
        '<span class="visually-hidden"> {} {} place{} since yesterday</span></small>',
        "good" if moved > 0 else "bad",
        abs(moved),
        "up" if moved > 0 else "down",
        abs(moved),
        "" if abs(moved) == 1 else "s",
    )


def _trend(row: Standing) -> SafeString:
    """The rating day by day and now, drawn and in words."""
    if not row.past:
        return _NO_TREND
    days = len(row.past)
    words = f"{elo(row.past[0])} {'a day' if days == 1 else f'{days} days'} ago, {elo(row.rating.milli)} now"
    moved = round(row.rating.milli / 1000) - round(row.past[0] / 1000)
    return format_html(
        '<svg class="spark {}" role="img" viewBox="0 0 {} {}" width="{}" height="{}"><title>{}</title>'
        '<polyline points="{}"/></svg>',
        "rise" if moved > 0 else "fall" if moved < 0 else "",
        *(SPARK_WIDTH, SPARK_HEIGHT, SPARK_WIDTH, SPARK_HEIGHT),
        words,
        sparkline([*row.past, row.rating.milli]),
    )


def sparkline(history: Sequence[int]) -> str:
    """The points of a polyline in a SPARK_WIDTH by SPARK_HEIGHT box, from two ratings in milli-Elo or more."""
    middle = (min(history) + max(history)) / 2
    across = (SPARK_WIDTH - 4) / (len(history) - 1)
    down = (SPARK_HEIGHT - 4) / max(LEAST_SPAN, max(history) - min(history))
    return " ".join(
        f"{2 + n * across:.1f},{SPARK_HEIGHT / 2 - (milli - middle) * down:.1f}" for n, milli in enumerate(history)
    )


@register.simple_tag
def matrix_rows(rows: Iterable[Row], ladder: Ladder) -> SafeString:
    """The rows of the matrix: a bot, what it scored against each, and against all of them."""
    return format_html_join(
        "\n",
        '<tr><th scope="row"><span class="number muted">{}</span> <a href="{}">{}</a></th>{}</tr>',
        (
            (
                *(row.standing.rank, row.standing.bot.get_absolute_url(), row.standing.bot.name),
                format_html_join("", "{}", ((_matrix_cell(row.standing, cell, ladder),) for cell in row.cells)),
            )
            for row in rows
        ),
    )


def _matrix_cell(one: Standing, cell: Cell | None, ladder: Ladder) -> SafeString:
    if cell is None:
        return _ITSELF
    name, against = one.bot.name, cell.opponent.bot
    if not cell.matches:
        return format_html('<td class="heat unmet" aria-label="{} has not met {}"></td>', name, against.name)
    return format_html(
        '<td class="heat heat{}"><a href="{}?ladder={}" aria-label="{} against {}: {} of the points in {} match{}">'
        "{}<small>{}</small></a></td>",
        cell.heat,
        reverse("ladder:head_to_head", args=[one.bot.slug, against.slug]),
        ladder.slug,
        name,
        against.name,
        percent(cell.score),
        cell.matches,
        "" if cell.matches == 1 else "es",
        round(100 * (cell.score or 0)),
        cell.matches,
    )


_HOUSE = format_html('<span class="badge" title="{}">house</span>', "Plays for the house")
_ANCHOR = format_html(
    '<span class="badge" title="{}">anchor</span>',
    "1500 on the Bradley-Terry scale by definition: everybody is measured from it",
)
_PROVISIONAL = format_html(
    '<span class="badge warn" title="Fewer than {} rated matches: the rating still moves a lot">provisional</span>',
    PROVISIONAL_BELOW,
)
_THE_ARENA = format_html('<span class="muted">{}</span>', "the arena")
_NO_TREND = format_html('<span class="muted">{}</span>', _NONE)
_ITSELF = format_html('<td class="heat itself" aria-label="{}"></td>', "itself")
