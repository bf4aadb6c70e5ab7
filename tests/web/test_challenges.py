"""An owner asks for an unrated match: who may, against whom, how often, where it shows, and that no rating moves."""

import datetime as dt
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from celery import current_app
from django.contrib.auth.models import User
from django.db import IntegrityError
from django.test import Client
from django.utils import timezone
from kombu import Connection
from pytest_django import Settings

from bots import services as bot_services
from bots.models import Bot, BotVersion
from bots.refusals import Refusal
from config import broker
from ladder import scheduler, services
from ladder.models import Ladder, Match, Rating, Seat
from tests.web.entering import author, logged_in, open_uploads, text_of
from tests.web.matches import claimed, make_ladder, make_version, record_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def ladder(db: None) -> Ladder:
    open_uploads()
    return make_ladder()


@pytest.fixture
def ada() -> User:
    return author("ada")


def asked(client: Client, slug: str, version: BotVersion, ladder: str = "classic") -> Any:
    return client.post(f"/bots/{slug}/challenge/", {"version": version.pk, "ladder": ladder})


def test_a_challenge_is_queued_played_and_moves_no_rating(ada: User, ladder: Ladder) -> None:
    mine, house = make_version("Mine", ada), make_version("House")
    for version in (mine, house):
        services.enter_ladder(ladder=ladder, version=version)
    before = list(Rating.objects.order_by("pk").values_list("milli", "matches"))
    client = logged_in(ada)
    assert "unrated" in text_of(client.get("/bots/house/challenge/"))
    response = asked(client, "house", mine)
    match = Match.objects.get()
    assert response["Location"] == f"/matches/{match.pk}/"
    assert (match.origin, match.is_rated, match.asked_by) == ("challenge", False, ada)
    assert [seat.version for seat in match.seats.all()] == [mine, house]
    claim = claimed(match)
    assert services.finish_match(claim=claim, record=record_of(claim, 4))
    assert list(Rating.objects.order_by("pk").values_list("milli", "matches")) == before
    assert services.verify_ladder(ladder=ladder) == []
    page = text_of(Client().get(f"/matches/{match.pk}/"))
    assert "Mine beat House." in page
    assert "unrated challenge" in page
    assert "no rating moves" in page


def test_what_no_form_offers_is_refused_and_not_repeated(ada: User) -> None:
    make_version("Mine", ada)
    make_version("House")
    response = logged_in(ada).post("/bots/house/challenge/", {"version": "9" * 50_000, "ladder": "\0" * 50_000})
    assert response.status_code == 422
    page = text_of(response)
    assert page.count("Choose from the list.") == 2
    assert len(page) < 10_000


def test_it_shows_on_both_bots_pages_in_the_list_and_among_ones_own(ada: User) -> None:
    mine, house = make_version("Mine", ada), make_version("House")
    match = services.challenge(user=ada, version=mine, opponent=house.bot, ladder=Ladder.objects.get())
    for path in ("/bots/mine/", "/bots/house/", "/matches/"):
        page = text_of(Client().get(path))
        assert f'href="/matches/{match.pk}/"' in page
        assert ">challenge</span>" in page
    page = text_of(logged_in(ada).get("/my/"))
    assert "Your challenges" in page
    assert f'href="/matches/{match.pk}/"' in page
    assert "Your challenges" not in text_of(logged_in(author("eve")).get("/my/"))


def test_the_way_to_it_is_on_the_page_of_a_bot_that_plays(ada: User, ladder: Ladder) -> None:
    house = make_version("House")
    services.enter_ladder(ladder=ladder, version=house)
    assert "/bots/house/challenge/" in text_of(Client().get("/bots/house/"))
    assert Client().get("/bots/house/challenge/")["Location"].startswith("/accounts/login/")
    Bot.objects.update(state=Bot.State.RETIRED)
    assert "/bots/house/challenge/" not in text_of(Client().get("/bots/house/"))


def test_the_rules_are_those_of_the_ladder_that_was_chosen(ada: User) -> None:
    make_ladder("straight", rule_set="straight")
    mine, _ = make_version("Mine", ada), make_version("House")
    asked(logged_in(ada), "house", mine, "straight")
    assert claimed(Match.objects.get()).rule_set == "straight"


def test_one_may_play_ones_earlier_version(ada: User) -> None:
    old, new = make_version("Mine", ada), make_version("Mine", ada, number=2)
    client = logged_in(ada)
    page = text_of(client.get("/bots/mine/challenge/"))
    assert "Mine v1" in page
    assert "Mine v2" not in page
    asked(client, "mine", old)
    assert {seat.version for seat in Seat.objects.all()} == {old, new}


def test_who_has_no_bot_is_shown_the_way(ada: User) -> None:
    make_version("House")
    page = text_of(logged_in(ada).get("/bots/house/challenge/"))
    assert "/bots/new/" in page
    assert "<form class" not in page


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda: Bot.objects.filter(slug="house").update(state=Bot.State.BENCHED), "House plays no matches now"),
        (lambda: BotVersion.objects.filter(bot__slug="house").update(state="rejected"), "House plays no matches now"),
        (
            lambda: bot_services.record_sandbox(driver="process", runs_uploads=False),
            "Uploaded bots cannot be run on this server at the moment",
        ),
    ],
)
def test_what_cannot_be_played_is_refused_in_a_sentence(ada: User, spoil: Callable[[], object], says: str) -> None:
    mine, _ = make_version("Mine", ada), make_version("House")
    spoil()
    response = asked(logged_in(ada), "house", mine)
    assert response.status_code == 422
    assert says in text_of(response)
    assert not Match.objects.exists()


