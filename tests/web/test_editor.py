"""A bot is written in the browser: where it begins, what trying it out shows and to whom, and how it is submitted."""

import html
import inspect
import json
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

import arena
from arena.bots import house_source, starter_source
from arena.bots.random_bot import RandomBot
from arena.bots.simple import Simple
from arena.local import LocalContestant
from arena.player import HouseFailure
from arena.record import MatchRecord
from arena.referee import play_match
from arena.rules import CLASSIC
from bots import closing, services, tasks, trials
from bots.models import Bot, BotVersion, Trial
from bots.queries import source_of
from bots.refusals import Refusal
from ladder.models import Match, Seat
from sandbox.drivers.base import Limits
from tests.sandbox.faulty import PLAYS
from tests.sandbox.uploads import zipped
from tests.web.entering import FakeDriver, author, entered, logged_in, open_uploads, text_of
from tests.web.games import Forgetful

HTMX = {"HX-Request": "true"}
WRITE = "/bots/new/write/"


@pytest.fixture
def ada(db: None) -> User:
    open_uploads()
    return author()


@pytest.fixture
def client(ada: User) -> Client:
    return logged_in(ada)


def _plays(monkeypatch: pytest.MonkeyPatch, outcome: Callable[[], MatchRecord]) -> None:
    """Let the sandbox's match come to this."""
    monkeypatch.setattr("bots.sandboxes.get_driver", FakeDriver)
    monkeypatch.setattr(tasks, "play_match", lambda *_args, **_kwargs: outcome())


def _between(draft: type[arena.Bot]) -> MatchRecord:
    return play_match(CLASSIC, bytes(32), LocalContestant(draft), LocalContestant(RandomBot))


def _tried(client: Client, code: str = PLAYS, opponent: str = "random") -> Any:
    return client.post(WRITE, {"try": "1", "code": code, "opponent": opponent}, headers=HTMX)


def _text_area(page: str) -> str:
    found = re.search(r"<textarea[^>]*>\n(.*?)</textarea>", page, re.DOTALL)
    assert found
    return html.unescape(found[1])


class TestWriting:
    def test_it_begins_from_the_starter_or_a_house_bot(self, client: Client) -> None:
        assert _text_area(client.get(WRITE).content.decode()) == starter_source()
        assert _text_area(client.get(f"{WRITE}?start=greedy").content.decode()) == house_source("greedy")
        assert client.get("/starts/greedy.py").content.decode() == house_source("greedy")
        assert client.get("/starts/starter.py").content.decode() == starter_source()
        assert client.get(f"{WRITE}?start=nobody").status_code == 404
        assert client.get("/starts/nobody.py").status_code == 404

    def test_a_new_version_begins_from_the_newest_one(self, ada: User, client: Client) -> None:
        entered(ada, text="# mine\n" + PLAYS)
        assert _text_area(client.get("/bots/gin-fizz/write/").content.decode()) == "# mine\n" + PLAYS
        assert logged_in(author("eve")).get("/bots/gin-fizz/write/").status_code == 403

    def test_a_zip_is_not_taken_apart(self, ada: User, client: Client) -> None:
        data = zipped({"bot.py": PLAYS.encode(), "other.py": b""})
        services.enter_bot(owner=ada, name="Gin Fizz", filename="b.zip", data=data)
        page = client.get("/bots/gin-fizz/write/").content.decode()
        assert "Version 1 came as a zip" in page
        assert _text_area(page) == starter_source()

    def test_what_is_submitted_is_stored_as_it_was_typed(self, client: Client) -> None:
        sent = {"name": "Gin Fizz", "note": "first", "code": PLAYS.replace("\n", "\r\n")}
        response = client.post(WRITE, sent)
        version = BotVersion.objects.get()
        assert response.url == version.get_absolute_url()  # type: ignore[attr-defined]
        assert dict(source_of(version).files) == {"bot.py": PLAYS}
        assert (version.bot.name, version.note) == ("Gin Fizz", "first")

    def test_a_refused_text_is_still_there(self, ada: User, client: Client) -> None:
        entered(ada)
        page = client.post("/bots/gin-fizz/write/", {"code": PLAYS, "note": "again"})
        assert page.status_code == 422
        assert "the same as version 1" in text_of(page)
        assert _text_area(page.content.decode()) == PLAYS
        assert 'value="again"' in page.content.decode()

    def test_a_rejected_version_is_corrected_at_its_line(self, ada: User, client: Client) -> None:
        version = entered(ada)
        failed = {"name": "load", "ok": False, "message": "bad <b>", "line": 3, "file": "bot.py", "traceback": "frames"}
        report = {"checks": [failed]}
        BotVersion.objects.filter(pk=version.pk).update(state=BotVersion.State.REJECTED, report=report)
        address = "/bots/gin-fizz/write/?start=v1"
        page = text_of(client.get(address))
        assert "bad &lt;b>" in page
        assert '[{"line": 3, "message": "bad &lt;b>"}]' in page
        failed["code"] = ""
        BotVersion.objects.filter(pk=version.pk).update(report=report)
        assert f'href="{address}"' in client.get("/bots/gin-fizz/versions/1/").content.decode()


