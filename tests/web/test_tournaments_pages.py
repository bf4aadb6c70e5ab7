"""The pages of tournaments: who sees what, who may do what, what a wrong form is told, and what a page costs."""

import csv
import datetime as dt
import io
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import Settings

from arena.bots.simple import Simple
from arena.local import LocalContestant
from arena.referee import play_match
from arena.rules import CLASSIC
from arena.tournament import DoubleElimination, GroupsThenKnockout, RoundRobin, SingleElimination, Swiss
from bots.refusals import Refusal
from ladder import services as ladder_services
from ladder.models import Ladder, Match
from ladder.urls import urlpatterns as ladder_addresses
from tests.web import cups
from tests.web.entering import author, logged_in, open_uploads, text_of
from tests.web.matches import claimed, make_ladder, make_version, record_of
from tournaments import crosstable, overview, queries, services, tasks
from tournaments.models import Fixture, Tournament

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def ladder(db: None) -> Ladder:
    open_uploads()
    return make_ladder()


@pytest.fixture
def staff() -> User:
    return User.objects.create_user("chief", is_staff=True)


@pytest.fixture
def ada() -> User:
    return author("ada")


def fields(ladder: Ladder, **changes: Any) -> dict[str, Any]:
    """The form as a browser sends it, for a Swiss."""
    values = {
        "name": "Spring cup",
        "description": "Bring *your* best.",
        "ladder": ladder.pk,
        "format": "swiss",
        "each": 3,
        "rounds": 5,
        "group_size": 4,
        "qualifiers": 2,
        "knockout_matches": 1,
        "seeding": "elo",
        "zone": "Europe/Berlin",
        "opens_at": "2026-01-10T12:00",
        "closes_at": "2096-07-10T20:00",
        "starts_at": "",
        "repeat_days": "",
        "who_enters": "anybody",
        "bots_per_author": 1,
        "max_entries": 32,
        "is_public": "on",
    }
    return {**values, **changes}


