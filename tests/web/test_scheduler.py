"""Who is queued, how many, and what must never hold up the others."""

import random
import threading
from collections import Counter
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from arena import pairing
from bots.models import Bot, BotVersion
from ladder import scheduler, services
from ladder.models import Ladder, Match, Rating, Seat, Strength
from tests.web.matches import claimed, finished, make_ladder, make_version, record_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def depth(settings: Settings) -> int:
    settings.LADDER_QUEUE_DEPTH = 4
    return 4


def run(*, house_only: bool = False) -> int:
    return scheduler.schedule(house_only=house_only, rng=random.Random(7))


def queued_slugs() -> set[str]:
    return set(Seat.objects.filter(match__state=Match.State.QUEUED).values_list("version__bot__slug", flat=True))


def test_a_ladder_is_filled_once() -> None:
    make_ladder()
    make_version("Ann")
    make_version("Ben")
    assert run() == 4
    assert run() == 0
    assert Match.objects.filter(state=Match.State.QUEUED, is_rated=True).count() == 4


@pytest.mark.django_db(transaction=True)
def test_two_schedulers_at_once_fill_it_once() -> None:
    make_ladder()
    make_version("Ann")
    make_version("Ben")
    start = threading.Barrier(3)
    counts: list[int] = []

    def work() -> None:
        start.wait()
        counts.append(run())
        connection.close()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(counts) == [0, 0, 4]


@pytest.mark.parametrize("bots", [0, 1])
def test_a_ladder_without_two_bots_blocks_nobody(bots: int) -> None:
    make_ladder("a-first")
    for name in ("Ann", "Ben")[:bots]:
        make_version(name)
    assert run() == 0
    make_version("Cid")
    make_version("Dot")
    assert run() > 0


def test_a_ladder_that_fails_holds_up_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = make_ladder("a-first"), make_ladder("b-second")
    make_version("Ann")
    make_version("Ben")
    true = scheduler._candidates
    monkeypatch.setattr(
        scheduler, "_candidates", lambda ladder, players: 1 // 0 if ladder == first else true(ladder, players)
    )
    assert run() == 4
    assert set(Match.objects.values_list("ladder", flat=True)) == {second.pk}


def test_a_closed_ladder_rests() -> None:
    Ladder.objects.create(slug="closed", name="Closed", is_open=False)
    make_version("Ann")
    make_version("Ben")
    assert run() == 0


def test_the_queue_follows_what_the_workers_take() -> None:
    ladder = make_ladder()
    versions = [make_version("Ann"), make_version("Ben")]
    for _ in range(9):
        claimed(services.enqueue_match(ladder=ladder, versions=versions))
    assert run() == 9
    Match.objects.update(claimed_at=timezone.now() - 2 * scheduler.PACE)
    Match.objects.filter(state=Match.State.QUEUED).delete()
    assert run() == 4


def test_a_run_among_many_bots_is_followed_by_a_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    make_ladder()
    for name in ("Ann", "Bob", "Cid"):
        make_version(name)
    monkeypatch.setattr(scheduler, "MANY", 2)
    monkeypatch.setattr(scheduler, "_rests_until", 0.0)
    assert run() == 4
    Match.objects.update(state=Match.State.VOID)
    assert run() == 0
    monkeypatch.setattr(scheduler, "_rests_until", 0.0)  # as after REST
    assert run() == 4


def test_only_bots_that_play_are_queued_and_as_their_current_version() -> None:
    make_ladder()
    make_version("Ann")
    current = make_version("Ann", number=2)
    BotVersion.objects.filter(pk=make_version("Ann", number=3).pk).update(state=BotVersion.State.VALIDATING)
    make_version("Ben")
    for name, state in (("Out", Bot.State.BENCHED), ("Old", Bot.State.RETIRED)):
        Bot.objects.filter(pk=make_version(name).bot_id).update(state=state)
    BotVersion.objects.filter(pk=make_version("Bad").pk).update(state=BotVersion.State.REJECTED)
    assert run() == 4
    assert queued_slugs() == {"ann", "ben"}
    assert set(Seat.objects.filter(version__bot__slug="ann").values_list("version", flat=True)) == {current.pk}


def test_one_owners_bots_never_meet() -> None:
    make_ladder()
    owner = User.objects.create_user("olga")
    make_version("Olga1", owner)
    make_version("Olga2", owner)
    assert run() == 0
    make_version("Ben")
    assert run() > 0
    for match in Match.objects.all():
        assert "ben" in {seat.version.bot.slug for seat in match.seats.all()}


