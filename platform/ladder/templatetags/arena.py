"""What the pages show in the same way everywhere: cards, ratings, moments; and challenges, on pages of `bots` too."""

from collections.abc import Iterable
from datetime import UTC, datetime

from django import template
from django.template import Context
from django.templatetags.static import static
from django.urls import reverse
from django.utils.safestring import SafeString

from accounts.look import Deck
from arena.rules import CLASSIC
from ladder.markup import format_html, format_html_join
from ladder.models import Ladder, Match, Seat, Strength
from ladder.queries import recent_challenges

register = template.Library()

register.simple_tag(recent_challenges)

SUIT_NAMES = {"c": "clubs", "d": "diamonds", "h": "hearts", "s": "spades"}
RANK_NAMES = {"A": "ace", "T": "10", "J": "jack", "Q": "queen", "K": "king"}


@register.simple_tag(takes_context=True)
def sprite(context: Context, deck: str = "") -> str:
    """The address of the drawings of the reader's deck, or of `deck`: most differ by their colours alone."""
    is_large = (deck or getattr(context.get("look"), "deck", "")) == Deck.LARGE
    return static("img/cards-large.svg" if is_large else "img/cards.svg")


@register.simple_tag(takes_context=True)
def card(context: Context, code: str, deck: str = "") -> SafeString:
    """One card from its code ("Ts") as the reader's deck draws it, or `deck`; named for those who do not see it."""
    rank, suit = code[0], code[1]
    return format_html(
        '<svg class="card card-{}" role="img" viewBox="0 0 100 140" width="100" height="140">'
        '<title>{} of {}</title><use href="{}#{}"/></svg>',
        suit,
        RANK_NAMES.get(rank, rank),
        SUIT_NAMES[suit],
        sprite(context, deck),
        code,
    )


@register.simple_tag(takes_context=True)
def cards(context: Context, codes: str) -> SafeString:
    """A group of drawn cards from codes with spaces between ("3s 4s 5s")."""
    drawn = format_html_join("", "{}", ((card(context, code),) for code in codes.split()))
    return format_html('<span class="cards">{}</span>', drawn)


@register.filter
def elo(milli: int) -> str:
    """A rating in whole points from thousandths."""
    return str(round(milli / 1000))


@register.filter
def change(milli: int) -> SafeString:
    """A rating change in points with one decimal, its sign and a colour."""
    tone = "good" if milli > 0 else "bad" if milli < 0 else "muted"
    sign = "+" if milli > 0 else "\N{MINUS SIGN}" if milli < 0 else "\N{PLUS-MINUS SIGN}"
    return format_html('<span class="{} number nowrap">{}{}</span>', tone, sign, f"{abs(milli) / 1000:.1f}")


@register.filter
def moment(when: datetime | None) -> SafeString | str:
    """A moment as <time>; js/times.js puts it in the reader's zone, without it UTC stands there."""
    if when is None:
        return "\N{EN DASH}"
    utc = when.astimezone(UTC)
    return format_html(
        '<time datetime="{}">{}</time>', utc.strftime("%Y-%m-%dT%H:%M:%SZ"), utc.strftime("%Y-%m-%d %H:%M UTC")
    )


@register.filter
def percent(share: float | None) -> str:
    """A share of one as a whole percentage."""
    return "\N{EN DASH}" if share is None else f"{100 * share:.0f}\N{NO-BREAK SPACE}%"


@register.filter
def match_score(quarters: int | None) -> str:
    """A match score from quarters: 3 is "¾"."""
    return (
        ""
        if quarters is None
        else (
            "0",
            "\N{VULGAR FRACTION ONE QUARTER}",
            "\N{VULGAR FRACTION ONE HALF}",
            "\N{VULGAR FRACTION THREE QUARTERS}",
            "1",
        )[quarters]
    )


# Rows of the longest and most read tables. Not templates: those took most of a page's time. The ladder's: `tables`.


@register.filter
def strength(found: Strength | str | None) -> SafeString | str:
    """A Bradley-Terry rating with its interval, or a dash before the first fit (None; "" from a template)."""
    if not isinstance(found, Strength):
        return "\N{EN DASH}"
    return format_html('{} <span class="muted">\N{PLUS-MINUS SIGN} {}</span>', elo(found.milli), found.margin)


@register.simple_tag
def match_rows(matches: Iterable[Match], ladder: Ladder | None = None) -> SafeString:
    """The items of a list of matches; their rules are named unless the list is of one ladder."""
    return format_html_join(
        "\n",
        '<li class="match-row"><a class="match-link" href="{}">{}</a> '
        '<span class="match-when muted small">{} {} {}</span></li>',
        (
            (
                reverse("ladder:match", args=[match.pk]),
                format_html_join("\n", "{}", ((_match_side(match, seat),) for seat in match.seats.all())),
                _match_time(match),
                _badge(match.ladder.name) if ladder is None and match.ladder.rule_set != CLASSIC.name else "",
                _ORIGINS.get(match.origin) or ("" if match.is_rated else _badge("unrated")),
            )
            for match in matches
        ),
    )


def _match_side(match: Match, seat: Seat) -> SafeString:
    name = seat.version.bot.name
    if match.state != Match.State.FINISHED:
        return format_html('<span class="match-side"><span class="match-name" dir="auto">{}</span></span>', name)
    return format_html(
        '<span class="match-side{}"><span class="match-name" dir="auto">{}</span>'
        '<span class="match-score number">{}<span class="visually-hidden"> games won, </span></span>'
        '<span class="match-points number">{}<span class="visually-hidden"> points</span></span></span>',
        " won" if (seat.score_quarters or 0) > 2 else "",
        name,
        seat.games_won,
        seat.points,
    )


def _match_time(match: Match) -> SafeString | str:
    if match.state == Match.State.FINISHED:
        return moment(match.finished_at)
    return _PLAYING if match.state == Match.State.RUNNING else _badge("waiting")


def _badge(text: str) -> SafeString:
    return format_html('<span class="badge">{}</span>', text)


_ORIGINS = {
    Match.Origin.CHALLENGE.value: format_html(
        '<span class="badge" title="{}">challenge</span>', "An owner asked for it: unrated"
    ),
    Match.Origin.TOURNAMENT.value: _badge("tournament"),
}
_PLAYING = format_html('<span class="badge good">{}</span>', "playing now")
