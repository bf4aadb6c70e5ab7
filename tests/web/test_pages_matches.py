"""The list of matches and the page of one: the result in words, the states, and who sees what of a failure."""

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena.bot import GameStart
from arena.bots.random_bot import RandomBot
from arena.bots.simple import Simple
from bots.models import BotVersion
from ladder import services
from ladder.models import Ladder, Match
from tests.web.entering import text_of
from tests.web.games import Forgetful, played
from tests.web.matches import claimed, finished, make_ladder, make_version

pytestmark = pytest.mark.django_db


@pytest.fixture
def ladder() -> Ladder:
    return make_ladder()


@pytest.fixture
def versions() -> list[BotVersion]:
    return [make_version("Gin"), make_version("Rummy")]


def page_of(client: Client, match: Match) -> str:
    return text_of(client.get(f"/matches/{match.pk}/"))


@pytest.mark.parametrize(
    ("quarters", "verdict", "score", "reason"),
    [
        (4, "Gin beat Rummy.", "1", "Gin won 2\N{EN DASH}0 in games, which is worth the whole match."),
        (
            3,
            "Gin edged out Rummy.",
            "¾",
            "1\N{EN DASH}0 in games, the rest drawn: three quarters for Gin, one quarter for Rummy.",
        ),
        (2, "Gin and Rummy drew.", "½", "The games were shared and the points are equal (0 to 0 points)"),
        (
            1,
            "Rummy edged out Gin.",
            "¼",
            "1\N{EN DASH}0 in games, the rest drawn: three quarters for Rummy, one quarter for Gin.",
        ),
        (0, "Rummy beat Gin.", "0", "Rummy won 2\N{EN DASH}0 in games, which is worth the whole match."),
    ],
)
def test_the_score_is_explained(
    client: Client, ladder: Ladder, versions: list[BotVersion], quarters: int, verdict: str, score: str, reason: str
) -> None:
    page = page_of(client, finished(ladder, versions, quarters))
    assert verdict in page
    assert reason in page
    assert f"<dd>{score}</dd>" in page


def test_shared_games_with_unequal_points_are_explained_by_the_points(
    client: Client, ladder: Ladder, versions: list[BotVersion]
) -> None:
    # Simple plays itself: with mirrored decks the games are shared or not; the first decks that share them unevenly do.
    for decks in range(1, 40):
        match = played(ladder, versions, (Simple, Simple), decks=decks)
        seats = list(match.seats.order_by("index"))
        if seats[0].games_won == 1 and seats[0].score_quarters in (1, 3):
            break
    else:
        pytest.fail("No decks shared the games unevenly.")
    better, worse = sorted(seats, key=lambda seat: -seat.points)
    said = f"{better.version.bot.name} scored more over both ({better.points} to {worse.points} points)"
    assert said in page_of(client, match)


class Breaking(Simple):
    """Plays its first game, and fails at the start of every other."""

    games = 0

    def start_game(self, start: GameStart) -> None:
        type(self).games += 1
        if self.games > 1:
            raise RuntimeError("worn out")


def test_shared_games_are_explained_by_the_fault_where_one_bot_alone_failed(
    client: Client, ladder: Ladder, versions: list[BotVersion]
) -> None:
    match = played(ladder, versions, (Breaking, RandomBot))
    first, second = match.seats.order_by("index")
    assert first.points > second.points
    assert second.score_quarters == 3
    said = "The games were shared, and Gin alone failed in one: three quarters for Rummy, one for Gin."
    assert said in page_of(client, match)


def test_the_page_shows_games_points_and_rating_changes(
    client: Client, ladder: Ladder, versions: list[BotVersion]
) -> None:
    match = played(ladder, versions, (Simple, RandomBot))
    page = page_of(client, match)
    for game in match.games.all():
        assert f"Gin {game.score_a}</span>" in page
        assert f"{game.score_b} Rummy</span>" in page
        assert f'href="/matches/{match.pk}/games/{game.number + 1}/"' in page
    for change in match.rating_changes.all():
        sign = "+" if change.delta_milli > 0 else "\N{MINUS SIGN}"
        assert f"{sign}{abs(change.delta_milli) / 1000:.1f}</span> from 1500" in page
    assert match.seed in page


def test_an_unrated_match_shows_no_rating(client: Client, ladder: Ladder, versions: list[BotVersion]) -> None:
    page = page_of(client, finished(ladder, versions, 4, is_rated=False))
    assert "unrated" in page
    assert "Rating" not in page


def test_a_queued_match_says_what_it_waits_for(client: Client, ladder: Ladder, versions: list[BotVersion]) -> None:
    match = services.enqueue_match(ladder=ladder, versions=versions)
    page = page_of(client, match)
    assert "Waiting for a worker." in page
    assert 'hx-trigger="every 3s"' in page


def test_a_running_match_gives_nothing_away(client: Client, ladder: Ladder, versions: list[BotVersion]) -> None:
    match = services.enqueue_match(ladder=ladder, versions=versions)
    seed = claimed(match).seed.hex()
    paths = [f"/matches/{match.pk}/", "/matches/", "/", "/bots/gin/"]
    paths += [f"/matches/{match.pk}/games/{n}/{end}" for n in (0, 1, 2) for end in ("", "steps.json")]
    for path in paths:
        response = client.get(path)
        assert response.status_code == (404 if "games" in path else 200)
        assert seed not in response.content.decode()
    assert "Being played right now." in page_of(client, match)


