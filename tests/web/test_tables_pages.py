"""The pages of a game against a bot: choosing one, what an action answers, who may act, the replay."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tables.games import read
from tables.models import Table
from tests.web.entering import logged_in, open_uploads, text_of
from tests.web.hosting import choice, dealt, moved, played_out, reread, seated
from tests.web.matches import make_ladder, make_version

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _seated(monkeypatch: pytest.MonkeyPatch) -> None:
    open_uploads()
    make_ladder()
    make_version("Novice")
    seated(monkeypatch)


@pytest.fixture
def browser() -> Client:
    return Client()


def deal(browser: Client, **fields: str) -> Any:
    return browser.post("/play/", {"bot": "novice", "rules": "classic", "length": "game"} | fields)


def opened(browser: Client) -> Table:
    """A table of the browser's, in which the person is to act."""
    deal(browser)
    Table.objects.update(seat=1, seed=bytes(32).hex())
    return reread(Table.objects.get())


def acted(browser: Client, table: Table, word: str, at: int | None = None) -> HttpResponse:
    at = table.moves if at is None else at
    return browser.post(f"{table.get_absolute_url()}act/", {"action": word, "at": at})  # type: ignore[return-value]


class TestDealing:
    def test_nobody_needs_an_account_and_the_browser_is_known_again(self, browser: Client) -> None:
        page = browser.get("/play/")
        assert "A beginner that sees its melds" in text_of(page)
        assert "player" not in page.cookies
        table = opened(browser)
        cookie = browser.cookies["player"]
        assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
        assert table.player not in table.get_absolute_url()
        assert table.get_absolute_url() in text_of(browser.get("/play/"))
        assert table.get_absolute_url() not in text_of(Client().get("/play/"))
        assert len(table.token) == 22

    def test_games_of_an_account_are_listed_wherever_it_logs_in(self) -> None:
        user = User.objects.create_user("ada")
        deal(logged_in(user))
        assert Table.objects.get().get_absolute_url() in text_of(logged_in(user).get("/play/"))

    def test_a_cookie_of_ones_own_making_is_nobody(self, browser: Client) -> None:
        table = opened(browser)
        forger = Client()
        forger.cookies["player"] = table.player
        assert acted(forger, table, "p").status_code == 403

    @pytest.mark.parametrize(
        ("fields", "said"),
        [
            ({"bot": "nobody"}, "Choose a bot to play against."),
            ({"name": "Nobody"}, "No bot named Nobody plays at the moment."),
            ({"rules": "poker"}, "No ladder is played by such rules."),
        ],
    )
    def test_what_cannot_be_dealt_is_said(self, browser: Client, fields: dict[str, str], said: str) -> None:
        page = deal(browser, **fields)
        assert page.status_code == 422
        assert said in text_of(page)
        assert not Table.objects.exists()

    def test_any_bot_of_the_ladder_by_its_name_and_from_its_page(self, browser: Client) -> None:
        version = make_version("Fizz", User.objects.create_user("ada"))
        assert "/play/?bot=fizz" in text_of(browser.get("/bots/fizz/"))
        assert 'value="Fizz"' in text_of(browser.get("/play/?bot=fizz"))
        assert "Fizz" in text_of(browser.get("/play/names/?name=iz"))
        deal(browser, name="fizz")
        assert Table.objects.get().version == version

    def test_a_full_site_says_so(self, browser: Client, settings: Any) -> None:
        settings.ARENA_MAX_TABLES = 0
        page = deal(browser)
        assert (page.status_code, "All tables are taken" in text_of(page)) == (422, True)


class TestActing:
    def test_an_action_answers_with_the_state_and_twice_is_once(self, browser: Client) -> None:
        table = opened(browser)
        answer = acted(browser, table, "p")
        assert answer.status_code == 200
        assert answer.json()["moves"] == 1  # type: ignore[attr-defined]
        again = acted(browser, table, "p")
        assert (again.status_code, again.json()["moves"]) == (409, 1)  # type: ignore[attr-defined]

    def test_a_refusal_is_the_rules_sentence(self, browser: Client) -> None:
        table = opened(browser)
        answer = acted(browser, table, "s")
        assert answer.status_code == 422
        assert answer.json()["refused"] == "The offer of the first upcard is answered by taking it or passing."  # type: ignore[attr-defined]

    def test_others_may_look_and_not_play(self, browser: Client) -> None:
        table = opened(browser)
        other = Client()
        state = other.get(f"{table.get_absolute_url()}state.json").json()
        assert (state["is_mine"], state["choices"]) == (False, None)
        assert "Only whoever began" in acted(other, table, "p").json()["refused"]  # type: ignore[attr-defined]
        assert other.post(f"{table.get_absolute_url()}resign/").status_code == 403
        assert reread(table).is_live
        assert "You look over the player" in text_of(other.get(table.get_absolute_url()))

    def test_every_answer_costs_the_same_however_long_the_game(self, browser: Client) -> None:
        table = moved(opened(browser))  # from here on the person's time is counted

        def cost(path: str) -> int:
            with CaptureQueriesContext(
                connection,
            ) as captured:
                assert browser.get(path).status_code == 200
            return len(captured)

        state = f"{table.get_absolute_url()}state.json"
        before = cost(state), cost("/play/")
        moved(moved(moved(table)))
        assert (cost(state), cost("/play/")) == before
        assert before[0] <= 3

    def test_the_keys_are_those_of_its_rules(self, browser: Client) -> None:
        version = make_version("Gin Fizz")
        for rule_set, has_big_gin in (("classic", False), ("oklahoma", True)):
            page = text_of(browser.get(dealt(version=version, rule_set=rule_set).get_absolute_url()))
            assert ("declare big gin" in page) is has_big_gin

    def test_the_page_itself_holds_no_card(self, browser: Client) -> None:
        table = opened(browser)
        page = text_of(browser.get(table.get_absolute_url()))
        assert table.seed not in page
        assert not re.search(r'"[2-9TJQKA][cdhs]"', page)
        assert "Playing needs JavaScript" in page


class TestAfterwards:
    def test_the_replay_opens_once_the_game_is_over(self, browser: Client) -> None:
        table = opened(browser)
        replay = f"{table.get_absolute_url()}replay/"
        for path in ("", "steps.json", "decisions/1.json"):
            assert browser.get(replay + path).status_code == 404
        Table.objects.update(is_quick=True)
        table = played_out(reread(table), choice)
        page = text_of(browser.get(replay))
        assert "The visitor" in page
        steps = browser.get(f"{replay}steps.json").json()["steps"]
        assert steps[-1]["scores"] == list(read(table).game.totals)
        assert browser.get(f"{replay}decisions/0.json").json()["adviser"]["bot"] == "sharp"
        assert "Replay" not in text_of(Client().get("/matches/"))
        outcome = text_of(browser.get("/play/"))
        assert reread(table).outcome in outcome

    def test_no_public_list_knows_of_it(self, browser: Client) -> None:
        table = played_out(dealt(is_quick=True))
        for path in ("/", "/matches/", "/now/", "/api/v1/matches"):
            answer = browser.get(path)
            assert table.token not in answer.content.decode(errors="replace")


def test_the_staff_sees_how_games_go_and_no_cards(browser: Client, admin_client: Client) -> None:
    table = opened(browser)
    listed = text_of(admin_client.get("/admin/tables/table/"))
    row = text_of(admin_client.get(f"/admin/tables/table/{table.pk}/change/"))
    assert "Novice" in listed
    assert "Novice" in row
    assert not [secret for secret in (table.token, table.seed, table.player, table.origin) if secret in listed + row]