class TestSettingUp:
    def test_a_form_becomes_a_tournament_whose_times_are_those_of_the_zone(self, ada: User, ladder: Ladder) -> None:
        client = logged_in(ada)
        assert "Set up a tournament" in text_of(client.get("/tournaments/new/"))
        response: Any = client.post("/tournaments/new/", fields(ladder, publish=""))
        assert response["Location"] == "/tournaments/spring-cup/"
        made = Tournament.objects.get()
        assert made.chosen == Swiss(rounds=5, matches=3)
        assert made.closes_at == dt.datetime(2096, 7, 10, 18, 0, tzinfo=dt.UTC)
        assert made.starts_at == made.closes_at
        assert (made.state, made.creator) == (Tournament.State.OPEN, ada)
        page = text_of(Client().get("/tournaments/spring-cup/"))
        assert "2096-07-10 20:00 Europe/Berlin" in page
        assert "Entries are open; 0 of 32 places are taken." in page

    @pytest.mark.parametrize(
        ("chosen", "expected"),
        [
            ({"format": "round_robin"}, RoundRobin(matches=3)),
            ({"format": "double_round_robin"}, RoundRobin(matches=3, legs=2)),
            ({"format": "single_elimination"}, SingleElimination(matches=3)),
            ({"format": "double_elimination"}, DoubleElimination(matches=3)),
            (
                {"format": "groups_then_knockout", "knockout_matches": 5},
                GroupsThenKnockout(matches=3, knockout_matches=5),
            ),
        ],
    )
    def test_every_format_can_be_chosen_and_is_shown_again(
        self, ada: User, ladder: Ladder, chosen: dict[str, Any], expected: object
    ) -> None:
        client = logged_in(ada)
        client.post("/tournaments/new/", fields(ladder, **chosen))
        assert Tournament.objects.get().chosen == expected
        page = text_of(client.get("/tournaments/spring-cup/edit/"))
        assert f'<option value="{chosen["format"]}" selected>' in page
        assert 'value="2096-07-10T20:00"' in page

    @pytest.mark.parametrize(
        ("wrong", "says"),
        [
            ({"name": ""}, "Give it a name."),
            ({"name": "x" * 61}, "A name has at most 60 characters."),
            ({"each": 0}, "Choose 1 to 15."),
            ({"rounds": "many"}, "Choose 1 to 20."),
            ({"max_entries": 301}, "Choose 2 to 300."),
            ({"closes_at": "tomorrow"}, "Give a day and a time, as 2026-05-31 20:00."),
            ({"closes_at": "2026-01-10T11:00"}, "Entries close after they open."),
            ({"closes_at": "2026-01-10T13:00"}, "Entries close in the future."),
            ({"starts_at": "2096-07-10T19:59"}, "It starts when entries are closed, or later."),
            ({"format": "groups_then_knockout", "qualifiers": 4}, "Fewer go on than a group has."),
            ({"zone": "Mars/Olympus"}, "Select a valid choice."),
            ({"format": "chess"}, "Select a valid choice."),
        ],
    )
    def test_what_is_wrong_is_said_in_a_sentence(
        self, ada: User, ladder: Ladder, wrong: dict[str, Any], says: str
    ) -> None:
        response = logged_in(ada).post("/tournaments/new/", fields(ladder, **wrong))
        assert response.status_code == 422
        assert says in text_of(response)
        assert not Tournament.objects.exists()

    def test_what_the_format_does_not_have_is_not_looked_at(self, ada: User, ladder: Ladder) -> None:
        odd = {"rounds": "many", "group_size": "", "qualifiers": 9, "knockout_matches": 0}
        chosen = fields(ladder, format="double_elimination", **odd)
        assert logged_in(ada).post("/tournaments/new/", chosen).status_code == 302
        assert Tournament.objects.get().chosen == DoubleElimination(matches=3)

    def test_only_staff_makes_rated_ones(self, ada: User, staff: User, ladder: Ladder) -> None:
        assert "is_rated" not in text_of(logged_in(ada).get("/tournaments/new/"))
        logged_in(ada).post("/tournaments/new/", fields(ladder, is_rated="on"))
        assert not Tournament.objects.get().is_rated
        logged_in(staff).post("/tournaments/new/", fields(ladder, is_rated="on"))
        assert Tournament.objects.filter(is_rated=True).get().creator == staff
        with pytest.raises(Refusal, match="Only the staff's"):
            services.create(creator=ada, plan=cups.plan(RoundRobin(), is_rated=True))

    def test_an_account_has_a_few_at_a_time(self, ada: User, ladder: Ladder, settings: Settings) -> None:
        settings.ARENA_MAX_TOURNAMENTS = 1
        client = logged_in(ada)
        assert client.post("/tournaments/new/", fields(ladder)).status_code == 302
        refused = client.post("/tournaments/new/", fields(ladder))
        assert "You have 1 tournaments that are not over; the limit is 1." in text_of(refused)
        services.cancel(tournament=Tournament.objects.get())
        assert client.post("/tournaments/new/", fields(ladder)).status_code == 302

    def test_two_of_one_name_have_addresses_of_their_own(self, staff: User) -> None:
        slugs = [cups.opened(staff, RoundRobin()).slug for _ in range(3)]
        assert slugs == ["cup", "cup-2", "cup-3"]


