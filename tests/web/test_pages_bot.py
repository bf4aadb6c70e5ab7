"""A bot's page: standing, history, opponents, versions, and to its owner its failures."""

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena.bots.random_bot import RandomBot
from arena.bots.simple import Simple
from bots import services as bot_services
from bots.models import Bot, BotVersion
from ladder import services
from ladder.bot_stats import Order, opponents_page
from ladder.charts import Span, half_interval, rating_chart, time_histogram
from ladder.models import BotLog, Fault, Ladder, Meeting, Rating, Tally
from ladder.styles import Style, bin_limit
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
    services.tally_all(ladder=ladder)
    page = text_of(client.get("/bots/gin/"))
    assert "By ada" in page
    assert f"<dd>{rating.points} <small>provisional</small></dd>" in page
    assert "<dd>2 \N{EN DASH} 1 \N{EN DASH} 1 <small>62\N{NO-BREAK SPACE}% won</small></dd>" in page
    assert "Elo over 4 rated matches" in page
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
        fault = Fault.objects.get(game__number=0)
        assert fault.step
        assert (f'href="/matches/{match.pk}/games/1/#{fault.step}"' in page) == (username == "owner")
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
        services.tally_all(ladder=ladder)
        with CaptureQueriesContext(connection) as captured:
            assert client.get("/bots/gin/").status_code == 200
        return len(captured)

    finished(ladder, [gin, make_version("Rummy")], 4)
    few = queries()
    for number in range(10):
        newer = make_version("Gin", number=number + 2)
        finished(ladder, [newer, make_version(f"Other{number}")], number % 5)
    assert queries() == few
    assert few <= 13


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


def test_a_chart_places_versions_ratings_and_intervals() -> None:
    first = Span(1, [(0, 1500.0), (1, 1600.0), (2, 1550.0)], None)
    second = Span(2, [(0, 1550.0), (2, 1550.0)], 50.0)
    chart = rating_chart([first, second])
    assert chart is not None
    assert [mark.label for mark in chart.marks] == ["v1", "v2"]
    assert [tick.label for tick in chart.levels] == ["1450", "1500", "1550", "1600", "1650"]
    level = {int(tick.label): tick.at for tick in chart.levels}
    points = [[tuple(map(float, point.split(","))) for point in line.split()] for line in chart.lines]
    assert points[0] == [(58, level[1500]), (201, level[1600]), (344, level[1550])]
    assert points[1] == [(344, level[1550]), (630, level[1550])]
    (band,) = ([tuple(map(float, point.split(","))) for point in each.split()] for each in chart.bands)
    # As wide as the interval where the version stands, and as the picture where nothing was known of it.
    assert (band[1], band[2]) == ((630, level[1600]), (630, level[1500]))
    assert (band[0], band[3]) == ((344, level[1650]), (344, level[1450]))
    assert (chart.matches, chart.lowest, chart.highest, chart.last) == (4, 1500, 1600, 1550)


def test_the_interval_narrows_with_the_root_of_the_matches() -> None:
    span = Span(1, [(0, 1500.0), (400, 1500.0)], 20.0)
    assert half_interval(span, 400) == pytest.approx(20)
    assert half_interval(span, 100) == pytest.approx(40, rel=0.01)
    assert half_interval(span, 0) == pytest.approx(588)


def test_a_flat_or_a_long_history_makes_a_chart_too() -> None:
    flat = rating_chart([Span(1, [(0, 1500.0), (1, 1500.0)], None)])
    assert flat is not None
    assert len(flat.levels) >= 2
    assert flat.marks == ()
    long = rating_chart([Span(n, [(m, 1500.0 + m) for m in range(130)], 30.0) for n in range(1, 51)])
    assert long is not None
    assert sum(len(line.split()) for line in long.lines) < 500
    assert 1 < sum(bool(mark.label) for mark in long.marks) < 30
    assert rating_chart([Span(1, [(0, 1500.0)], None)]) is None


def test_decision_times_are_told_in_classes() -> None:
    times = time_histogram([0] * 4 + [30, 60, 10] + [0] * 10, [bin_limit(place) for place in range(17)])
    assert times is not None
    assert (times.total, times.half, times.most) == (100, "3.2\N{NO-BREAK SPACE}ms", "10\N{NO-BREAK SPACE}ms")
    assert [bar.label.rpartition(": ")[2] for bar in times.bars[-2:]] == [
        "60.0 % of the decisions",
        "10.0 % of the decisions",
    ]
    assert max(times.bars, key=lambda bar: bar.height).label.startswith("1\N{NO-BREAK SPACE}ms to 3.2")
    assert time_histogram([0] * 17, [1.0] * 17) is None


