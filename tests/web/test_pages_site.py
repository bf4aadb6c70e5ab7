"""What holds for every page: the content policy, errors that help, rules and guide that tell the truth."""

import re
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.contrib.staticfiles import finders
from django.test import Client

from arena.bots.random_bot import RandomBot
from arena.bots.simple import Simple
from arena.loader import load_bot
from tests.web.entering import text_of
from tests.web.games import played
from tests.web.matches import make_ladder, make_version

pytestmark = pytest.mark.django_db

PAGES = ("/", "/matches/", "/matches/{match}/", "/matches/{match}/games/1/", "/bots/gin/", "/rules/", "/guide/",
         "/guide/api/", "/guide/protocol/", "/accounts/login/", "/accounts/signup/",
         "/my/", "/bots/new/", "/settings/", "/nothing/here/")  # fmt: skip


class Inline(HTMLParser):
    """Collects what a strict content policy would block, and every address that a page loads."""

    def __init__(self) -> None:
        super().__init__()
        self.blocked: list[str] = []
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = dict(attrs)
        self.blocked += [f"<{tag} {name}>" for name in names if name == "style" or name.startswith("on")]
        if tag == "style" or (tag == "script" and "src" not in names):
            self.blocked.append(f"<{tag}>")
        if tag in {"script", "img", "link", "use"}:
            self.loaded += [value for name in ("src", "href") if (value := names.get(name))]


@pytest.fixture
def paths() -> list[str]:
    match = played(make_ladder(), [make_version("Gin"), make_version("Rummy")], (Simple, RandomBot))
    return [path.format(match=match.pk) for path in PAGES]


def test_no_page_needs_anything_inline_or_from_elsewhere(client: Client, paths: list[str]) -> None:
    client.force_login(User.objects.create_user("ada", is_staff=True))
    for path in paths:
        response = client.get(path)
        policy = response["Content-Security-Policy"]
        assert policy.startswith("default-src 'self';")
        assert "unsafe" not in policy
        page = Inline()
        page.feed(response.content.decode())
        assert page.blocked == [], path
        for address in page.loaded:
            if address.endswith("/steps.json"):  # asked for early by a replay
                continue
            assert address.startswith("/static/"), f"{address} on {path}"
            assert finders.find(address.removeprefix("/static/").partition("#")[0]), f"{address} on {path}"


def test_error_pages_help(client: Client) -> None:
    page = client.get("/nothing/here/")
    assert page.status_code == 404
    assert "There is no page at this address" in text_of(page)
    assert 'href="/"' in text_of(page)


def test_a_broken_page_says_so_in_the_readers_look_without_the_rest_of_the_site(  # type: ignore[no-untyped-def]
    client: Client, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries
) -> None:
    def broken(*args: object, **kwargs: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("ladder.queries.open_ladders", broken)
    client.raise_request_exception = False
    client.cookies["look"] = "dark.four.blue"
    with django_assert_num_queries(0):
        response = client.get("/")
    assert response.status_code == 500
    assert '<html lang="en" data-scheme="dark">' in text_of(response)
    assert "Something broke on our side" in text_of(response)
    assert "secret detail" not in text_of(response)


def test_a_form_from_elsewhere_is_refused_with_a_way_on() -> None:
    response = Client(enforce_csrf_checks=True).post("/accounts/login/", {"login": "a", "password": "b"})
    assert response.status_code == 403
    assert "Go back, reload the page and send the form again." in text_of(response)


def test_the_health_check_asks_the_database(client: Client, django_assert_num_queries) -> None:  # type: ignore[no-untyped-def]
    with django_assert_num_queries(1):
        assert client.get("/healthz").content == b"ok\n"


def test_pages_are_for_reading(client: Client) -> None:
    for path in ("/", "/matches/", "/rules/", "/guide/", "/guide/api/", "/healthz"):
        assert client.post(path).status_code == 405


def test_the_starter_is_the_bot_that_the_guide_shows(client: Client) -> None:
    response = client.get("/starter.py")
    source = resources.files("arena.bots").joinpath("starter.py").read_text(encoding="utf-8")
    assert response.content.decode() == source
    assert response["Content-Disposition"] == 'attachment; filename="starter.py"'
    load_bot({"bot.py": source}, "bot.py")
    assert source.splitlines()[-1].strip() in text_of(client.get("/guide/"))


def test_the_site_says_who_is_logged_in(client: Client) -> None:
    assert "Log in" in text_of(client.get("/"))
    client.force_login(User.objects.create_user("ada"))
    page = text_of(client.get("/"))
    assert "Logged in as ada" in page
    assert "Admin" not in page


def test_the_mark_in_a_page_is_the_icon_of_the_site() -> None:
    platform = Path(__file__).parents[2] / "platform"

    def shapes(file: str) -> list[tuple[list[float], list[str]]]:
        drawn = re.findall("<(?:rect|path) .*?>", (platform / file).read_text())
        # The same numbers: 2.7 in the one is 2.700 in the other.
        return [
            (
                [float(one) for one in re.findall(r"-?(?:\d*\.)?\d+", re.sub("#\\w+", "", shape))],
                re.findall("#\\w+", shape),
            )
            for shape in drawn
        ]

    assert shapes("templates/mark.svg") == shapes("static/img/favicon.svg") != []