class TestWhoSeesAndDoes:
    def test_visitors_are_asked_to_log_in(self, staff: User) -> None:
        cups.opened(staff, RoundRobin())
        for path in ("new/", "notices/", "cup/organize/", "cup/edit/"):
            assert Client().get(f"/tournaments/{path}")["Location"].startswith("/accounts/login/")
        assert "Log in</a> to enter a bot" in text_of(Client().get("/tournaments/cup/"))

    def test_others_organize_nothing(self, ada: User, staff: User) -> None:
        cups.opened(staff, RoundRobin())
        client = logged_in(ada)
        for path in ("organize/", "edit/"):
            assert client.get(f"/tournaments/cup/{path}").status_code == 403
        refused = client.post("/tournaments/cup/organize/", {"action": "cancel"})
        assert refused.status_code == 403
        assert "Only its creator and the staff can do that." in text_of(refused)
        assert Tournament.objects.get().state == Tournament.State.OPEN

    def test_a_draft_is_its_creators(self, ada: User) -> None:
        services.create(creator=ada, plan=cups.plan(RoundRobin()))
        assert Client().get("/tournaments/cup/").status_code == 404
        assert logged_in(author("eve")).get("/tournaments/cup/").status_code == 404
        assert logged_in(ada).get("/tournaments/cup/").status_code == 200
        assert "Drafts" in text_of(logged_in(ada).get("/tournaments/"))
        assert "Cup" not in text_of(Client().get("/tournaments/")).partition("<main")[2]

    def test_a_private_one_opens_for_its_code_and_stays_open(self, ada: User) -> None:
        made = cups.opened(ada, RoundRobin(), is_public=False)
        eve = author("eve")
        version = make_version("Eve", eve)
        client = logged_in(eve)
        for path in ("", "results.json", "?code=guess"):
            assert client.get(f"/tournaments/cup/{path}").status_code == 404
        assert client.post("/tournaments/cup/enter/", {"bot": "eve"}).status_code == 404
        with pytest.raises(Refusal, match="invitation code"):
            services.enter(user=eve, tournament=made, bot=version.bot, code="guess")
        assert client.get(f"/tournaments/cup/?code={made.code}").status_code == 200
        assert client.post("/tournaments/cup/enter/", {"bot": "eve"}).status_code == 302
        assert logged_in(eve).get("/tournaments/cup/").status_code == 200
        assert "/tournaments/cup/" in text_of(logged_in(eve).get("/tournaments/"))
        assert "/tournaments/cup/" not in text_of(Client().get("/tournaments/"))

    def test_the_matches_of_a_private_one_are_for_those_who_may_see_it(self, ada: User, staff: User) -> None:
        made = cups.opened(ada, RoundRobin(), is_public=False)
        for name in ("House", "Other"):
            services.enter(user=staff, tournament=made, bot=make_version(name).bot)
        services.enter(user=ada, tournament=made, bot=make_version("Mine", ada).bot)
        cups.make_due(made)
        tasks.run()
        claim = claimed(Match.objects.get())
        record = play_match(CLASSIC, claim.seed, LocalContestant(Simple), LocalContestant(Simple))
        assert ladder_services.finish_match(claim=claim, record=record)
        tasks.run()
        played, live = claim.match_id, claimed(Match.objects.get(state="queued")).match_id
        # Every address of a match there is, and the page of one that is being played. A picture is for other sites.
        values = {"match_id": played, "number": 1, "step": 1}
        pages = [f"/matches/{live}/"] + [
            reverse(f"ladder:{one.name}", kwargs={name: values[name] for name in one.pattern.converters})
            for one in ladder_addresses
            if "match_id" in one.pattern.converters and one.name != "picture"
        ]
        assert len(pages) > 8
        eve, invited = author("eve"), Client()
        invited.get(f"/tournaments/cup/?code={made.code}")
        for page in pages:
            assert Client().get(page).status_code == 404
            assert logged_in(eve).get(page).status_code == 404
            for client in (logged_in(ada), logged_in(staff), invited):
                response = client.get(page)
                # Nobody's cache may hand it on.
                assert (response.status_code, "Cookie" in response["Vary"]) == (200, True)
        for page in (f"matches/{played}", f"matches/{live}", f"matches/{played}/record"):
            assert logged_in(ada).get(f"/api/v1/{page}").status_code == 404
        for lists in ("/", "/now/", "/matches/", "/matches/?bot=mine", "/bots/mine/", "/bots/house/against/mine/"):
            assert re.findall(r"/matches/\d+/", text_of(logged_in(ada).get(lists))) == []
        assert Client().get("/api/v1/matches").json()["matches"] == []
        assert Client().get("/api/v1/matches?bot=mine").json()["matches"] == []

    def test_a_private_one_moves_no_ratings(self, staff: User, ladder: Ladder) -> None:
        shown = text_of(logged_in(staff).post("/tournaments/new/", fields(ladder, is_rated="on", is_public="")))
        assert "What moves ratings is for everybody to see" in shown

    def test_the_invitation_is_shown_to_organizers_alone(self, ada: User) -> None:
        made = cups.opened(ada, RoundRobin())
        assert made.code in text_of(logged_in(ada).get("/tournaments/cup/organize/"))
        assert made.code not in text_of(Client().get("/tournaments/cup/"))
        assert made.code not in text_of(Client().get("/tournaments/cup/results.json"))

    def test_ones_own_bots_enter_and_leave(self, ada: User, staff: User) -> None:
        cups.opened(staff, RoundRobin(), name="Cup")
        make_version("Mine", ada)
        make_version("Theirs", author("eve"))
        make_version("House")
        client = logged_in(ada)
        page = text_of(client.get("/tournaments/cup/"))
        assert '<option value="mine"' in page
        assert '<option value="house"' not in page
        assert client.post("/tournaments/cup/enter/", {"bot": "theirs"}).status_code == 422
        assert client.post("/tournaments/cup/enter/", {"bot": "mine"}).status_code == 302
        entry = Tournament.objects.get().entries.get()
        assert logged_in(author("bob")).post(f"/tournaments/cup/leave/{entry.pk}/").status_code == 403
        assert "Withdraw Mine?" in text_of(client.get(f"/tournaments/cup/leave/{entry.pk}/"))
        client.post(f"/tournaments/cup/leave/{entry.pk}/")
        assert not Tournament.objects.get().entries.exists()

    def test_what_cannot_enter_is_told_why(self, ada: User, staff: User) -> None:
        made = cups.opened(staff, RoundRobin(), max_entries=2, who_enters="invited")
        first, second = make_version("One", ada).bot, make_version("Two", ada).bot
        with pytest.raises(Refusal, match="not the invitation code"):
            services.enter(user=ada, tournament=made, bot=first, code="wrong")
        services.enter(user=ada, tournament=made, bot=first, code=made.code)
        with pytest.raises(Refusal, match="One is entered already"):
            services.enter(user=ada, tournament=made, bot=first, code=made.code)
        with pytest.raises(Refusal, match="An author may enter 1 here"):
            services.enter(user=ada, tournament=made, bot=second, code=made.code)
        services.enter(user=staff, tournament=made, bot=make_version("House").bot)
        eve = author("eve")
        with pytest.raises(Refusal, match="All 2 places are taken"):
            services.enter(user=eve, tournament=made, bot=make_version("Three", eve).bot, code=made.code)
        cups.make_due(made)
        with pytest.raises(Refusal, match="Entries are closed"):
            services.enter(user=eve, tournament=made, bot=make_version("Three", eve, 2).bot, code=made.code)

    def test_where_the_organizers_enter_authors_do_not(self, ada: User, staff: User) -> None:
        made = cups.opened(staff, RoundRobin(), who_enters="staff")
        with pytest.raises(Refusal, match="Only the organizers"):
            services.enter(user=ada, tournament=made, bot=make_version("One", ada).bot)


