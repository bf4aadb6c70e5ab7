"""The life of a match: every transition, what each writes, and what is refused."""

import datetime as dt
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.utils import timezone

from arena.record import MatchRecord
from bots.models import BotVersion
from ladder import services
from ladder.models import BotLog, Fault, Ladder, Match, MatchRecordBlob, Rating, RatingChange
from tests.web.matches import claimed, finished, make_ladder, make_version, record_of

pytestmark = pytest.mark.django_db

QUEUED, RUNNING, FINISHED, VOID = Match.State.QUEUED, Match.State.RUNNING, Match.State.FINISHED, Match.State.VOID


@pytest.fixture
def ladder() -> Ladder:
    return make_ladder()


@pytest.fixture
def versions() -> list[BotVersion]:
    return [make_version("Ann"), make_version("Ben")]


@pytest.fixture
def match(ladder: Ladder, versions: list[BotVersion]) -> Match:
    return services.enqueue_match(ladder=ladder, versions=versions)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The arguments of every message sent."""
    messages: list[Any] = []
    monkeypatch.setattr(
        "celery.app.base.Celery.send_task",
        lambda _, name, args, queue: messages.append((name, list(args))),
        raising=True,
    )
    return messages


def reread(match: Match) -> Match:
    return Match.objects.get(pk=match.pk)


def expire(match: Match) -> None:
    Match.objects.filter(pk=match.pk).update(lease_expires_at=timezone.now() - dt.timedelta(seconds=1))


class TestEnqueue:
    def test_a_match_pins_two_versions_in_seat_order(self, match: Match, versions: list[BotVersion]) -> None:
        assert match.state == QUEUED
        assert match.seed == ""
        assert [(seat.index, seat.version) for seat in match.seats.all()] == [(0, versions[0]), (1, versions[1])]

    def test_the_message_carries_the_id_alone_and_leaves_with_the_commit(
        self,
        ladder: Ladder,
        versions: list[BotVersion],
        sent: list[Any],
        django_capture_on_commit_callbacks: Callable[..., Any],
    ) -> None:
        with django_capture_on_commit_callbacks(execute=True):
            match = services.enqueue_match(ladder=ladder, versions=versions)
            assert sent == []
        assert sent == [("ladder.tasks.play_match", [match.pk])]

    def test_one_owners_bots_do_not_meet_in_a_rated_match(self, ladder: Ladder) -> None:
        owner = User.objects.create_user("olga")
        pair = [make_version("Olga1", owner), make_version("Olga2", owner)]
        with pytest.raises(services.MatchRefused, match="one owner"):
            services.enqueue_match(ladder=ladder, versions=pair)
        assert not Match.objects.exists()
        assert services.enqueue_match(ladder=ladder, versions=pair, is_rated=False).state == QUEUED

    def test_two_versions_of_one_house_bot_do_not_meet_in_a_rated_match(self, ladder: Ladder) -> None:
        with pytest.raises(services.MatchRefused):
            services.enqueue_match(ladder=ladder, versions=[make_version("Ann"), make_version("Ann", number=2)])

    def test_a_version_that_is_not_active_is_refused(self, ladder: Ladder, versions: list[BotVersion]) -> None:
        versions[1].state = BotVersion.State.VALIDATING
        with pytest.raises(services.MatchRefused, match="being checked"):
            services.enqueue_match(ladder=ladder, versions=versions)

    @pytest.mark.parametrize("count", [0, 1, 3])
    def test_a_match_has_two_seats(self, ladder: Ladder, count: int) -> None:
        with pytest.raises(services.MatchRefused, match="two seats"):
            services.enqueue_match(ladder=ladder, versions=[make_version("Ann")] * count)


class TestClaim:
    def test_a_claim_draws_a_seed_and_starts_a_lease(self, match: Match) -> None:
        before = timezone.now()
        claim = claimed(match, "w7")
        row = reread(match)
        assert (row.state, row.attempt, row.worker) == (RUNNING, 1, "w7")
        assert claim.seed == bytes.fromhex(row.seed)
        assert len(claim.seed) == 32
        assert row.lease_expires_at is not None
        lease = dt.timedelta(seconds=settings.MATCH_LEASE_SECONDS)
        assert before + lease <= row.lease_expires_at <= timezone.now() + lease

    def test_the_second_claim_gets_nothing(self, match: Match) -> None:
        claimed(match)
        assert services.claim_match(match_id=match.pk, worker="w2") is None
        assert reread(match).worker == "w1"

    def test_a_match_that_does_not_exist_gets_nothing(self) -> None:
        assert services.claim_match(match_id=12345, worker="w1") is None

    def test_seeds_are_never_reused(self, ladder: Ladder, versions: list[BotVersion]) -> None:
        seeds = {claimed(services.enqueue_match(ladder=ladder, versions=versions)).seed for _ in range(20)}
        assert len(seeds) == 20

    def test_the_next_attempt_plays_other_decks(self, match: Match) -> None:
        first = claimed(match)
        services.release_match(claim=first, error="x")
        assert claimed(match).seed != first.seed

    def test_a_seed_is_published_only_with_the_finished_match(self, match: Match) -> None:
        claim = claimed(match)
        assert reread(match).published_seed is None
        services.finish_match(claim=claim, record=record_of(claim, 4))
        assert reread(match).published_seed == claim.seed.hex()

    @pytest.mark.django_db(transaction=True)
    def test_of_many_claims_at_once_one_wins(self, match: Match) -> None:
        start = threading.Barrier(6)
        claims = []

        def work(number: int) -> None:
            start.wait()
            claims.append(services.claim_match(match_id=match.pk, worker=f"w{number}"))
            connection.close()

        run_all(work, 6)
        assert len(claims) == 6
        winners = [claim for claim in claims if claim is not None]
        assert len(winners) == 1
        assert reread(match).worker == winners[0].worker


class TestLease:
    def test_a_renewed_lease_is_a_full_one(self, match: Match) -> None:
        claim = claimed(match)
        expire(match)
        assert services.renew_lease(claim=claim)
        assert services.requeue_expired() == 0

    def test_a_dead_workers_match_is_queued_again(
        self, match: Match, sent: list[Any], django_capture_on_commit_callbacks: Callable[..., Any]
    ) -> None:
        claim = claimed(match)
        assert services.requeue_expired() == 0
        expire(match)
        with django_capture_on_commit_callbacks(execute=True):
            assert services.requeue_expired() == 1
        assert sent == [("ladder.tasks.play_match", [match.pk])]
        row = reread(match)
        assert (row.state, row.failures, row.lease_expires_at) == (QUEUED, 1, None)
        assert "w1" in row.error
        assert not services.renew_lease(claim=claim)

    def test_a_match_that_kills_every_worker_is_void_at_last(self, match: Match) -> None:
        for _ in range(settings.MATCH_ATTEMPTS):
            assert reread(match).state == QUEUED
            claimed(match)
            expire(match)
            services.requeue_expired()
        assert reread(match).state == VOID


class TestFinish:
    def test_a_result_is_stored_with_everything_the_pages_show(self, match: Match) -> None:
        claim = claimed(match)
        record = record_of(claim, 3)
        assert services.finish_match(claim=claim, record=record)
        row = reread(match)
        assert (row.state, row.sequence, row.lease_expires_at) == (FINISHED, 1, None)
        seats = list(row.seats.all())
        assert [seat.score_quarters for seat in seats] == [3, 1]
        assert [seat.games_won for seat in seats] == [1, 0]
        assert [seat.faults for seat in seats] == [1, 2]
        games = list(row.games.all())
        # B forfeits game 0, where A has the game's seat 0; in game 1 the seats are swapped and both fail.
        assert [(game.number, game.seat0_index, game.winner) for game in games] == [(0, 0, 0), (1, 1, None)]
        assert {game.ending for game in games} == {"fault"}
        assert [(f.game.number, f.seat) for f in Fault.objects.order_by("game__number", "seat")] == [
            (0, 1),
            (1, 0),
            (1, 1),
        ]
        fault = Fault.objects.first()
        assert fault is not None
        assert (fault.kind, fault.file, fault.line, fault.traceback) == ("start", "bot.py", 3, "frames")

    def test_the_stored_record_is_the_played_one_without_what_is_the_owners(self, match: Match) -> None:
        claim = claimed(match)
        record = record_of(claim, 4)
        services.finish_match(claim=claim, record=record)
        stored = MatchRecord.from_bytes(bytes(MatchRecordBlob.objects.get(match=match).data))
        assert stored == record.public()
        assert stored.games[0].faults[0].traceback == ""

    def test_a_log_is_kept_for_the_owner_of_its_seat(self, match: Match) -> None:
        claim = claimed(match)
        record = record_of(claim, 4)
        games = (replace(record.games[0], logs=("a\0\ud800!", "")), replace(record.games[1], logs=("of b", "of a")))
        services.finish_match(claim=claim, record=replace(record, games=games))
        logs = {(log.game.number, log.seat): log.text for log in BotLog.objects.all()}
        # What no database keeps is replaced; in game 1 side A has the game's seat 1.
        assert logs == {(0, 0): "a\N{REPLACEMENT CHARACTER}?!", (1, 0): "of a", (1, 1): "of b"}

    def test_the_same_result_twice_counts_once(self, match: Match) -> None:
        claim = claimed(match)
        record = record_of(claim, 4)
        assert services.finish_match(claim=claim, record=record)
        assert not services.finish_match(claim=claim, record=record)
        assert RatingChange.objects.count() == 2
        assert reread(match).ladder.last_sequence == 1

    def test_a_late_result_is_refused_while_the_match_waits_again(self, match: Match) -> None:
        late = claimed(match)
        services.release_match(claim=late, error="x")
        assert not services.finish_match(claim=late, record=record_of(late, 4))
        assert reread(match).state == QUEUED
        assert not RatingChange.objects.exists()

    def test_a_late_result_is_refused_while_another_worker_plays(self, match: Match) -> None:
        late = claimed(match)
        expire(match)
        services.requeue_expired()
        current = claimed(match, "w2")
        assert not services.finish_match(claim=late, record=record_of(late, 4))
        assert services.finish_match(claim=current, record=record_of(current, 0))
        assert [seat.score_quarters for seat in match.seats.all()] == [0, 4]

    def test_an_expired_lease_nobody_took_over_still_delivers(self, match: Match) -> None:
        claim = claimed(match)
        expire(match)
        assert services.finish_match(claim=claim, record=record_of(claim, 4))

    def test_a_record_of_other_decks_is_the_houses_failure(self, match: Match) -> None:
        claim = claimed(match)
        record = record_of(replace(claim, seed=bytes(32)), 4)
        with pytest.raises(services.RecordMismatch, match="another match"):
            services.finish_match(claim=claim, record=record)
        assert reread(match).state == RUNNING

    def test_a_record_that_does_not_replay_is_never_rated(self, match: Match) -> None:
        claim = claimed(match)
        record = record_of(claim, 4)
        forged = replace(record, games=(replace(record.games[0], scores=(101, 0)), record.games[1]))
        with pytest.raises(services.RecordMismatch, match="does not replay"):
            services.finish_match(claim=claim, record=forged)
        assert not RatingChange.objects.exists()

    def test_sequence_numbers_follow_the_order_of_finishing(self, ladder: Ladder, versions: list[BotVersion]) -> None:
        first, second = (services.enqueue_match(ladder=ladder, versions=versions) for _ in range(2))
        for match in (second, first):
            claim = claimed(match)
            services.finish_match(claim=claim, record=record_of(claim, 2))
        assert (reread(second).sequence, reread(first).sequence) == (1, 2)

    def test_an_unrated_match_moves_no_rating(self, ladder: Ladder, versions: list[BotVersion]) -> None:
        match = finished(ladder, versions, 4, is_rated=False)
        assert match.sequence == 1
        assert not Rating.objects.exists()


class TestHouseFailure:
    def test_the_match_is_queued_again_and_shown_as_nobodys_fault(self, match: Match) -> None:
        claim = claimed(match)
        assert services.release_match(claim=claim, error="The engine is gone.")
        row = reread(match)
        assert (row.state, row.failures, row.error) == (QUEUED, 1, "The engine is gone.")
        assert row.resend_at > timezone.now() + dt.timedelta(seconds=settings.MATCH_RESEND_SECONDS - 5)
        assert not Fault.objects.exists()
        assert [seat.score_quarters for seat in row.seats.all()] == [None, None]

    def test_it_is_void_after_five(self, match: Match) -> None:
        for _ in range(settings.MATCH_ATTEMPTS):
            assert reread(match).state == QUEUED
            services.release_match(claim=claimed(match), error="The engine is gone.")
        row = reread(match)
        assert (row.state, row.attempt, row.error) == (VOID, 5, "The engine is gone.")
        assert services.claim_match(match_id=match.pk, worker="w1") is None

    def test_a_lost_claim_releases_nothing(self, match: Match) -> None:
        late = claimed(match)
        services.release_match(claim=late, error="x")
        claimed(match, "w2")
        assert not services.release_match(claim=late, error="y")
        assert (reread(match).state, reread(match).worker) == (RUNNING, "w2")


class TestOperator:
    @pytest.mark.parametrize("running", [False, True])
    def test_void_takes_a_match_out_and_refuses_its_result(self, match: Match, running: bool) -> None:
        claim = claimed(match) if running else None
        assert services.void_match(match_id=match.pk, error="by hand")
        assert reread(match).state == VOID
        if claim is not None:
            assert not services.finish_match(claim=claim, record=record_of(claim, 4))
        assert not RatingChange.objects.exists()

    def test_a_finished_match_stays(self, ladder: Ladder, versions: list[BotVersion]) -> None:
        match = finished(ladder, versions, 4)
        assert not services.void_match(match_id=match.pk, error="by hand")
        assert not services.requeue_match(match_id=match.pk)
        assert reread(match).state == FINISHED

    def test_a_void_match_queued_again_has_all_its_attempts(self, match: Match) -> None:
        for _ in range(settings.MATCH_ATTEMPTS):
            services.release_match(claim=claimed(match), error="x")
        assert services.requeue_match(match_id=match.pk)
        for _ in range(settings.MATCH_ATTEMPTS - 1):
            services.release_match(claim=claimed(match), error="x")
        claim = claimed(match)
        assert services.finish_match(claim=claim, record=record_of(claim, 4))

    def test_a_running_match_queued_again_refuses_the_first_result(self, match: Match) -> None:
        claim = claimed(match)
        assert services.requeue_match(match_id=match.pk)
        assert not services.finish_match(claim=claim, record=record_of(claim, 4))


class TestLostMessages:
    def test_a_message_is_repeated_at_growing_intervals(
        self, match: Match, sent: list[Any], django_capture_on_commit_callbacks: Callable[..., Any]
    ) -> None:
        assert services.resend_overdue() == 0
        gaps = []
        for _ in range(30):
            overdue_by = reread(match).resend_at - match.queued_at
            Match.objects.update(queued_at=timezone.now() - overdue_by, resend_at=timezone.now())
            match = reread(match)
            with django_capture_on_commit_callbacks(execute=True):
                assert services.resend_overdue() == 1
                assert services.resend_overdue() == 0
            gaps.append((reread(match).resend_at - match.resend_at).total_seconds())
        assert sent == [("ladder.tasks.play_match", [match.pk])] * 30
        assert gaps[:10] == pytest.approx([30] * 10, abs=2)
        assert gaps == sorted(gaps, key=round)
        assert gaps[-5:] == pytest.approx([60] * 5, abs=2)

    def test_a_running_or_finished_match_is_left_alone(self, match: Match) -> None:
        Match.objects.update(resend_at=timezone.now() - dt.timedelta(hours=1))
        claim = claimed(match)
        assert services.resend_overdue() == 0
        services.finish_match(claim=claim, record=record_of(claim, 4))
        assert services.resend_overdue() == 0

    @pytest.mark.django_db(transaction=True)
    def test_a_broker_that_is_down_does_not_undo_the_match(
        self, ladder: Ladder, versions: list[BotVersion], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(*_: object, **__: object) -> None:
            raise ConnectionError("The broker is down.")

        monkeypatch.setattr("celery.app.base.Celery.send_task", refuse)
        match = services.enqueue_match(ladder=ladder, versions=versions)
        assert reread(match).state == QUEUED


def test_a_transaction_rolled_back_sends_nothing(ladder: Ladder, versions: list[BotVersion], sent: list[Any]) -> None:
    with transaction.atomic():
        services.enqueue_match(ladder=ladder, versions=versions)
        transaction.set_rollback(True)
    assert sent == []
    assert not Match.objects.exists()


def run_all(work: Callable[[int], None], count: int) -> None:
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
