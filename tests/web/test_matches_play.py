"""A match from its message to its result, with real bots in the driver for trusted code."""

import threading
import time
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection
from pytest_django import Settings

from arena.player import HouseFailure
from arena.record import MatchRecord
from bots.models import BotVersion
from ladder import play, services, tasks
from ladder.models import BotLog, Fault, Ladder, Match, MatchRecordBlob, Rating, RatingChange
from sandbox.drivers.base import Box, Driver, DriverUnavailable, Limits
from sandbox.select import choose_driver
from tests.services import wait_until
from tests.web.matches import make_ladder, make_version

# With threads (the heartbeat) a test's own transaction would lock them out.
pytestmark = pytest.mark.django_db(transaction=True)

SIMPLE = (Path(__file__).parents[2] / "arena" / "bots" / "simple.py").read_text()
FAILING = SIMPLE.replace("least = min(", "print('about to fail')\n        1 // 0\n        least = min(")


@pytest.fixture(scope="module")
def driver() -> Driver:
    return choose_driver("process")


@pytest.fixture(autouse=True)
def _driver(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play, "get_driver", lambda: driver)


@pytest.fixture
def ladder() -> Ladder:
    return make_ladder()


@pytest.fixture
def simple() -> BotVersion:
    return make_version("Simple", source=SIMPLE)


@pytest.fixture
def other() -> BotVersion:
    return make_version("Other", source=SIMPLE)


def reread(match: Match) -> Match:
    return Match.objects.get(pk=match.pk)


def test_a_clean_match_is_stored_and_rated(ladder: Ladder, simple: BotVersion, other: BotVersion) -> None:
    match = services.enqueue_match(ladder=ladder, versions=[simple, other])
    tasks.play_match(match.pk)
    row = reread(match)
    assert (row.state, row.attempt, row.error) == (Match.State.FINISHED, 1, "")
    assert ":" in row.worker
    record = MatchRecord.from_bytes(bytes(MatchRecordBlob.objects.get(match=match).data))
    games = list(row.games.all())
    assert len(games) == 2
    for game, state in zip(games, record.replay(), strict=True):
        assert game.ending == "target"
        by_seat = (game.score_a, game.score_b) if game.seat0_index == 0 else (game.score_b, game.score_a)
        assert by_seat == state.scores
        assert max(by_seat) >= 100
    # Mirrored: the same decks with the seats swapped.
    assert record.games[0].seed == record.games[1].seed
    assert [game.seat0_index for game in games] == [0, 1]
    points = [seat.points for seat in row.seats.all()]
    assert points == [sum(game.score_a for game in games), sum(game.score_b for game in games)]
    assert not Fault.objects.exists()
    assert services.verify_ladder(ladder=ladder) == []


def test_a_message_delivered_twice_plays_once(ladder: Ladder, simple: BotVersion, other: BotVersion) -> None:
    match = services.enqueue_match(ladder=ladder, versions=[simple, other])
    tasks.play_match(match.pk)
    tasks.play_match(match.pk)
    assert reread(match).attempt == 1
    assert RatingChange.objects.count() == 2


def test_a_message_for_no_match_is_harmless() -> None:
    tasks.play_match(4711)


def test_a_bots_exception_forfeits_both_games_and_is_rated(ladder: Ladder, simple: BotVersion) -> None:
    failing = make_version("Failing", source=FAILING)
    match = services.enqueue_match(ladder=ladder, versions=[simple, failing])
    tasks.play_match(match.pk)
    row = reread(match)
    assert row.state == Match.State.FINISHED
    assert [(seat.score_quarters, seat.games_won, seat.faults) for seat in row.seats.all()] == [(4, 2, 0), (0, 0, 2)]
    assert [(game.ending, game.winner) for game in row.games.all()] == [("fault", 0), ("fault", 0)]
    line = 1 + FAILING.splitlines().index(next(text for text in FAILING.splitlines() if "1 // 0" in text))
    for fault in Fault.objects.all():
        assert (fault.seat, fault.kind, fault.file, fault.line) == (1, "exception", "bot.py", line)
        assert "ZeroDivisionError" in fault.traceback
    assert {(log.seat, log.text) for log in BotLog.objects.all()} == {(1, "about to fail\n")}
    assert [rating.milli for rating in Rating.objects.order_by("version_id")] == [1_575_000, 1_425_000]


class BrokenDriver:
    """Its engine is gone."""

    name = "broken"
    trusted_only = False

    def check(self) -> None:
        pass

    def open_box(self, limits: Limits) -> Box:
        raise HouseFailure("The engine does not answer.")

    def reap(self) -> int:
        return 0


