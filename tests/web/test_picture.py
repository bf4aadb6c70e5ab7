"""What sites show beside a link to a page: title, words and a match's picture, whatever somebody named a bot."""

from collections.abc import Sequence
from html.parser import HTMLParser
from io import BytesIO
from typing import Any

import pytest
from django.core.cache import caches
from django.test import Client
from PIL import Image
from pytest_django import Settings

from arena.bots.random_bot import RandomBot
from arena.bots.simple import Simple
from bots.models import Bot
from ladder import picture, services
from ladder.models import Match
from tests.web.games import played, record_of
from tests.web.matches import claimed, make_ladder, make_version

pytestmark = pytest.mark.django_db


class Meta(HTMLParser):
    """The properties that a page names."""

    def __init__(self, client: Client, path: str) -> None:
        super().__init__()
        self.said: dict[str, str] = {}
        self.feed(client.get(path).content.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = dict(attrs)
        if tag == "meta" and (name := names.get("property")):
            self.said[name] = names.get("content") or ""


@pytest.fixture
def match() -> Match:
    caches["pictures"].clear()
    return played(make_ladder(), [make_version("Gin"), make_version("Rummy")], (Simple, RandomBot))


def test_a_matchs_pages_name_its_picture(client: Client, match: Match, settings: Settings) -> None:
    settings.SITE_URL = "https://arena.example"
    for path in (f"/matches/{match.pk}/", f"/matches/{match.pk}/games/2/"):
        said = Meta(client, path).said
        assert said["og:url"] == f"https://arena.example{path}"
        assert said["og:title"].startswith("Gin v Rummy")
        assert said["og:image"] == f"https://arena.example/matches/{match.pk}/picture.png"
    answer = client.get(f"/matches/{match.pk}/picture.png")
    assert answer["Content-Type"] == "image/png"
    assert set(answer["Cache-Control"].split(", ")) == {"max-age=3600", "public"}
    drawn = Image.open(BytesIO(answer.content))
    assert (drawn.format, drawn.size) == ("PNG", (1200, 630))
    assert len(answer.content) < 60_000


def test_it_shows_the_score_and_the_last_knock_of_the_record(
    client: Client, match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Sequence[picture.Side], str, Sequence[Sequence[str]]]] = []

    def draw(*args: Any) -> bytes:
        asked.append(args)
        return b"png"

    monkeypatch.setattr(picture, "draw", draw)
    client.get(f"/matches/{match.pk}/picture.png")
    client.get(f"/matches/{match.pk}/picture.png")
    ((sides, caption, groups),) = asked  # the second time it was kept
    seats = list(match.seats.order_by("index"))
    assert [(side.name, side.games, side.points) for side in sides] == [
        ("Gin", seats[0].games_won, seats[0].points),
        ("Rummy", seats[1].games_won, seats[1].points),
    ]
    knocks = [
        result.knocker_arrangement
        for game in record_of(match).games
        for result in game.replay().results
        if result.knocker_arrangement is not None
    ]
    assert sorted(code for group in groups for code in group) == sorted(
        str(card) for card in (*knocks[-1].deadwood, *(card for meld in knocks[-1].melds for card in meld.cards))
    )
    assert f"{knocks[-1].points} deadwood" in caption or "gin" in caption


def test_a_match_that_is_not_over_or_private_has_none(client: Client, match: Match) -> None:
    running = services.enqueue_match(ladder=match.ladder, versions=[seat.version for seat in match.seats.all()])
    claimed(running)
    Match.objects.filter(pk=match.pk).update(is_private=True, is_rated=False)
    for one in (running, match):
        assert client.get(f"/matches/{one.pk}/picture.png").status_code == 404
        assert "og:image" not in Meta(client, f"/matches/{one.pk}/").said


@pytest.mark.parametrize(
    "name", ['"><script>alert(1)</script>', "W" * 40, "中文", "א\u202eb", "e\u0301" * 20, "\U0001f0a1"]
)
def test_any_name_is_shown_safely(client: Client, match: Match, name: str) -> None:
    Bot.objects.filter(name="Gin").update(name=name)
    assert name in Meta(client, f"/matches/{match.pk}/").said["og:title"]
    assert "<script>alert" not in client.get(f"/matches/{match.pk}/").content.decode()
    assert Image.open(BytesIO(client.get(f"/matches/{match.pk}/picture.png").content)).size == (1200, 630)


def test_a_name_that_the_font_lacks_gives_way_to_the_slug() -> None:
    side = picture.Side("Ωmega Łódź_Жук 2", "omega", 2, 100, won=True)
    assert picture.readable(side) == side.name
    for name in ("中文", "बॉट", "a\U0001f0a1"):
        assert picture.readable(picture.Side(name, "bot-1234", 2, 100, won=True)) == "bot-1234"


def test_other_pages_say_what_they_are(client: Client, match: Match) -> None:
    assert Meta(client, "/").said["og:title"] == "Gin Rummy Arena"
    assert Meta(client, "/bots/gin/").said["og:title"] == "Gin, a bot that plays Gin Rummy"