def test_opponents_are_sorted_by_any_column_and_come_in_pages(client: Client, ladder: Ladder) -> None:
    gin = make_version("Gin")
    for name, quarters in (("Weak", [4, 4, 2]), ("Strong", [0, 4]), ("Mid", [3])):
        other = make_version(name)
        for each in quarters:
            finished(ladder, [gin, other], each)
    services.tally_all(ladder=ladder)

    def order(by: str) -> list[str]:
        page = client.get(f"/bots/gin/?by={by}").content.decode()
        table = page.partition('id="opponents-panel"')[2].partition("</tbody>")[0]
        return re.findall(r'<th scope="row"><a href="/bots/([a-z]+)/">', table)

    assert order("") == order("-matches") == ["weak", "strong", "mid"]
    assert order("name") == ["mid", "strong", "weak"]
    assert order("-score") == ["weak", "mid", "strong"]
    surprises = {
        Bot.objects.get(pk=row.opponent_id).slug: row.quarters / 4 - row.expected / 1_000_000
        for row in Meeting.objects.filter(bot=gin.bot)
    }
    assert order("-surprise") == sorted(surprises, key=lambda slug: -surprises[slug])
    page = client.get("/bots/gin/?by=surprise").content.decode()
    assert 'aria-sort="ascending"' in page
    assert f">{surprises['weak']:+.1f}<".replace("-", "\N{MINUS SIGN}") in page
    pages = [opponents_page(gin.bot, ladder, Order(), number, size=2) for number in (1, 2)]
    assert [[row.slug for row in each.rows] for each in pages] == [["weak", "strong"], ["mid"]]
    assert [each.has_next for each in pages] == [True, False]
    for wrong in ("by=pk", "by=-", "page=0", "page=x", "page=99999", "page=-1", "page=²"):
        assert client.get(f"/bots/gin/?{wrong}").status_code == 404


def test_the_page_says_how_the_bot_plays_and_its_best_and_worst(client: Client, ladder: Ladder) -> None:
    gin, rummy = make_version("Gin"), make_version("Rummy")
    won = played(ladder, [gin, rummy], (Simple, RandomBot))
    lost = played(ladder, [gin, rummy], (RandomBot, Simple), decks=2)
    services.tally_all(ladder=ladder)
    page = text_of(client.get("/bots/gin/"))
    style = Style.parse(Tally.objects.get(rating__version=gin).style)
    knocks = f"{100 * style.knocks / style.hands:.0f}\N{NO-BREAK SPACE}%"
    assert f'Hands ended by its knock</th><td class="num">{knocks}' in page
    assert f'Deadwood left when a hand ends</th><td class="num">{style.deadwood / style.hands:.1f}</td>' in page
    assert "Thinking time of a decision" in page
    assert "Deals first" in page
    assert f'<dt>Best win</dt><dd><a href="/matches/{won.pk}/">against Rummy</a>' in page
    assert f'<dt>Worst loss</dt><dd><a href="/matches/{lost.pk}/">against Rummy</a>' in page


HOSTILE = "<img src=x onerror=alert(1)>\"'&{{ 7*7 }}"


def test_what_people_typed_is_text(client: Client, ladder: Ladder) -> None:
    owner = User.objects.create_user("owner")
    gin = make_version("Gin", owner, source=f"# {HOSTILE}\nprint(r'''{HOSTILE}''')\n")
    other = make_version("Rummy")
    BotVersion.objects.filter(pk=gin.pk).update(note=HOSTILE, is_source_public=True, filename=HOSTILE)
    match = played(ladder, [gin, other], (Forgetful, Simple))
    services.tally_all(ladder=ladder)
    Bot.objects.filter(pk=gin.bot_id).update(state=Bot.State.BENCHED, benched_reason=HOSTILE)
    Bot.objects.filter(pk=other.bot_id).update(name=HOSTILE[:40])
    Fault.objects.update(message=HOSTILE, traceback=HOSTILE, file=HOSTILE)
    BotLog.objects.update(text=HOSTILE)
    client.force_login(owner)
    for address in ("/bots/gin/", "/my/", "/bots/gin/versions/1/", f"/matches/{match.pk}/"):
        page = client.get(address).content.decode()
        assert "&lt;img src=x onerror=alert(1)" in page
        assert "<img src=x" not in page
        assert "49" not in re.findall(r"&amp;(\d+)", page)
