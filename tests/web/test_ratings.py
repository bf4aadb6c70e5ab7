"""Ratings: Elo worked out here by hand, no lost update, and the ladder as the fold of its log."""

import random
import re
import threading
from itertools import pairwise
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from arena.checks import ValidationReport
from bots.models import Bot, BotVersion
from bots.validations import claim_validation, record_validation
from ladder import services
from ladder.fold import Change, Entry, FoldError, Result, Standing, fold
from ladder.models import Ladder, Match, Rating, RatingChange
from tests.web.matches import claimed, finished, make_ladder, make_version, record_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def ladder() -> Ladder:
    return make_ladder()


@pytest.fixture
def versions() -> list[BotVersion]:
    return [make_version("Ann"), make_version("Ben")]


def k(matches: int) -> float:
    return max(4.0, 150 / (1 + matches / 6))


def expected_deltas(a: float, a_matches: int, b: float, b_matches: int, score: float) -> tuple[int, int]:
    """Milli-Elo; the textbook's two formulas, and nothing of the arena's."""
    expected = 1 / (1 + 10 ** ((b - a) / 400_000))
    return round(1000 * k(a_matches) * (score - expected)), round(1000 * k(b_matches) * (expected - score))


def rating(version: BotVersion) -> Rating:
    return Rating.objects.get(version=version)


def deltas(version: BotVersion) -> list[int]:
    changes = RatingChange.objects.filter(rating__version=version).order_by("sequence")
    return [change.delta_milli for change in changes]


class TestElo:
    def test_the_first_match_moves_both_by_half_of_150(self, ladder: Ladder, versions: list[BotVersion]) -> None:
        finished(ladder, versions, 4)
        assert [rating(version).milli for version in versions] == [1_575_000, 1_425_000]

    def test_three_quarters_move_both_by_a_quarter_of_150(self, ladder: Ladder, versions: list[BotVersion]) -> None:
        finished(ladder, versions, 3)
        assert [rating(version).milli for version in versions] == [1_537_500, 1_462_500]

    def test_an_even_match_of_equals_moves_nobody(self, ladder: Ladder, versions: list[BotVersion]) -> None:
        finished(ladder, versions, 2)
        assert [(r.milli, r.matches, r.draws) for r in map(rating, versions)] == [(1_500_000, 1, 1)] * 2

    def test_a_series_follows_the_formula(self, ladder: Ladder, versions: list[BotVersion]) -> None:
        a = b = 1_500_000
        for played, quarters in enumerate([4, 4, 1, 3, 0, 2, 4]):
            finished(ladder, versions, quarters)
            da, db = expected_deltas(a, played, b, played, quarters / 4)
            a, b = a + da, b + db
            assert (rating(versions[0]).milli, rating(versions[1]).milli) == (a, b)
        counts = Rating.objects.values_list("matches", "wins", "draws", "losses").order_by("version_id")
        assert list(counts) == [(7, 4, 1, 2), (7, 2, 1, 4)]

    def test_a_newcomer_moves_more_than_a_veteran(self, ladder: Ladder, versions: list[BotVersion]) -> None:
        for _ in range(6):
            finished(ladder, versions, 2)
        newcomer = make_version("Cid")
        finished(ladder, [versions[0], newcomer], 0)
        assert deltas(versions[0])[-1] == -37_500  # K(6) = 75
        assert deltas(newcomer) == [75_000]  # K(0) = 150

    def test_what_always_holds(self, ladder: Ladder) -> None:
        rng = random.Random(5)
        versions = [make_version(name) for name in ("Ann", "Ben", "Cid", "Dot")]
        for _ in range(40):
            finished(ladder, rng.sample(versions, 2), rng.randrange(5))
        for row in Rating.objects.all():
            changes = list(row.changes.all())
            assert row.milli == 1_500_000 + sum(change.delta_milli for change in changes)
            assert [change.matches_before for change in changes] == list(range(row.matches))
            assert all(before.after_milli == after.before_milli for before, after in pairwise(changes))
            assert all(abs(change.delta_milli) <= 1000 * k(change.matches_before) for change in changes)
        for match in Match.objects.all():
            a, b = match.rating_changes.all()
            assert a.delta_milli / k(a.matches_before) + b.delta_milli / k(b.matches_before) == pytest.approx(0, abs=1)
        assert services.verify_ladder(ladder=ladder) == []