class TestOrganizing:
    def test_every_switch_has_its_button(self, staff: User) -> None:
        made = cups.opened(staff, SingleElimination())
        cups.entered(made, 4)
        cups.make_due(made)
        tasks.run()
        client = logged_in(staff)

        def press(**data: str) -> str:
            return text_of(client.post("/tournaments/cup/organize/", data, follow=True))

        assert "It is paused." in press(action="pause", note="Lunch.")
        assert "Lunch." in text_of(Client().get("/tournaments/cup/"))
        assert "It goes on." in press(action="resume")
        tasks.run()
        cups.play_queued()
        assert "Round 1 is played again; 2 results were set aside." in press(action="redo", round="1")
        entry = made.entries.get(bot=cups.bot(4))
        assert "Bot04 is disqualified." in press(action="disqualify", entry=str(entry.pk), note="Peeked.")
        assert "It is cancelled." in press(action="cancel", note="Rain.")
        assert "cancelled and cannot be paused" in press(action="pause")
        assert "not something that can be done" in press(action="explode")
        for number in ("x", "-1", "²", "٣", 5000 * "9"):
            assert "Choose a round." in press(action="redo", round=number)
            assert "Choose a bot." in press(action="disqualify", entry=number)

    def test_seeds_are_set_by_hand(self, staff: User) -> None:
        made = cups.opened(staff, RoundRobin())
        entries = cups.entered(made, 3)
        seeds = {f"seed-{entry.pk}": 4 - seed for seed, entry in enumerate(entries, start=1)}
        client = logged_in(staff)
        client.post("/tournaments/cup/organize/", {"action": "seeds", **seeds})
        cups.make_due(made)
        tasks.run()
        assert [entry.bot.slug for entry in made.entries.order_by("seed")] == ["bot03", "bot02", "bot01"]
        assert client.post("/tournaments/cup/organize/", {"action": "seeds"}).status_code == 422


