"""The pages for authors: the repository's documents and the reference of every public name, without a second source."""

import inspect
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.test import Client

import arena
from arena import Bot, Card, Rules, View
from arena.bot import GameEnding
from arena.bots.random_bot import RandomBot
from arena.local import LocalContestant, UploadContestant
from arena.referee import play_match
from arena.rules import CLASSIC
from bots import services
from ladder.documents import document, documents, html_of, small_bot
from sandbox.drivers.base import Limits
from tests.web.entering import text_of

pytestmark = pytest.mark.django_db

DOCS = Path(__file__).parents[2] / "docs"


def blocks(source: str) -> list[str]:
    return re.findall(r"^```\w*\n(.*?)^```$", source, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("path", sorted(DOCS.glob("*.md")), ids=lambda path: path.stem)
def test_every_document_is_a_page_with_all_its_words_and_code(client: Client, path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    response = client.get(f"/guide/{path.stem}/")
    page = unescape(response.content.decode())
    for block in blocks(source):
        assert block in page
    prose = re.sub(r"^```.*?^```$", "", source, flags=re.DOTALL | re.MULTILINE)
    shown = re.sub(r"<[^>]+>", " ", page)
    for word in re.findall(r"[A-Za-z]{4,}", re.sub(r"\]\([^)]*\)", "]", prose)):
        assert word in shown, word
    title = source.splitlines()[0].removeprefix("# ")
    assert f"<h1>{title}</h1>" in page
    assert f'href="/guide/{path.stem}/" aria-current="page"' in page


class Links(HTMLParser):
    """The addresses that a page links to, and the anchors it has."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = dict(attrs)
        if tag == "a" and (link := names.get("href")):
            self.links.append(link)
        if anchor := names.get("id"):
            self.anchors.append(anchor)


@pytest.mark.parametrize("page", ["", "api/", *(f"{one.stem}/" for one in sorted(DOCS.glob("*.md")))])
def test_the_pages_for_authors_link_to_what_is_there(client: Client, page: str) -> None:
    found = Links()
    found.feed(client.get(f"/guide/{page}").content.decode())
    assert len(found.anchors) == len(set(found.anchors))
    for link in found.links:
        path, _, anchor = link.partition("#")
        if path.startswith("/"):
            assert client.get(path).status_code in {200, 302}, link
        elif not path:
            assert anchor in found.anchors, link
        else:
            assert path.startswith("https://"), link


def test_an_unknown_document_is_no_page(client: Client) -> None:
    assert client.get("/guide/secrets/").status_code == 404
    assert document("..") is None


def test_markup_in_a_document_is_shown_and_not_obeyed() -> None:
    assert "<script>" not in html_of("Look: <script>alert(1)</script> [x](javascript:alert(1))")
    assert 'href="javascript' not in html_of("[x](javascript:alert(1))")


def test_every_public_name_is_in_the_reference_with_its_words(client: Client) -> None:
    page = client.get("/guide/api/").content.decode()
    assert set(re.findall(r'<h3 id="(\w+)">', page)) == set(arena.__all__)
    words = " ".join(unescape(re.sub(r"<[^>]+>", "", page)).split())
    for name in arena.__all__:
        thing = getattr(arena, name)
        if inspect.isclass(thing) and thing.__doc__:
            first = " ".join(thing.__doc__.replace("`", "").split("\n\n")[0].split())
            assert first in words, name


@pytest.mark.parametrize("thing", [Bot, View, Card, Rules])
def test_every_public_member_of_the_great_classes_is_in_the_reference(client: Client, thing: type) -> None:
    section = client.get("/guide/api/").content.decode().partition(f'<h3 id="{thing.__name__}">')[2]
    section = section.partition("</section>")[0]
    told = set(re.findall(r"<dt><code>(\w+)", section))
    public = {name for name in vars(thing) if not name.startswith("_")} | set(getattr(thing, "_fields", ()))
    assert public <= told


def test_signatures_are_those_of_the_source(client: Client) -> None:
    page = text_of(client.get("/guide/api/"))
    for signature in (
        "choose_discard(view: View) -> Discard | Card | BigGin",
        "deadwood_after(card: Card) -> int",
        "knock_limit: int = 10",
        "best_defence(knocker_melds: Iterable[Meld], defender_cards: Iterable[Card]) -> Defence",
        "UPCARD = 'upcard'",
    ):
        assert f"<code>{signature}</code>" in page


def test_the_guides_bot_is_the_documents_first_and_beats_the_random_one(client: Client) -> None:
    guide = (DOCS / "writing-a-bot.md").read_text(encoding="utf-8")
    assert small_bot() == blocks(guide)[0]
    assert small_bot() in unescape(client.get("/guide/").content.decode())
    contestant = UploadContestant({"bot.py": small_bot()}, "bot.py")
    record = play_match(CLASSIC, b"guide" * 4, contestant, LocalContestant(RandomBot))
    assert [game.ending for game in record.games] == [GameEnding.TARGET, GameEnding.TARGET]
    assert record.score_quarters() == 4
    assert len(small_bot().splitlines()) <= 20


def test_the_documents_come_in_the_order_of_reading() -> None:
    slugs = [one.slug for one in documents()]
    assert slugs[0] == "writing-a-bot"
    assert slugs.index("writing-a-bot") < slugs.index("protocol")


def test_the_documents_name_the_limits_that_are_in_force() -> None:
    guide = " ".join((DOCS / "writing-a-bot.md").read_text(encoding="utf-8").split())
    limits = Limits()
    start, game, decision = f"{limits.start_seconds:g}", f"{limits.game_seconds:g}", f"{limits.decision_seconds:g}"
    said = f"{start} seconds to start, then {game} seconds of CPU for a game and at most {decision} for one decision"
    assert said in guide


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("numpy", "says"),
    [
        pytest.param("9.8.7", "<code>arena</code> and <code>numpy</code> 9.8.7;", id="with"),
        pytest.param("", "<code>arena</code>, and no <code>numpy</code> on this site;", id="without"),
    ],
)
def test_the_guide_says_whether_bots_may_import_numpy(client: Client, numpy: str, says: str) -> None:
    services.record_sandbox(driver="docker", runs_uploads=True, numpy=numpy)
    assert says in text_of(client.get("/guide/"))


def test_no_document_brings_styles_of_its_own(client: Client) -> None:
    """The policy would drop them: the alignment of a table's column is a class."""
    pages = [text_of(client.get(one.get_absolute_url())) for one in documents()]
    assert not any("style=" in page for page in pages)
    assert any('<td class="num">' in page for page in pages)
