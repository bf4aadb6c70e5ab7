"""A bot's page: standing, history, opponents, versions, and to its owner its failures."""

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena.bots.simple import Simple
from bots import services as bot_services
from bots.models import Bot, BotVersion
from ladder import services
from ladder.charts import rating_chart
from ladder.models import Ladder, Rating
from tests.web.entering import text_of
from tests.web.games import Forgetful, played
from tests.web.matches import finished, make_ladder, make_version

pytestmark = pytest.mark.django_db


@pytest.fixture
def ladder() -> Ladder:
    return make_ladder()


def test_the_page_shows_standing_and_history(client: Client, ladder: Ladder) -> None:
    gin, rummy = make_version("Gin", User.objects.create_user("ada")), make_version("Rummy")
    for quarters in (4, 2, 0, 4):
        finished(ladder, [gin, rummy], quarters)
    rating = Rating.objects.get(version=gin)
    page = text_of(client.get("/bots/gin/"))
    assert "By ada" in page
    assert f"<dd>{rating.points} <small>provisional</small></dd>" in page
    assert "<dd>2 \N{EN DASH} 1 \N{EN DASH} 1</dd>" in page
    assert "Elo over the last 4 rated matches" in page
    assert f"now {rating.points}." in page
    assert '<td class="num">62\N{NO-BREAK SPACE}%</td>' in page  # 2.5 of 4 against Rummy


def test_a_bot_without_a_match_says_what_comes(client: Client, ladder: Ladder) -> None:
    services.enter_ladder(ladder=ladder, version=make_version("Gin"))
    page = text_of(client.get("/bots/gin/"))
    assert "The chart begins with the first rated match" in page


def test_a_bot_that_never_passed_its_check_has_a_page(client: Client) -> None:
    version = make_version("Gin", User.objects.create_user("ada"))
    BotVersion.objects.filter(pk=version.pk).update(state=BotVersion.State.REJECTED)
    page = text_of(client.get("/bots/gin/"))
    assert "Not on the ladder yet" in page
    assert "rejected" in page


@pytest.mark.parametrize(("state", "word"), [(Bot.State.BENCHED, "Benched:"), (Bot.State.RETIRED, "Retired:")])
def test_a_bot_out_of_play_keeps_its_page(client: Client, ladder: Ladder, state: Bot.State, word: str) -> None:
    finished(ladder, [make_version("Gin"), make_version("Rummy")], 4)
    Bot.objects.filter(name="Gin").update(state=state)
    response = client.get("/bots/gin/")
    assert response.status_code == 200
    assert word in text_of(response)


def test_an_unknown_bot_is_no_page(client: Client) -> None:
    assert client.get("/bots/nobody/").status_code == 404


def test_the_owner_alone_sees_failures_with_the_way_to_them(client: Client, ladder: Ladder) -> None:
    owner = User.objects.create_user("owner")
    match = played(ladder, [make_version("Lost", owner), make_version("Found")], (Forgetful, Simple))
    for username in (None, "other", "owner"):
        if username == "other":
            User.objects.create_user("other")
        if username:
            client.force_login(User.objects.get(username=username))
        page = client.get("/bots/lost/").content.decode()
        assert ("Traceback" in page) == (username == "owner")
        assert (f'href="/matches/{match.pk}/games/1/#end"' in page) == (username == "owner")
    assert "Traceback" not in client.get("/bots/found/").content.decode()


def test_the_way_to_upload_is_the_owners(client: Client) -> None:
    owner = User.objects.create_user("owner")
    bot = bot_services.create_bot(owner=owner, name="Gin")
    assert f"/bots/{bot.slug}/upload/" not in text_of(client.get(f"/bots/{bot.slug}/"))
    client.force_login(owner)
    assert f"/bots/{bot.slug}/upload/" in text_of(client.get(f"/bots/{bot.slug}/"))


def test_queries_do_not_grow_with_history(client: Client, ladder: Ladder) -> None:
    gin = make_version("Gin", User.objects.create_user("ada"))

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert client.get("/bots/gin/").status_code == 200
        return len(captured)

    finished(ladder, [gin, make_version("Rummy")], 4)
    few = queries()
    for number in range(10):
        newer = make_version("Gin", number=number + 2)
        finished(ladder, [newer, make_version(f"Other{number}")], number % 5)
    assert queries() == few


def test_a_bot_of_many_versions_shows_the_newest_and_the_way_to_the_others(client: Client) -> None:
    for number in range(1, 54):
        make_version("Gin", number=number)
    page = text_of(client.get("/bots/gin/"))
    assert page.count(">earlier<") == 49
    assert "<strong>v4</strong>" in page
    assert "<strong>v3</strong>" not in page
    older = client.get("/api/v1/bots/gin/versions?before=4")
    assert 'href="/api/v1/bots/gin/versions?before=4"' in page
    assert [version["number"] for version in older.json()["versions"]] == [3, 2, 1]


def test_a_chart_places_ratings_by_value() -> None:
    chart = rating_chart([1_500_000, 1_600_000, 1_550_000])
    assert chart is not None
    assert [tick.label for tick in chart.levels] == ["1500", "1525", "1550", "1575", "1600"]
    points = [tuple(map(float, point.split(","))) for point in chart.line.split()]
    assert [x for x, _ in points] == [46, 338, 630]
    # Higher ratings are higher up; 1550 is half-way between the outer levels.
    assert points[0][1] == chart.levels[0].at
    assert points[1][1] == chart.levels[-1].at
    assert points[2][1] == (points[0][1] + points[1][1]) / 2


def test_a_flat_or_a_long_history_makes_a_chart_too() -> None:
    flat = rating_chart([1_500_000, 1_500_000])
    assert flat is not None
    assert len(flat.levels) >= 2
    long = rating_chart([1_500_000 + n for n in range(5000)])
    assert long is not None
    assert len(long.line.split()) < 700
    assert rating_chart([1_500_000]) is None