def test_without_a_sandbox_only_house_bots_play() -> None:
    make_ladder()
    make_version("Mine", User.objects.create_user("me"))
    make_version("Ann")
    make_version("Ben")
    assert run(house_only=True) == 4
    assert queued_slugs() == {"ann", "ben"}


def test_a_new_version_is_entered_at_its_predecessors_rating() -> None:
    ladder = make_ladder()
    versions = [make_version("Ann"), make_version("Ben")]
    finished(ladder, versions, 4)
    second = make_version("Ann", number=2)
    run()
    assert Rating.objects.get(version=second).milli == 1_575_000


def test_a_newcomer_plays_sooner_than_veterans(settings: Settings) -> None:
    settings.LADDER_QUEUE_DEPTH = 1
    ladder = make_ladder()
    names = [f"V{number}" for number in range(8)]
    for name in names:
        rating = services.enter_ladder(ladder=ladder, version=make_version(name))
        Rating.objects.filter(pk=rating.pk).update(matches=60, draws=60)
    make_version("New")
    seats: Counter[str] = Counter()
    for seed in range(60):
        scheduler.schedule(house_only=False, rng=random.Random(seed))
        seats.update(Seat.objects.values_list("version__bot__slug", flat=True))
        Match.objects.all().delete()
    veterans = sum(seats[name.lower()] for name in names) / len(names)
    # By the weights of `arena.pairing` a newcomer is drawn first 5 / (5 + 8 * 1.36) = 31 % of the time, a veteran 9 %.
    assert seats["new"] > 1.5 * veterans


def test_the_chooser_is_told_ratings_meetings_and_running_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    ladder = make_ladder()
    ann, ben = make_version("Ann"), make_version("Ben")
    finished(ladder, [ann, ben], 4)
    claimed(services.enqueue_match(ladder=ladder, versions=[ben, ann]))
    services.void_match(match_id=services.enqueue_match(ladder=ladder, versions=[ben, ann]).pk, error="x")
    seen = []

    def look(
        candidates: list[pairing.Candidate],
        meetings: pairing.Meetings,
        _: random.Random,
        *,
        running: Counter[int],
    ) -> Iterator[tuple[int, int]]:
        seen.append((sorted(candidates, key=lambda one: one.id), dict(meetings(ann.pk)), dict(running)))
        return iter([])

    monkeypatch.setattr(scheduler, "pairings", look)
    assert run() == 0
    assert seen == [
        (
            [pairing.Candidate(ann.pk, None, 1_575_000, 1), pairing.Candidate(ben.pk, None, 1_425_000, 1)],
            {ben.pk: 2},
            {ann.pk: 1, ben.pk: 1},
        )
    ]


def test_a_new_version_plays_its_placement_matches_first(settings: Settings) -> None:
    settings.LADDER_QUEUE_DEPTH = 12
    ladder = make_ladder()
    for number in range(30):
        rating = services.enter_ladder(ladder=ladder, version=make_version(f"V{number}"))
        Rating.objects.filter(pk=rating.pk).update(matches=60, draws=60)
    new = make_version("V0", number=2)
    run()
    # A quarter of the twelve, however many it lacks.
    assert Seat.objects.filter(version=new).count() == 3
    Match.objects.update(state=Match.State.RUNNING, lease_expires_at=timezone.now() + scheduler.PACE)
    run()
    assert Seat.objects.filter(version=new).count() == pairing.PLACEMENT_MATCHES


