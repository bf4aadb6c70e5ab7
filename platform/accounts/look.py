"""How the site looks to a reader: kept in a cookie that the server reads, so that a page arrives as it is to look."""

from __future__ import annotations

from dataclasses import asdict, astuple, dataclass
from typing import Any

from django.conf import settings
from django.db.models import TextChoices
from django.http import HttpRequest, HttpResponse

COOKIE = "look"
"""Holds a `Look` as three words with dots between: `dark.four.blue`."""
KEPT_SECONDS = 400 * 24 * 3600
"""The longest that browsers keep a cookie; every change begins it anew."""


class Scheme(TextChoices):
    """Light or dark pages."""

    AUTO = "auto", "As the device"
    LIGHT = "light", "Light"
    DARK = "dark", "Dark"


class Deck(TextChoices):
    """How cards are drawn: the colours are site.css's (`data-deck`), the drawings script/cards'."""

    CLASSIC = "classic", "Classic"
    FOUR = "four", "Four colours"
    LARGE = "large", "Large"
    NIGHT = "night", "Night"


class Table(TextChoices):
    """What the cards of a replay lie on: site.css's colours (`data-table`)."""

    GREEN = "green", "Green felt"
    BLUE = "blue", "Blue felt"
    WINE = "wine", "Wine felt"
    SLATE = "slate", "Slate"
    WALNUT = "walnut", "Walnut"


@dataclass(frozen=True)
class Look:
    """What a reader chose. The words are values of Scheme, Deck and Table; base.html puts them on <html>."""

    scheme: str = Scheme.AUTO.value
    deck: str = Deck.CLASSIC.value
    table: str = Table.GREEN.value

    @property
    def color_scheme(self) -> str:
        """The CSS `color-scheme` of the page before its stylesheet has come."""
        return "light dark" if self.scheme == Scheme.AUTO else self.scheme

    def keep(self, response: HttpResponse) -> None:
        """Remember it in the browser that gets `response`."""
        response.set_cookie(
            COOKIE,
            ".".join(astuple(self)),
            max_age=KEPT_SECONDS,
            samesite="Lax",
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
        )


def look_of(request: HttpRequest) -> Look:
    """What the request's cookie says; a word that is none of the choices counts as not chosen."""
    words = request.COOKIES.get(COOKIE, "").split(".")
    if len(words) != len(_CHOICES):
        return Look()
    return Look(**{name: word for (name, known), word in zip(_CHOICES.items(), words, strict=True) if word in known})


def context(request: HttpRequest) -> dict[str, Any]:
    """For every template: `look`."""
    return {"look": look_of(request)}


_CHOICES = {"scheme": Scheme.values, "deck": Deck.values, "table": Table.values}
assert list(_CHOICES) == list(asdict(Look()))