class TestVersions:
    def test_a_new_version_starts_at_its_predecessors_rating_as_a_newcomer(
        self, ladder: Ladder, versions: list[BotVersion]
    ) -> None:
        finished(ladder, versions, 4)
        second = make_version("Ann", number=2)
        fresh = services.enter_ladder(ladder=ladder, version=second)
        assert (fresh.milli, fresh.matches, fresh.predecessor) == (1_575_000, 0, rating(versions[0]))
        finished(ladder, [second, versions[1]], 0)
        assert deltas(second) == [expected_deltas(1_575_000, 0, 1_425_000, 1, 0)[0]]
        assert rating(versions[0]).milli == 1_575_000

    def test_a_result_in_flight_counts_for_the_version_that_played(
        self, ladder: Ladder, versions: list[BotVersion]
    ) -> None:
        match = services.enqueue_match(ladder=ladder, versions=versions)
        claim = claimed(match)
        second = services.enter_ladder(ladder=ladder, version=make_version("Ann", number=2))
        services.enter_ladder(ladder=ladder, version=versions[0])
        services.finish_match(claim=claim, record=record_of(claim, 4))
        second.refresh_from_db()
        assert (second.milli, second.matches) == (1_500_000, 0)
        assert rating(versions[0]).milli == 1_575_000

    def test_the_fold_knows_when_a_version_entered(self, ladder: Ladder, versions: list[BotVersion]) -> None:
        finished(ladder, versions, 4)
        late = services.enqueue_match(ladder=ladder, versions=versions)
        claim = claimed(late)
        second = make_version("Ann", number=2)
        services.enter_ladder(ladder=ladder, version=second)
        services.finish_match(claim=claim, record=record_of(claim, 4))
        finished(ladder, [second, versions[1]], 3)
        before = snapshot(ladder)
        assert services.verify_ladder(ladder=ladder) == []
        services.rebuild_ladder(ladder=ladder)
        assert snapshot(ladder) == before
        assert rating(second).start_milli == 1_575_000