class TestPages:
    def test_a_finished_one_shows_champion_standings_rounds_and_matches(self, ada: User, staff: User) -> None:
        made = cups.opened(staff, Swiss(rounds=3))
        cups.entered(made, 5)
        cups.make_due(made)
        cups.play_out(made)
        first = Match.objects.earliest("pk")
        made.fixtures.filter(pk=first.pk).update(most_moves=7, most_game=2, most_hand=2, most_step=9)
        page = text_of(Client().get("/tournaments/cup/"))
        report = page.partition('class="panel report"')[2].partition("</section>")[0]
        assert "Champion" in report
        assert "Bot01" in report
        assert "The longest game" in report
        assert f'href="/matches/{first.pk}/games/2/#9">7 moves in hand 2<' in report
        assert "Standings" in page
        assert "Cross table" in page
        rounds = text_of(Client().get("/tournaments/cup/rounds/1/"))
        for fixture in Fixture.objects.filter(round=1):
            assert f'href="/matches/{fixture.match_id}/"' in rounds
        assert "Bot05" in rounds.partition("byes")[2]
        assert Client().get("/tournaments/cup/rounds/9/").status_code == 404
        assert "Bot01" in text_of(Client().get("/tournaments/"))

    def test_a_page_refreshes_itself_only_while_it_runs(self, staff: User) -> None:
        made = cups.opened(staff, RoundRobin())
        cups.entered(made, 2)
        assert "hx-get" not in text_of(Client().get("/tournaments/cup/"))
        cups.make_due(made)
        tasks.run()
        page = text_of(Client().get("/tournaments/cup/"))
        again = re.search(r'hx-get="([^"]+)"', page)
        assert again is not None
        assert "Being played: Round 1, with 1 match to go." in page
        assert Client().get(again[1]).status_code == 204
        cups.play_queued()
        assert Client().get(again[1]).status_code == 200

    def test_a_knockout_shows_its_bracket_whose_boxes_open_the_matches(self, staff: User) -> None:
        made = cups.opened(staff, SingleElimination())
        cups.entered(made, 4)
        cups.make_due(made)
        cups.play_out(made)
        page = text_of(Client().get("/tournaments/cup/"))
        bracket = page.partition("data-bracket")[2].partition("</section>")[0]
        for match in Match.objects.all():
            assert f'href="/matches/{match.pk}/"' in bracket

    def test_the_match_page_and_lists_name_the_tournament(self, staff: User) -> None:
        made = cups.opened(staff, RoundRobin())
        cups.entered(made, 2)
        cups.make_due(made)
        cups.play_out(made)
        page = text_of(Client().get(f"/matches/{Match.objects.get().pk}/"))
        assert 'href="/tournaments/cup/"' in page
        assert ">tournament</span>" in text_of(Client().get("/matches/"))

    def test_notices_show_on_my_bots_and_can_be_turned_off(self, staff: User) -> None:
        made = cups.opened(staff, RoundRobin())
        cups.entered(made, 2)
        owner = cups.bot(1).owner
        assert owner is not None
        client = logged_in(owner)
        client.post("/tournaments/notices/", {"wanted": ["won-page"]})
        cups.make_due(made)
        cups.play_out(made)
        page = text_of(client.get("/my/"))
        assert "Bot01 won. Bot01 came in at 1 of 2." in page
        assert "is seeded" not in page
        assert 'value="won-page" aria-label="Who won: On this site" checked' in text_of(
            client.get("/tournaments/notices/")
        )

    def test_results_leave_as_json_and_csv_with_what_was_set_aside(self, staff: User) -> None:
        made = cups.opened(staff, SingleElimination())
        cups.entered(made, 4)
        cups.make_due(made)
        cups.play_out(made)
        services.redo_round(tournament=made, number=2)
        cups.play_out(made)
        stored = Client().get("/tournaments/cup/results.json").json()
        assert stored["champion"] == "bot01"
        assert [line["bot"] for line in stored["standings"]][:2] == ["bot01", "bot02"]
        assert [(row["round"], row["counts"]) for row in stored["matches"]] == [
            (1, True),
            (1, True),
            (2, False),
            (2, True),
        ]
        response: Any = Client().get("/tournaments/cup/results.csv")
        table = list(csv.DictReader(io.StringIO(response.content.decode())))
        assert [row["quarters"] for row in table] == ["4", "4", "4", "4"]
        assert {int(row["match"]) for row in table} == set(Match.objects.values_list("pk", flat=True))
        assert Client().get("/tournaments/cup/results.xml").status_code == 404

    def test_names_and_descriptions_are_never_markup(self, staff: User) -> None:
        cups.opened(staff, RoundRobin(), name="<b>Cup", description="<script>x</script>")
        response = Client().get("/tournaments/bcup/")
        assert b"<script>x" not in response.content
        assert b"<b>Cup" not in response.content

    def test_of_a_large_field_a_page_reads_one_round_and_no_result_twice(
        self, staff: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(overview, "MOST_PAIRINGS", 5)
        monkeypatch.setattr(overview, "MOST_LINKED", 5)
        monkeypatch.setattr(crosstable, "MOST_CELLS", 4)
        made = cups.opened(staff, RoundRobin())
        cups.entered(made, 4)
        cups.make_due(made)
        for _ in range(2):
            tasks.run()
            cups.play_queued()
        tasks.run()
        claim = claimed(Match.objects.filter(state="queued").earliest("pk"))
        assert ladder_services.finish_match(claim=claim, record=record_of(claim, 4))
        read = []
        for _ in range(2):
            with CaptureQueriesContext(connection) as caught:
                page = text_of(Client().get("/tournaments/cup/"))
            read.append("".join(query["sql"] for query in caught))
        assert ["ladder_seat" in sql for sql in read] == [True, False]
        links = set(re.findall(r"/matches/(\d+)/", page))
        assert links == {str(one.match_id) for one in Fixture.objects.filter(round=3)}
        assert 'href="/tournaments/cup/cross-table/1/1/"' in page
        assert all(f"/tournaments/cup/rounds/{number}/" in page for number in (1, 2, 3))

    def test_a_fold_that_takes_long_is_shown_for_a_while_but_not_past_what_organizers_do(
        self, staff: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(queries, "SLOW", 0)
        monkeypatch.setattr(queries, "STALE", 10**6)
        made = cups.opened(staff, RoundRobin())
        cups.entered(made, 4)
        cups.make_due(made)
        tasks.run()
        assert "Being played: Round 1, with 2 matches to go." in text_of(Client().get("/tournaments/cup/"))
        cups.play_queued()
        tasks.run()
        assert "Being played: Round 1, with 2 matches to go." in text_of(Client().get("/tournaments/cup/"))
        services.disqualify(entry=made.entries.get(bot=cups.bot(4)), reason="It peeked.")
        page = text_of(Client().get("/tournaments/cup/"))
        assert "Being played: Round 2" in page
        assert "Disqualified: It peeked." in page

    @pytest.mark.parametrize("path", ["", "rounds/1/", "results.json"])
    def test_a_page_costs_the_same_queries_however_many_play(self, staff: User, path: str) -> None:
        counts = []
        for number, size in enumerate((4, 10)):
            made = cups.opened(staff, RoundRobin(), name=f"Cup {number}")
            for index in range(size):
                services.enter(user=staff, tournament=made, bot=make_version(f"House{number}{index}").bot)
            cups.make_due(made)
            cups.play_out(made)
            with CaptureQueriesContext(connection) as caught:
                assert Client().get(f"/tournaments/{made.slug}/{path}").status_code == 200
            counts.append(len(caught))
        assert counts[0] == counts[1]

    def test_the_list_costs_the_same_queries_however_many_there_are(self, staff: User) -> None:
        counts = []
        for _ in range(2):
            for _ in range(3):
                cups.opened(staff, RoundRobin())
            with CaptureQueriesContext(connection) as caught:
                Client().get("/tournaments/")
            counts.append(len(caught))
        assert counts[0] == counts[1]
