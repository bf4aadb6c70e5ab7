"""How the site looks is the reader's choice: a cookie remembers it, a page arrives so, every mixture is legible."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from accounts.look import Deck, Table

CSS = (Path(settings.ROOT) / "platform" / "static" / "css" / "site.css").read_text()
Colour = tuple[float, float, float]


def html_tag(client: Client, path: str) -> str:
    found = re.search(r"<html[^>]*>", client.get(path).content.decode())
    assert found
    return found[0]


def test_a_choice_is_kept_and_on_every_page_as_it_arrives(client: Client, db: None) -> None:
    assert html_tag(client, "/rules/") == '<html lang="en" data-scheme="auto" data-deck="classic" data-table="green">'
    form = {"scheme": "dark", "deck": "large", "table": "wine", "next": "/rules/?from=here"}
    assert client.post("/settings/", form)["Location"] == "/rules/?from=here"
    cookie = client.cookies["look"]
    assert (cookie["max-age"], cookie["samesite"], cookie["httponly"]) == (400 * 24 * 3600, "Lax", True)
    chosen = '<html lang="en" data-scheme="dark" data-deck="large" data-table="wine">'
    for path in ("/rules/", "/settings/", "/nothing/"):
        assert html_tag(client, path) == chosen
    page = client.get("/rules/").content.decode()
    assert '<meta name="color-scheme" content="dark">' in page
    assert "cards-large.svg#4s" in page
    assert re.search(r'value="large" required checked', client.get("/settings/").content.decode())


def test_what_is_no_choice_changes_nothing(client: Client, db: None) -> None:
    client.cookies["look"] = "dark.<script>.blue"
    assert html_tag(client, "/settings/") == '<html lang="en" data-scheme="dark" data-deck="classic" data-table="blue">'
    client.cookies["look"] = "dark"
    assert 'data-scheme="auto"' in html_tag(client, "/settings/")
    answer = client.post("/settings/", {"scheme": "sepia", "deck": "four", "table": "blue"})
    assert "sepia is not one of the available choices" in answer.content.decode()
    assert "look" not in answer.cookies


@pytest.mark.parametrize("address", ["https://elsewhere.example/", "//elsewhere.example", "javascript:alert(1)"])
def test_saving_leads_to_no_other_site(client: Client, db: None, address: str) -> None:
    assert address not in client.get("/settings/", {"next": address}).content.decode()
    form = {"scheme": "auto", "deck": "four", "table": "blue", "next": address}
    assert client.post("/settings/", form)["Location"] == "/settings/"


def tokens(selector: str, scheme: str) -> dict[str, str]:
    """The custom properties of a rule whose selectors include `selector`, as one scheme sees them."""
    found: dict[str, str] = {}
    for names, body in re.findall(r"([^{}]+)\{([^{}]*)\}", re.sub(r"/\*.*?\*/", "", CSS, flags=re.DOTALL)):
        if selector in [name.strip() for name in names.split(",")]:
            found |= dict(re.findall(r"--([\w-]+): ([^;]+);", body))
    place = ("light", "dark").index(scheme)
    return {
        name: re.sub(r"light-dark\((#\w+), (#\w+)\)", lambda pair: pair[place + 1], value)
        for name, value in found.items()
    }


def rgb(colour: str) -> Colour:
    red, green, blue = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return red, green, blue


def luminance(colour: Colour) -> float:
    """Relative luminance, https://www.w3.org/TR/WCAG22/#dfn-relative-luminance."""
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio."""
    low, high = sorted((luminance(rgb(one)), luminance(rgb(other))))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_measured_as_wcag_does() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_deck_and_table_is_legible(scheme: str) -> None:
    root = tokens(":root", scheme)
    for deck in Deck.values:
        colours = root | tokens(f'[data-deck="{deck}"]', scheme)
        for suit in ("spade", "heart", "diamond", "club"):
            assert contrast(colours[suit], colours["card-face"]) >= 4.5, (deck, suit)
        for table in Table.values:
            lies_on = tokens(f'[data-table="{table}"]', scheme)
            assert contrast(colours["card-line"], lies_on["table"]) >= 3, (deck, table)
    for table in Table.values:
        colours = root | tokens(f'[data-table="{table}"]', scheme)
        for text in ("on-table", "on-table-muted", "brass"):
            for ground in ("table", "table-edge", "table-glow"):
                assert contrast(colours[text], colours[ground]) >= 4.5, (table, text, ground)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_ink_of_the_pages_is_legible(scheme: str) -> None:
    root = tokens(":root", scheme)
    for ink in ("ink", "muted", "accent", "good", "warn", "bad"):
        for ground in ("bg", "surface", "sunken"):
            assert contrast(root[ink], root[ground]) >= 4.5, (ink, ground)
    for tone in ("good", "warn", "bad"):
        assert contrast(root[tone], root[f"{tone}-bg"]) >= 4.5, tone
    assert contrast(root["accent-ink"], root["accent"]) >= 4.5
    assert contrast(root["on-felt"], root["felt"]) >= 4.5
    for ground in ("bg", "surface"):
        assert contrast(root["line-strong"], root[ground]) >= 3, ground