class TestSeveralLadders:
    def queued(self) -> Counter[str]:
        return Counter(Match.objects.filter(state=Match.State.QUEUED).values_list("ladder__slug", flat=True))

    def test_the_queue_is_one_and_each_gets_an_equal_part(self, settings: Settings) -> None:
        settings.LADDER_QUEUE_DEPTH = 12
        for slug in ("a", "b", "c"):
            make_ladder(slug)
        for name in ("Ann", "Ben", "Cid", "Dot"):
            make_version(name)
        assert run() == 12
        assert self.queued() == {"a": 4, "b": 4, "c": 4}

    def test_who_was_served_least_is_next(self) -> None:
        """Ladder `a` fills the queue while it is alone; as the workers take it, the others come to their part first."""
        first = make_ladder("a")
        for name in ("Ann", "Ben", "Cid", "Dot"):
            make_version(name)
        run()
        make_ladder("b")
        assert run() == 0
        for match in Match.objects.filter(ladder=first)[:2]:
            claimed(match)
        assert run() == 2
        assert self.queued() == {"a": 2, "b": 2}

    def test_no_ladder_is_always_the_last_where_matches_are_fewer_than_ladders(self, settings: Settings) -> None:
        settings.LADDER_QUEUE_DEPTH = 1
        for slug in ("a", "b", "c"):
            make_ladder(slug)
        for name in ("Ann", "Ben"):
            make_version(name)
        served: Counter[str] = Counter()
        for seed in range(60):
            scheduler.schedule(house_only=False, rng=random.Random(seed))
            served += self.queued()
            Match.objects.all().delete()
        assert min(served[slug] for slug in "abc") >= 10

    def test_what_a_settled_ladder_leaves_goes_to_the_others(self, settings: Settings) -> None:
        settings.LADDER_QUEUE_DEPTH = 6
        settings.SETTLED_MATCHES = 2
        settled = make_ladder("a-settled")
        versions = [make_version("Ann"), make_version("Ben")]
        for _ in range(2):
            finished(settled, versions, 2)
        Match.objects.update(queued_at=timezone.now() - 1000 * scheduler.PACE, claimed_at=None)
        make_ladder("b-new")
        assert run() == 6
        assert self.queued() == {"a-settled": 1, "b-new": 5}


class TestDepth:
    def test_one_match_waits_for_every_busy_worker(self) -> None:
        """Nine workers at matches that last: nothing was claimed lately, and yet each has its next match."""
        ladder = make_ladder()
        versions = [make_version("Ann"), make_version("Ben")]
        for number in range(9):
            claimed(services.enqueue_match(ladder=ladder, versions=versions), worker=f"host{number % 3}:{number}")
        Match.objects.update(claimed_at=timezone.now() - 10 * scheduler.PACE)
        assert run() == 9

    def test_dead_workers_do_not_count(self) -> None:
        ladder = make_ladder()
        versions = [make_version("Ann"), make_version("Ben")]
        for number in range(9):
            claimed(services.enqueue_match(ladder=ladder, versions=versions), worker=f"host:{number}")
        past = timezone.now() - 10 * scheduler.PACE
        Match.objects.update(claimed_at=past, lease_expires_at=past)
        assert run() == 4


def test_a_run_costs_the_same_queries_among_many_bots_as_among_few(settings: Settings) -> None:
    settings.LADDER_QUEUE_DEPTH = 1
    ladder = make_ladder()

    def cost() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert run() == 1
        Match.objects.all().delete()
        return len(captured)

    def enter(bots: int) -> None:
        for number in range(bots):
            services.enter_ladder(ladder=ladder, version=make_version(f"Bot{bots}-{number}"))

    enter(2)
    few = cost()
    enter(40)
    assert cost() == few


class TestTrickle:
    @pytest.fixture
    def ladder(self, settings: Settings) -> Ladder:
        settings.SETTLED_MATCHES = 2
        ladder = make_ladder()
        versions = [make_version("Ann"), make_version("Ben")]
        for _ in range(2):
            finished(ladder, versions, 2)
        self.later()
        return ladder

    def later(self) -> None:
        Match.objects.update(queued_at=timezone.now() - 2 * scheduler.PACE * 30, claimed_at=None)

    def test_a_settled_ladder_plays_one_match_at_a_time(self, ladder: Ladder) -> None:
        assert run() == 1
        assert run() == 0
        match = Match.objects.get(state=Match.State.QUEUED)
        claim = claimed(match)
        services.finish_match(claim=claim, record=record_of(claim, 2))
        assert run() == 0
        self.later()
        assert run() == 1

    @pytest.mark.parametrize(("half", "queued"), [(40_000, 1), (41_000, 4)])
    def test_a_ladder_whose_intervals_are_narrow_is_settled_too(
        self, ladder: Ladder, settings: Settings, half: int, queued: int
    ) -> None:
        settings.SETTLED_MATCHES = 1000
        for rating in Rating.objects.all():
            low, high = 1_500_000 - half, 1_500_000 + half
            Strength.objects.create(rating=rating, milli=1_500_000, low_milli=low, high_milli=high)
        assert run() == queued

    def test_a_newcomer_wakes_it(self, ladder: Ladder) -> None:
        make_version("New")
        assert run() == 4