def test_a_void_match_blames_nobody(client: Client, ladder: Ladder, versions: list[BotVersion]) -> None:
    match = services.enqueue_match(ladder=ladder, versions=versions)
    services.void_match(match_id=match.pk, error="DockerError: /var/run/docker.sock is gone")
    page = page_of(client, match)
    assert "counts for nobody" in page
    assert "docker.sock" not in page


def test_htmx_gets_the_part_that_changes(client: Client, ladder: Ladder, versions: list[BotVersion]) -> None:
    match = finished(ladder, versions, 4)
    part = client.get(f"/matches/{match.pk}/", headers={"HX-Request": "true"}).content.decode()
    assert part.lstrip().startswith('<div id="match">')
    assert "hx-get" not in part
    assert "<html" not in part


@pytest.fixture
def faulty(ladder: Ladder) -> Match:
    owner = User.objects.create_user("owner")
    return played(ladder, [make_version("Lost", owner), make_version("Found")], (Forgetful, Simple))


def test_everybody_reads_who_failed_and_why(client: Client, faulty: Match) -> None:
    page = client.get(f"/matches/{faulty.pk}/").content.decode()
    assert "<strong>Lost raised an exception</strong> and forfeited the game." in page
    assert "KeyError" in page
    for secret in ("Traceback", "where was I?", "games.py", "Only its author"):
        assert secret not in page


@pytest.mark.parametrize("who", ["owner", "staff"])
def test_the_owner_reads_the_traceback_and_the_prints(client: Client, faulty: Match, who: str) -> None:
    if who == "staff":
        User.objects.create_user("staff", is_staff=True)
    client.force_login(User.objects.get(username=who))
    page = client.get(f"/matches/{faulty.pk}/").content.decode()
    assert "Traceback (most recent call last)" in page
    assert "&lt;b&gt;where was I?&lt;/b&gt;" in page
    assert "<b>where" not in page


def test_another_author_reads_as_little_as_anybody(client: Client, faulty: Match) -> None:
    client.force_login(User.objects.create_user("other"))
    page = client.get(f"/matches/{faulty.pk}/").content.decode()
    assert "Traceback" not in page
    assert "where was I?" not in page


def test_the_list_pages_by_key_and_shows_each_match_once(
    client: Client, ladder: Ladder, versions: list[BotVersion]
) -> None:
    pks = [finished(ladder, versions, 4, is_rated=False).pk for _ in range(53)]
    seen: list[int] = []
    path = "/matches/"
    while path:
        page = text_of(client.get(path))
        seen += [pk for pk in sorted(pks, reverse=True) if f'href="/matches/{pk}/"' in page]
        link = page.partition('rel="next" href="')[2].partition('"')[0]
        path = f"/matches/{link}" if link else ""
    assert seen == sorted(pks, reverse=True)


def test_the_list_of_one_bot_holds_its_matches_alone(client: Client, ladder: Ladder) -> None:
    a, b, c = (make_version(name) for name in "abc")
    mine, others = finished(ladder, [a, b], 4), finished(ladder, [b, c], 4)
    page = text_of(client.get("/matches/?bot=a"))
    assert f'href="/matches/{mine.pk}/"' in page
    assert f'href="/matches/{others.pk}/"' not in page


@pytest.mark.parametrize(
    "query", ["before=x", "before=-1", "before=" + 5000 * "9", "before=%00", "bot=nobody", "bot=%00"]
)
def test_a_malformed_address_is_no_page(client: Client, query: str) -> None:
    assert client.get(f"/matches/?{query}").status_code == 404


def test_a_huge_key_is_an_empty_page_and_no_error(client: Client) -> None:
    assert client.get("/matches/?before=99999999999999999999999").status_code == 404
    assert client.get("/matches/99999999999999999999999/").status_code == 404


def queries(client: Client, path: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(path).status_code == 200
    return len(captured)


def test_queries_do_not_grow_with_the_list(client: Client, ladder: Ladder) -> None:
    pair = [make_version("a"), make_version("b")]
    first = finished(ladder, pair, 3)
    paths = ("/matches/", "/matches/?ladder=classic", "/matches/?bot=a", "/bots/a/against/b/", f"/matches/{first.pk}/")

    def counts() -> dict[str, int]:
        services.tally_all(ladder=ladder)
        return {path: queries(client, path) for path in paths}

    few = counts()
    for number in range(10):
        finished(ladder, [make_version(f"c{number}"), make_version(f"d{number}")], number % 5)
        finished(ladder, [make_version(name, number=number + 2) for name in "ab"], number % 5)
    assert counts() == few
    assert max(few.values()) <= 10


def test_queries_do_not_grow_with_the_game(client: Client, ladder: Ladder) -> None:
    pair = [make_version("a"), make_version("b")]
    short, long = played(ladder, pair, (Forgetful, RandomBot)), played(ladder, pair, (Simple, RandomBot))
    hands = [sum(match.games.values_list("hands", flat=True)) for match in (short, long)]
    assert hands[0] <= 2 < 5 < hands[1]
    for path in ("", "games/1/", "games/1/steps.json", "games/2/"):
        of_short, of_long = (queries(client, f"/matches/{match.pk}/{path}") for match in (short, long))
        assert of_short == of_long <= 7