def test_a_failure_of_the_house_is_played_again_and_touches_nobody(
    ladder: Ladder, simple: BotVersion, other: BotVersion, driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = services.enqueue_match(ladder=ladder, versions=[simple, other])
    monkeypatch.setattr(play, "get_driver", BrokenDriver)
    tasks.play_match(match.pk)
    row = reread(match)
    assert (row.state, row.failures) == (Match.State.QUEUED, 1)
    assert "The engine does not answer." in row.error
    assert not Fault.objects.exists()
    assert not RatingChange.objects.exists()
    monkeypatch.setattr(play, "get_driver", lambda: driver)
    tasks.play_match(match.pk)
    assert (reread(match).state, reread(match).error) == (Match.State.FINISHED, "")


def test_a_match_waits_unclaimed_while_there_is_no_sandbox(
    ladder: Ladder, simple: BotVersion, other: BotVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unavailable() -> Driver:
        raise DriverUnavailable("No engine answers.")

    match = services.enqueue_match(ladder=ladder, versions=[simple, other])
    monkeypatch.setattr(play, "get_driver", unavailable)
    for _ in range(7):
        tasks.play_match(match.pk)
    row = reread(match)
    assert (row.state, row.attempt, row.failures, row.error) == (Match.State.QUEUED, 0, 0, "")


def test_after_a_failure_of_the_house_the_sandbox_has_to_prove_itself_again(
    ladder: Ladder, simple: BotVersion, other: BotVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[int] = []
    monkeypatch.setattr(play, "get_driver", BrokenDriver)
    monkeypatch.setattr(play, "close_driver", lambda: closed.append(1))
    tasks.play_match(services.enqueue_match(ladder=ladder, versions=[simple, other]).pk)
    assert closed == [1]


def test_a_match_of_a_worker_that_is_told_to_stop_is_handed_back_at_once(
    ladder: Ladder, simple: BotVersion, other: BotVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[int] = []
    match = services.enqueue_match(ladder=ladder, versions=[simple, other])
    monkeypatch.setattr("celery.app.base.Celery.send_task", lambda _, name, args, queue: sent.extend(args))

    def exit_now(*_: object) -> None:
        raise SystemExit(-241)  # as the pool's handler of SIGTERM does

    monkeypatch.setattr(play.Heartbeat, "check", exit_now)
    with pytest.raises(SystemExit):
        tasks.play_match(match.pk)
    row = reread(match)
    assert (row.state, row.attempt, row.failures, row.lease_expires_at) == (Match.State.QUEUED, 1, 0, None)
    assert sent == [match.pk]
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("lease-")]


def test_an_uploaded_bot_never_runs_in_the_driver_for_trusted_code(ladder: Ladder, simple: BotVersion) -> None:
    uploaded = make_version("Mine", User.objects.create_user("me"), source=SIMPLE)
    match = services.enqueue_match(ladder=ladder, versions=[simple, uploaded])
    tasks.play_match(match.pk)
    row = reread(match)
    assert row.state == Match.State.QUEUED
    assert "house's own bots only" in row.error


@pytest.fixture
def slow_hands(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Every hand takes a while; the event is set when the first has begun to wait."""
    begun = threading.Event()
    true_check = play.Heartbeat.check

    def check(beat: play.Heartbeat, *args: object) -> None:
        begun.set()
        time.sleep(0.15)
        true_check(beat, *args)

    monkeypatch.setattr(play.Heartbeat, "check", check)
    return begun


@pytest.mark.usefixtures("slow_hands")
def test_the_lease_is_renewed_while_a_match_is_played(
    ladder: Ladder,
    simple: BotVersion,
    other: BotVersion,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings.MATCH_LEASE_SECONDS = 0.3
    renewals = []
    true_renew = services.renew_lease

    def renew(*, claim: services.Claim) -> bool:
        renewals.append(claim.match_id)
        return true_renew(claim=claim)

    monkeypatch.setattr(services, "renew_lease", renew)
    match = services.enqueue_match(ladder=ladder, versions=[simple, other])
    tasks.play_match(match.pk)
    assert reread(match).state == Match.State.FINISHED
    assert len(renewals) >= 3
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("lease-")]


def test_a_match_taken_away_is_given_up(
    ladder: Ladder,
    simple: BotVersion,
    other: BotVersion,
    settings: Settings,
    slow_hands: threading.Event,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings.MATCH_LEASE_SECONDS = 0.3
    match = services.enqueue_match(ladder=ladder, versions=[simple, other])
    finish = []
    monkeypatch.setattr(services, "finish_match", lambda **_: finish.append(1))

    def work() -> None:
        tasks.play_match(match.pk)
        connection.close()

    worker = threading.Thread(target=work)
    worker.start()
    assert slow_hands.wait(300)
    services.void_match(match_id=match.pk, error="by hand")
    worker.join(300)
    assert finish == []
    assert (reread(match).state, reread(match).error) == (Match.State.VOID, "by hand")


def test_a_hung_match_comes_free_in_the_end(settings: Settings, ladder: Ladder, simple: BotVersion) -> None:
    settings.MATCH_LEASE_SECONDS, settings.MATCH_SECONDS = 0.03, 0.1
    match = services.enqueue_match(ladder=ladder, versions=[simple, make_version("Other")])
    claim = services.claim_match(match_id=match.pk, worker="w1")
    assert claim is not None
    beat = play.Heartbeat(claim)
    beat.start()
    wait_until(lambda: not beat.is_alive(), "the beat's end")
    beat.stop()


def test_a_busy_database_does_not_cost_the_match(
    ladder: Ladder, simple: BotVersion, other: BotVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = services.enqueue_match(ladder=ladder, versions=[simple, other])
    true_finish, tries = services.finish_match, []

    def finish(**arguments: object) -> bool:
        tries.append(1)
        if len(tries) < 3:
            raise OperationalError("database is locked")
        return true_finish(**arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(services, "finish_match", finish)
    monkeypatch.setattr(play, "FINISH_PAUSE", 0.01)
    tasks.play_match(match.pk)
    assert len(tries) == 3
    assert (reread(match).state, reread(match).attempt) == (Match.State.FINISHED, 1)