def test_nobody_challenges_with_anothers_bot(ada: User, ladder: Ladder) -> None:
    theirs, house = make_version("Theirs", author("eve")), make_version("House")
    make_version("Mine", ada)
    assert asked(logged_in(ada), "house", theirs).status_code == 422
    with pytest.raises(Refusal, match="Only a bot's owner"):
        services.challenge(user=ada, version=theirs, opponent=house.bot, ladder=ladder)


def test_a_bot_that_plays_no_more_challenges_nobody(ada: User, ladder: Ladder) -> None:
    mine, house = make_version("Mine", ada), make_version("House")
    bot_services.retire_bot(bot=mine.bot)
    mine.bot.refresh_from_db()
    with pytest.raises(Refusal, match="Mine v1 plays no matches now"):
        services.challenge(user=ada, version=mine, opponent=house.bot, ladder=ladder)


def test_the_cap_says_what_it_is_and_when_it_lifts(ada: User, settings: Settings) -> None:
    settings.ARENA_MAX_CHALLENGES_A_DAY = 2
    mine, _ = make_version("Mine", ada), make_version("House")
    client = logged_in(ada)
    assert "2 challenges in 24 hours" in text_of(client.get("/bots/house/challenge/"))
    for _ in range(2):
        assert asked(client, "house", mine).status_code == 302
    first = timezone.now() - dt.timedelta(hours=20)
    Match.objects.filter(pk=Match.objects.earliest("pk").pk).update(queued_at=first)
    page = text_of(asked(client, "house", mine))
    free_at = first + dt.timedelta(days=1, minutes=1)
    assert "You have asked for 2 challenges in the last 24 hours; the limit is 2." in page
    assert f"The next one is possible at {free_at:%H:%M} UTC" in page
    Match.objects.filter(queued_at=first).update(queued_at=first - dt.timedelta(hours=5))
    assert asked(client, "house", mine).status_code == 302


def test_a_void_challenge_is_not_counted(ada: User, settings: Settings) -> None:
    settings.ARENA_MAX_CHALLENGES_A_DAY = 1
    mine, _ = make_version("Mine", ada), make_version("House")
    client = logged_in(ada)
    asked(client, "house", mine)
    services.void_match(match_id=Match.objects.get().pk, error="x")
    assert asked(client, "house", mine).status_code == 302


def test_the_database_itself_holds_that_no_challenge_is_rated(ladder: Ladder) -> None:
    with pytest.raises(IntegrityError):
        Match.objects.create(ladder=ladder, origin=Match.Origin.CHALLENGE, is_rated=True)


def test_challenges_take_nothing_of_the_ladders_queue(ada: User, ladder: Ladder, settings: Settings) -> None:
    settings.LADDER_QUEUE_DEPTH = 4
    mine, house = make_version("Mine", ada), make_version("House")
    for _ in range(5):
        services.challenge(user=ada, version=mine, opponent=house.bot, ladder=ladder)
    assert scheduler.schedule(house_only=False) == 4


def test_each_kind_of_match_has_its_queue(
    ada: User, ladder: Ladder, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    sent: list[tuple[int, str]] = []
    monkeypatch.setattr(
        current_app, "send_task", lambda name, args, queue: sent.append((args[0], queue)), raising=False
    )
    mine, house = make_version("Mine", ada), make_version("House")
    with django_capture_on_commit_callbacks(execute=True):
        challenge = services.challenge(user=ada, version=mine, opponent=house.bot, ladder=ladder)
        rated = services.enqueue_match(ladder=ladder, versions=[mine, house])
    with django_capture_on_commit_callbacks(execute=True):
        for match in (challenge, rated):
            claimed(match)
            assert services.requeue_match(match_id=match.pk)
    assert sent == 2 * [(challenge.pk, "challenges"), (rated.pk, "matches")]


class TestTurns:
    """A worker that plays takes a challenge after at most one match of the ladders, and a match of theirs after it."""

    @pytest.fixture(params=["folder", pytest.param("redis", marks=pytest.mark.redis)])
    def link(self, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Connection]:
        if request.param == "redis":
            link = Connection(request.getfixturevalue("redis_server").rpartition("/")[0] + "/5")
        else:
            for name in ("messages", "control"):
                (tmp_path / name).mkdir()
            broker.register()
            messages, control = str(tmp_path / "messages"), str(tmp_path / "control")
            options = {"data_folder_in": messages, "data_folder_out": messages, "control_folder": control}
            link = Connection(f"{broker.SCHEME}://", transport_options=options)
        with link:
            yield link

    def test_both_queues_are_served_in_turns(self, link: Connection) -> None:
        queues = [current_app.amqp.queues[name] for name in ("matches", "challenges")]
        channel = link.channel()
        served: list[str] = []
        with link.Producer() as producer:
            for queue, count in zip(queues, (12, 4), strict=True):
                for _ in range(count):
                    producer.publish(
                        queue.name, routing_key=queue.routing_key, exchange=queue.exchange, declare=[queue]
                    )

        def take(body: str, message: Any) -> None:
            served.append(body)
            message.ack()

        with link.Consumer(queues, callbacks=[take], channel=channel, prefetch_count=1):
            while len(served) < 16:
                try:
                    link.drain_events(timeout=60)
                except (TimeoutError, Empty):
                    break
        assert len(served) == 16
        assert served[:8].count("challenges") == 4
        assert served[:3].count("matches") >= 1