class TestTrial:
    def test_it_shows_the_match_to_its_author_alone(self, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        page = text_of(_tried(client))
        assert "Waiting for a free worker" in page
        trial = Trial.objects.get()
        assert f'hx-get="/my/trials/{trial.pk}/"' in page
        record = _between(Simple)
        _plays(monkeypatch, lambda: record)
        tasks.play_trial(trial.pk)
        page = text_of(client.get(f"/my/trials/{trial.pk}/", headers=HTMX))
        assert "hx-get" not in page
        won, lost = record.games_won()
        mine, theirs = record.points()
        assert won > lost
        assert f"Your draft beat Random: {won} to {lost} in games, {mine} to {theirs} in points." in page
        replay = f"/my/trials/{trial.pk}/games/1/"
        assert f'src="{replay}#0"' in page
        frame = client.get(replay)
        assert frame["X-Frame-Options"] == "SAMEORIGIN"
        assert "frame-ancestors 'self'" in frame["Content-Security-Policy"]
        assert f'data-steps="{replay}steps.json"' in frame.content.decode()
        told = client.get(f"{replay}steps.json").json()
        assert told["names"] == ["Your draft", "Random"]
        assert len(told["steps"]) == len(record.games[0].hands) + sum(len(h.times) for h in record.games[0].hands)
        for path in (f"/my/trials/{trial.pk}/", replay, f"{replay}steps.json"):
            assert logged_in(User.objects.get_or_create(username="eve")[0]).get(path).status_code == 404
            assert Client().get(path).status_code == 302
        assert client.get(f"/my/trials/{trial.pk}/games/3/").status_code == 404

    def test_it_is_in_no_list_and_rates_nobody(self, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        _tried(client)
        _plays(monkeypatch, lambda: _between(Simple))
        tasks.play_trial(Trial.objects.get().pk)
        assert Trial.objects.get().state == Trial.State.FINISHED
        assert not Match.objects.exists()
        assert not Seat.objects.exists()
        assert not Bot.objects.filter(is_house=False).exists()

    def test_a_fault_shows_its_traceback_and_marks_its_line(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        _tried(client)
        record = _between(Forgetful)
        _plays(monkeypatch, lambda: record)
        trial = Trial.objects.get()
        tasks.play_trial(trial.pk)
        page = client.get(f"/my/trials/{trial.pk}/", headers=HTMX).content.decode()
        fault = record.games[0].faults[0]
        assert "Your draft failed in every game against Random." in page
        assert html.escape(fault.message) in page
        assert html.escape(fault.traceback.strip().splitlines()[-1]) in page
        assert "&lt;b&gt;where was I?&lt;/b&gt;" in page
        assert "<b>where" not in page
        found = re.search(r'data-problems="([^"]*)"', page)
        assert found
        assert json.loads(html.unescape(found[1])) == [{"line": fault.line, "message": fault.message}]
        last = len(client.get(f"/my/trials/{trial.pk}/games/1/steps.json").json()["steps"]) - 1
        assert f'src="/my/trials/{trial.pk}/games/1/#{last}"' in page
        frame = client.get(f"/my/trials/{trial.pk}/games/1/").content.decode()
        assert f'<span data-step="{last}">&lt;b&gt;where was I?&lt;/b&gt;\n</span>' in frame

    def test_without_a_script_it_has_a_page_of_its_own(self, client: Client) -> None:
        response = client.post(WRITE, {"try": "1", "code": PLAYS, "opponent": "random"})
        assert response.status_code == 302
        assert "Waiting for a free worker" in text_of(client.get(response.url))  # type: ignore[attr-defined]
        refused = client.post(WRITE, {"try": "1", "code": PLAYS, "opponent": "random"})
        assert "A draft of yours is being tried out." in text_of(refused)
        assert _text_area(refused.content.decode()) == PLAYS

    @pytest.mark.parametrize("write", [WRITE, "/bots/gin-fizz/write/"], ids=["new", "version"])
    def test_without_a_script_a_link_leads_back_to_the_code(self, ada: User, client: Client, write: str) -> None:
        entered(ada)
        draft = "# as tried\n" + PLAYS
        response = client.post(write, {"try": "1", "code": draft, "opponent": "random"})
        page = client.get(response.url).content.decode()  # type: ignore[attr-defined]
        back = f"{write}?trial={Trial.objects.get().pk}"
        assert f'href="{back}"' in page
        assert _text_area(client.get(back).content.decode()) == draft
        eve = logged_in(author("eve"))
        assert eve.get(f"{WRITE}?trial={Trial.objects.get().pk}").status_code == 404

    def test_the_staff_sees_that_it_was_played_and_not_the_draft(self, client: Client, admin_client: Client) -> None:
        _tried(client, "# my secret\n" + PLAYS)
        trial = Trial.objects.get()
        page = f"/admin/bots/trial/{trial.pk}/change/"
        assert "ada" in text_of(admin_client.get("/admin/bots/trial/"))
        assert "my secret" not in text_of(admin_client.get(page))
        assert admin_client.post(page, {"state": "finished"}).status_code == 403

    @pytest.mark.parametrize(
        ("code", "opponent", "says"),
        [
            ("", "random", "There is nothing here yet."),
            (PLAYS, "nobody", "There is no such house bot."),
            (PLAYS + "#" * 256 * 1024, "random", "256 KiB"),
        ],
    )
    def test_what_cannot_be_tried_is_refused_beside_the_code(
        self, client: Client, code: str, opponent: str, says: str
    ) -> None:
        response = _tried(client, code, opponent)
        assert response.status_code == 422
        assert says in text_of(response)
        assert not Trial.objects.exists()

    @pytest.mark.parametrize("method", ["get", "post"])
    def test_whose_session_ended_is_told_so_beside_the_code(self, ada: User, client: Client, method: str) -> None:
        trial = trials.start_trial(owner=ada, code=PLAYS, opponent="random")
        path = trial.get_absolute_url() if method == "get" else WRITE
        client.logout()
        response = getattr(client, method)(path, headers=HTMX)
        assert response.status_code == 401
        assert "You are logged out." in text_of(response)
        assert "<h1>" not in text_of(response)  # not the page on which one logs in
        assert getattr(client, method)(path)["Location"].startswith("/accounts/login/")

    @pytest.mark.parametrize("headers", [HTMX, {}], ids=["beside the code", "without a script"])
    def test_what_is_not_tried_is_held_against_no_rule(self, client: Client, headers: dict[str, str]) -> None:
        sent = {"try": "1", "code": PLAYS, "opponent": "random", "note": "n" * 201, "name": "a\0" * 1000}
        assert client.post(WRITE, sent, headers=headers).status_code in (200, 302)
        assert Trial.objects.count() == 1

    def test_the_caps_say_what_they_are_and_when_they_lift(self, client: Client, settings: Settings) -> None:
        settings.ARENA_MAX_TRIALS_A_DAY = 2
        for age in (23, 1):
            assert _tried(client).status_code == 200
            second = _tried(client)
            assert second.status_code == 429
            assert "The limit is one at a time: the next may begin when it is over." in text_of(second)
            then = timezone.now() - timedelta(hours=age)
            Trial.objects.filter(state=Trial.State.QUEUED).update(state=Trial.State.FINISHED, created_at=then)
        third = _tried(client)
        free_at = Trial.objects.earliest("created_at").created_at + timedelta(days=1, minutes=1)
        assert third.status_code == 429
        assert "You have tried out 2 drafts in the last 24 hours; the limit is 2." in text_of(third)
        assert f"The next one is possible at {free_at:%H:%M} UTC" in text_of(third)
        Trial.objects.filter(created_at__lt=free_at - timedelta(days=1)).update(state=Trial.State.FAILED)
        assert _tried(client).status_code == 200

    def test_no_sandbox_no_trial(self, ada: User) -> None:
        services.record_sandbox(driver="process", runs_uploads=False)
        with pytest.raises(Refusal, match="no sandbox that is safe"):
            trials.start_trial(owner=ada, code=PLAYS, opponent="random")

    def test_a_driver_that_confines_nothing_never_runs_a_draft(
        self, ada: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("bots.sandboxes.get_driver", type("Weak", (FakeDriver,), {"trusted_only": True}))
        trial = trials.start_trial(owner=ada, code=PLAYS, opponent="random")
        tasks.play_trial(trial.pk)
        trial.refresh_from_db()
        assert (trial.state, trial.record) == (Trial.State.QUEUED, None)
        assert "for the house's own bots only" in trial.house_error


class TestLife:
    @pytest.fixture
    def trial(self, ada: User) -> Trial:
        return trials.start_trial(owner=ada, code=PLAYS, opponent="random")

    def test_a_message_delivered_twice_plays_once(self, trial: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
        calls = []
        _plays(monkeypatch, lambda: calls.append(1) or _between(Simple))  # type: ignore[func-returns-value]
        tasks.play_trial(trial.pk)
        tasks.play_trial(trial.pk)
        assert len(calls) == 1

    def test_a_late_record_is_not_wanted(self, trial: Trial) -> None:
        first = trials.claim_trial(trial_id=trial.pk)
        assert first is not None
        assert trials.claim_trial(trial_id=trial.pk) is None
        Trial.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=1))
        assert trials.requeue_stale_trials() == 1
        second = trials.claim_trial(trial_id=trial.pk)
        assert second is not None
        assert not trials.renew_trial(claim=first, hands=1)
        assert not trials.record_trial(claim=first, record=_between(Simple))
        assert trials.record_trial(claim=second, record=_between(Simple))

    def test_no_draft_is_so_slow_that_its_worker_loses_it(self) -> None:
        limits = Limits()
        # It is loaded, started, and takes all that it may within its first hand.
        longest = 2 * limits.wall_seconds(limits.start_seconds) + limits.wall_seconds(limits.game_seconds)
        assert limits.open_seconds + longest < trials.LEASE.total_seconds()

    def test_a_house_that_fails_again_and_again_says_so(
        self, trial: Trial, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail() -> MatchRecord:
            raise HouseFailure("The engine is away.")

        _plays(monkeypatch, fail)
        for _ in range(trials.ATTEMPTS):
            tasks.play_trial(trial.pk)
        trial.refresh_from_db()
        assert (trial.state, trial.house_error) == (Trial.State.FAILED, "The engine is away.")
        page = text_of(client.get(trial.get_absolute_url(), headers=HTMX))
        assert "for reasons on our side" in page
        assert "engine" not in page

    def test_a_worker_that_is_told_to_stop_hands_it_back(self, trial: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
        def stop() -> MatchRecord:
            raise SystemExit

        _plays(monkeypatch, stop)
        with pytest.raises(SystemExit):
            tasks.play_trial(trial.pk)
        trial.refresh_from_db()
        assert (trial.state, trial.lease_expires_at) == (Trial.State.QUEUED, None)

    def test_it_is_forgotten_after_a_day_and_with_its_author(self, ada: User, trial: Trial) -> None:
        Trial.objects.update(created_at=timezone.now() - timedelta(hours=25))
        trials.requeue_stale_trials()
        assert not Trial.objects.exists()
        trials.start_trial(owner=ada, code=PLAYS, opponent="random")
        closing.close_account(user=ada)
        assert not Trial.objects.exists()


def test_the_words_to_complete_are_those_of_arena() -> None:
    words = Client().get("/guide/words.json").json()
    assert sorted(words) == sorted(arena.__all__)
    for name, word in words.items():
        found = getattr(arena, name)
        if inspect.isclass(found):
            own = {*vars(found), *inspect.get_annotations(found)}
            assert set(word["members"]) == {each for each in own if not each.startswith("_")}, name
            methods = {each for each, member in word["members"].items() if member["kind"] == "method"}
            assert methods == {
                each for each in own if not each.startswith("_") and inspect.isroutine(getattr(found, each, None))
            }
    assert words["View"]["members"]["rules"]["type"] == "Rules"
    assert words["View"]["members"]["drawn"]["type"] == "Card"
    deadwood = arena.View.deadwood
    assert isinstance(deadwood, property) or deadwood.__doc__
    assert words["View"]["members"]["deadwood"]["doc"] == "The least deadwood of the hand as it is, in points."
