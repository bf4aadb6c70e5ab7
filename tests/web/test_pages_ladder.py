"""The ladder page: what a newcomer, a reader and the database see of it."""

import re
from importlib import import_module

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena.bots.random_bot import RandomBot
from arena.bots.simple import Simple
from bots.models import Bot
from ladder import services
from ladder.models import Ladder, Rating
from tests.web.entering import text_of
from tests.web.games import played
from tests.web.matches import claimed, finished, make_ladder, make_version, record_of

pytestmark = pytest.mark.django_db


def rows(page: str) -> list[list[str]]:
    """The cells of the standings, tags and spacing removed."""
    body = page.partition("<tbody>")[2].partition("</tbody>")[0]
    cells = [
        re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL)
        for row in re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL)
    ]
    return [[" ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in row] for row in cells]


def test_an_empty_arena_says_what_to_do(client: Client) -> None:
    page = text_of(client.get("/"))
    assert "Nobody is on the ladder yet" in page
    assert 'href="/starter.py"' in page
    assert 'href="/bots/new/"' in page


def test_the_first_line_tells_a_newcomer_what_this_is(client: Client) -> None:
    make_ladder()
    page = text_of(client.get("/"))
    for part in ("Python bots play Gin Rummy here", 'href="/guide/"', 'href="/bots/new/"'):
        assert part in page


def test_rows_are_best_first_with_author_elo_matches_and_score(client: Client) -> None:
    ladder = make_ladder()
    ada = User.objects.create_user("ada")
    strong, weak = make_version("Strong", ada), make_version("Weak")
    for _ in range(3):
        finished(ladder, [weak, strong], 0)
    finished(ladder, [weak, strong], 2)
    services.enter_ladder(ladder=ladder, version=make_version("Newcomer", User.objects.create_user("bob")))
    points = {rating.version.bot.name: rating.points for rating in Rating.objects.all()}
    assert points["Strong"] > 1500 > points["Weak"]
    first, second, third = rows(text_of(client.get("/")))
    # Three wins and a draw of four matches; then the other side of the same; then nothing yet.
    none = "\N{EN DASH}"
    # Below Elo, for phones, and in a column of its own stands Bradley-Terry, which nobody has computed yet. Between the
    # two is the trend, of which there is none on the first day. For phones the share won stands
    # before the matches.
    assert first[:4] == ["1", "Strong provisional", "ada", f"{points['Strong']} {none}"]
    assert first[4:8] == [none, none, "88 % of 4", "88 %"]
    assert second[:4] == ["2", "Weak house provisional", "the arena", f"{points['Weak']} {none}"]
    assert second[4:8] == [none, none, "12 % of 4", "12 %"]
    assert third == [none, "Newcomer provisional", "bob", f"1500 {none}", none, none, f"{none} of 0", none, none]


def test_a_rating_is_provisional_below_twenty_matches(client: Client) -> None:
    finished(make_ladder(), [make_version("A"), make_version("B")], 2)
    Rating.objects.update(matches=19, draws=19)
    assert [row[1] for row in rows(text_of(client.get("/")))] == ["A house provisional", "B house provisional"]
    Rating.objects.update(matches=20, draws=20)
    assert [row[1] for row in rows(text_of(client.get("/")))] == ["A house", "B house"]


def test_benched_and_retired_bots_are_not_listed(client: Client) -> None:
    ladder = make_ladder()
    finished(ladder, [make_version("Here"), make_version("Gone")], 4)
    Bot.objects.filter(name="Gone").update(state=Bot.State.RETIRED)
    assert [row[1] for row in rows(text_of(client.get("/")))] == ["Here house provisional"]


def test_a_reader_finds_bots_and_authors_with_their_ranks_on_the_whole_ladder(client: Client) -> None:
    ladder, ada = make_ladder(), User.objects.create_user("Ada")
    first, second, third = make_version("Melder", ada), make_version("Drawer"), make_version("Knocker", ada)
    for quarters in (4, 4, 3):
        finished(ladder, [first, second], quarters)
        finished(ladder, [second, third], quarters)
    Rating.objects.filter(version=second).update(matches=20, wins=20, losses=0)

    def found(query: str) -> list[tuple[str, str]]:
        return [(row[0], row[1].split()[0]) for row in rows(text_of(client.get(f"/?ladder=classic&{query}")))]

    assert found("") == [("1", "Melder"), ("2", "Drawer"), ("3", "Knocker")]
    assert found("q=ADA") == found("show=people") == [("1", "Melder"), ("3", "Knocker")]
    assert found("q=+draw") == found("show=house") == found("show=settled") == [("2", "Drawer")]
    assert found("q=ada&show=house") == []
    assert found("show=provisional&q=knock") == [("3", "Knocker")]
    page = text_of(client.get("/?q=ada"))
    assert "2 of 3 bots" in page
    assert "No bot on this ladder matches" in text_of(client.get("/?q=nobody%00"))
    assert client.get("/?show=some").status_code == 404


def test_a_search_goes_on_from_page_to_page(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ladder.views.STANDINGS", 2)
    ladder = make_ladder()
    pairs = [[make_version(f"{name}{n}") for name in ("Win", "Lose")] for n in range(4)]
    for number, pair in enumerate(pairs):
        for _ in range(number + 1):
            finished(ladder, pair, 4)
    seen, address = [], "/?ladder=classic&q=win"
    while address:
        page = text_of(client.get(address))
        seen += [(row[0], row[1].split()[0]) for row in rows(page)]
        on = re.search(r'rel="next" href="([^"]+)"', page)
        address = "/" + on[1].replace("&amp;", "&") if on else ""
    assert seen == [("1", "Win3"), ("2", "Win2"), ("3", "Win1"), ("4", "Win0")]


def test_recent_matches_link_to_their_pages(client: Client) -> None:
    ladder = make_ladder()
    match = played(ladder, [make_version("Simple"), make_version("Random")])
    page = text_of(client.get("/"))
    assert f'href="/matches/{match.pk}/"' in page
    assert "1 match played" in page


def test_played_is_what_everybody_may_see(client: Client) -> None:
    ladder, pair = make_ladder(), [make_version("A"), make_version("B")]
    finished(ladder, pair, 4)
    finished(ladder, pair, 4, is_rated=False)
    private = services.enqueue_match(ladder=ladder, versions=pair, is_rated=False, is_private=True)
    claim = claimed(private)
    assert services.finish_match(claim=claim, record=record_of(claim, 4))
    assert "2 matches played" in text_of(client.get("/"))
    assert client.get("/api/v1/ladders").json()[0]["matches"] == 2
    assert services.verify_sums(ladder=ladder) == []
    # Were it counted wrongly once, the check would tell and a rebuild would mend it.
    Ladder.objects.update(public_matches=3)
    (problem,) = services.verify_sums(ladder=ladder)
    assert "counts 3 matches that everybody may see; there are 2" in problem
    services.rebuild_ladder(ladder=ladder)
    assert "2 matches played" in text_of(client.get("/"))
    # Matches from before they were counted.
    Ladder.objects.update(public_matches=0)
    import_module("ladder.migrations.0012_public_matches").count(apps, None)
    assert services.verify_sums(ladder=ladder) == []


def test_each_ladder_has_its_tab(client: Client) -> None:
    finished(make_ladder(), [make_version("A"), make_version("B")], 4)
    finished(make_ladder("parlour"), [make_version("C"), make_version("D")], 4)
    assert {row[1].split()[0] for row in rows(text_of(client.get("/?ladder=parlour")))} == {"C", "D"}
    assert client.get("/?ladder=nothing").status_code == 404


def test_the_number_of_queries_does_not_grow_with_the_ladder(client: Client) -> None:
    ladder = make_ladder()

    def queries() -> list[int]:
        counts = []
        for address in ("/", "/?q=a", "/matrix/"):
            with CaptureQueriesContext(connection) as captured:
                assert client.get(address).status_code == 200
            counts.append(len(captured))
        return counts

    finished(ladder, [make_version("A", User.objects.create_user("a")), make_version("B")], 4)
    few = queries()
    for number in range(12):
        owner = User.objects.create_user(f"owner{number}")
        finished(ladder, [make_version(f"Bot{number}", owner), make_version(f"House{number}")], number % 5)
    assert queries() == few


def test_a_bots_name_is_text_and_never_markup(client: Client) -> None:
    ladder = make_ladder()
    nasty, other = make_version("<script>alert(1)</script>"), make_version("Other")
    Bot.objects.filter(pk=nasty.bot_id).update(slug="nasty")
    match = played(ladder, [nasty, other], (Simple, RandomBot))
    for path in ("/", "/matches/", "/bots/nasty/", f"/matches/{match.pk}/", f"/matches/{match.pk}/games/1/"):
        page = client.get(path).content.decode()
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert" in page