class TestConcurrency:
    @pytest.mark.django_db(transaction=True)
    def test_workers_finishing_matches_of_the_same_bots_lose_no_update(
        self, ladder: Ladder, versions: list[BotVersion]
    ) -> None:
        workers, each = 6, 5
        claims = [claimed(services.enqueue_match(ladder=ladder, versions=versions)) for _ in range(workers * each)]
        start = threading.Barrier(workers)
        stored: list[bool] = []

        def work(number: int) -> None:
            rng = random.Random(number)
            start.wait()
            for claim in claims[number::workers]:
                record = record_of(claim, rng.randrange(5))
                # Every result is handed in twice, as a worker does that missed the answer.
                stored.extend(services.finish_match(claim=claim, record=record) for _ in range(2))
            connection.close()

        threads = [threading.Thread(target=work, args=(number,)) for number in range(workers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(stored) == [False] * 30 + [True] * 30
        assert [row.matches for row in Rating.objects.all()] == [30, 30]
        sequences = list(Match.objects.order_by("sequence").values_list("sequence", flat=True))
        assert sequences == list(range(1, 31))
        assert services.verify_ladder(ladder=ladder) == []


def snapshot(ladder: Ladder) -> tuple[list[object], list[object]]:
    ratings = Rating.objects.filter(ladder=ladder).order_by("pk")
    changes = RatingChange.objects.filter(rating__ladder=ladder).order_by("rating", "sequence")
    return (
        list(ratings.values_list("pk", "start_milli", "milli", "matches", "wins", "draws", "losses")),
        list(changes.values_list("rating", "match", "sequence", "before_milli", "delta_milli", "matches_before")),
    )


class TestVoid:
    def test_a_void_match_leaves_the_ladder_as_if_it_had_never_been(
        self, ladder: Ladder, versions: list[BotVersion]
    ) -> None:
        finished(ladder, versions, 4)
        before = snapshot(ladder)
        match = services.enqueue_match(ladder=ladder, versions=versions)
        for _ in range(settings.MATCH_ATTEMPTS):
            services.release_match(claim=claimed(match), error="The engine is gone.")
        assert Match.objects.get(pk=match.pk).state == Match.State.VOID
        assert snapshot(ladder) == before
        assert services.verify_ladder(ladder=ladder) == []
        assert finished(ladder, versions, 4).sequence == 2


def _two(rng: random.Random) -> tuple[int, int]:
    first, second = rng.sample([1, 2, 3, 4], 2)
    return first, second


class TestFold:
    entries = (Entry(1, None, 0), Entry(2, None, 0), Entry(3, 1, 2), Entry(4, 3, 2))

    def results(self) -> list[Result]:
        rng = random.Random(3)
        rows = [Result(n, 100 + n, (1, 2), rng.randrange(5)) for n in (1, 2)]
        return rows + [Result(n, 100 + n, _two(rng), rng.randrange(5)) for n in range(3, 60)]

    def test_the_order_of_storage_does_not_matter_and_duplicates_count_once(self) -> None:
        results = self.results()
        straight = fold(self.entries, results)
        shuffled = results + results[10:30]
        random.Random(1).shuffle(shuffled)
        assert fold(reversed(self.entries), shuffled) == straight

    def test_the_numbers_are_elos(self) -> None:
        standings, changes = fold(self.entries[:2], [Result(1, 101, (1, 2), 4), Result(2, 102, (2, 1), 1)])
        da, db = expected_deltas(1_425_000, 1, 1_575_000, 1, 0.25)
        assert changes[2:] == [Change(2, 102, 2, 1_425_000, da, 1), Change(1, 102, 2, 1_575_000, db, 1)]
        assert standings[1] == Standing(1_500_000, 1_575_000 + db, matches=2, wins=2)
        assert standings[2] == Standing(1_500_000, 1_425_000 + da, matches=2, losses=2)

    def test_a_successor_of_a_successor_starts_where_both_stood(self) -> None:
        standings, changes = fold(self.entries, self.results()[:2])
        assert standings[3].start_milli == standings[4].start_milli == standings[1].milli
        assert len(changes) == 4

    def test_two_matches_with_one_number_are_a_contradiction(self) -> None:
        with pytest.raises(FoldError, match="both claim"):
            fold(self.entries, [Result(1, 101, (1, 2), 4), Result(1, 102, (1, 2), 4)])

    def test_one_match_with_two_numbers_is_a_contradiction(self) -> None:
        with pytest.raises(FoldError, match="two sequence numbers"):
            fold(self.entries, [Result(1, 101, (1, 2), 4), Result(2, 101, (1, 2), 4)])

    def test_a_match_of_somebody_who_had_not_entered_is_a_contradiction(self) -> None:
        with pytest.raises(FoldError, match="not entered"):
            fold(self.entries, [Result(1, 101, (1, 3), 4)])


class TestCommand:
    def test_verify_passes_on_a_true_ladder(
        self, ladder: Ladder, versions: list[BotVersion], capsys: pytest.CaptureFixture[str]
    ) -> None:
        finished(ladder, versions, 4)
        call_command("ladder", "verify")
        assert "every rating and tally is the fold" in capsys.readouterr().out

    @pytest.mark.parametrize(
        "damage",
        [
            lambda: Rating.objects.filter(milli__gt=1_500_000).update(milli=1_575_001),
            lambda: Rating.objects.filter(milli__gt=1_500_000).update(wins=0, losses=1),
            lambda: RatingChange.objects.filter(delta_milli__gt=0).update(delta_milli=1),
            lambda: RatingChange.objects.filter(delta_milli__gt=0).delete(),
            lambda: Match.objects.filter(sequence=1).update(is_rated=False),
        ],
        ids=["rating", "count", "change", "missing", "uncounted"],
    )
    def test_verify_says_what_differs_and_rebuild_mends_it(
        self, ladder: Ladder, versions: list[BotVersion], capsys: pytest.CaptureFixture[str], damage: object
    ) -> None:
        finished(ladder, versions, 4)
        assert callable(damage)
        damage()
        with pytest.raises(CommandError, match="ladder rebuild"):
            call_command("ladder", "verify")
        assert "classic: " in capsys.readouterr().out
        call_command("ladder", "rebuild", "classic")
        call_command("ladder", "verify", "classic")

    def test_an_unknown_ladder_is_named(self) -> None:
        with pytest.raises(CommandError, match="The ladders are: none yet"):
            call_command("ladder", "verify", "nowhere")

    def test_setup_may_be_repeated(self) -> None:
        call_command("setup", verbosity=0)
        first = (list(Ladder.objects.values()), list(BotVersion.objects.values("pk", "sha256")))
        call_command("setup", verbosity=0)
        assert (list(Ladder.objects.values()), list(BotVersion.objects.values("pk", "sha256"))) == first
        assert Ladder.objects.get().slug == "classic"
        assert Bot.objects.filter(is_house=True).count() >= 3


class TestBench:
    @pytest.fixture(autouse=True)
    def _five_in_a_row(self, settings: Any) -> None:
        settings.BENCH_AFTER_FAULTS = 5

    @pytest.fixture
    def pair(self) -> list[BotVersion]:
        return [make_version("Ann", User.objects.create_user("ann")), make_version("Ben")]

    def lose(self, ladder: Ladder, pair: list[BotVersion], times: int, *, is_rated: bool = True) -> None:
        """Seat 0 fails in both games."""
        for _ in range(times):
            finished(ladder, pair, 0, is_rated=is_rated)

    def bench_of(self, version: BotVersion) -> tuple[str, str]:
        bot = Bot.objects.get(pk=version.bot_id)
        return bot.state, bot.benched_reason

    def test_five_in_a_row_bench_the_bot_with_a_reason(self, ladder: Ladder, pair: list[BotVersion]) -> None:
        self.lose(ladder, pair, 4)
        assert self.bench_of(pair[0]) == ("active", "")
        self.lose(ladder, pair, 1)
        state, reason = self.bench_of(pair[0])
        assert state == "benched"
        assert reason == "Version 1 failed in 5 rated matches in a row."
        assert self.bench_of(pair[1]) == ("active", "")

    def test_the_owner_reads_once_what_to_do(self, client: Client, ladder: Ladder, pair: list[BotVersion]) -> None:
        self.lose(ladder, pair, 5)
        client.force_login(User.objects.get(username="ann"))
        for path in ("/my/", "/bots/ann/"):
            said = re.sub(r"<[^>]+>", "", client.get(path).content.decode())
            sentences = [sentence for sentence in said.split(".") if "to bring it back" in sentence]
            assert len(sentences) == (path == "/my/")
            assert len(re.findall(r"failed in 5 rated matches", said)) == 1

    def test_one_clean_match_starts_the_count_again(self, ladder: Ladder, pair: list[BotVersion]) -> None:
        self.lose(ladder, pair, 4)
        finished(ladder, pair, 4)
        self.lose(ladder, pair, 4)
        assert self.bench_of(pair[0])[0] == "active"

    def test_unrated_matches_do_not_count(self, ladder: Ladder, pair: list[BotVersion]) -> None:
        self.lose(ladder, pair, 6, is_rated=False)
        assert self.bench_of(pair[0])[0] == "active"

    def test_an_old_version_does_not_bench_the_new_one(self, ladder: Ladder, pair: list[BotVersion]) -> None:
        self.lose(ladder, pair, 4)
        match = services.enqueue_match(ladder=ladder, versions=pair)
        claim = claimed(match)
        make_version("Ann", number=2)
        services.finish_match(claim=claim, record=record_of(claim, 0))
        assert self.bench_of(pair[0])[0] == "active"

    def test_a_new_version_brings_the_bot_back(self, ladder: Ladder, pair: list[BotVersion]) -> None:
        self.lose(ladder, pair, 5)
        second = make_version("Ann", number=2)
        BotVersion.objects.filter(pk=second.pk).update(state=BotVersion.State.VALIDATING)
        claim = claim_validation(version_id=second.pk)
        assert claim is not None
        record_validation(claim=claim, report=ValidationReport(checks=(), class_name="Bot"))
        assert self.bench_of(second) == ("active", "")
