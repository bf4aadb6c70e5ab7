"""A tournament from entries to champion: every format, faults, voids, withdrawals, the organizers' switches."""

import datetime as dt
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import Settings

from arena.bots.random_bot import RandomBot
from arena.bots.simple import Simple
from arena.local import LocalContestant
from arena.referee import play_match
from arena.rules import RULE_SETS
from arena.steps import steps
from arena.tournament import (
    DoubleElimination,
    Format,
    GroupsThenKnockout,
    RoundRobin,
    SingleElimination,
    Swiss,
)
from bots import services as bot_services
from bots.models import Bot
from bots.refusals import Refusal
from ladder import scheduler
from ladder import services as ladder_services
from ladder.models import Ladder, Match, MatchRecordBlob, Rating
from tests.web import cups
from tests.web.entering import author, open_uploads
from tests.web.matches import FailingContestant, make_ladder, make_version, record_of
from tournaments import queries, services, tasks
from tournaments.models import Entry, Fixture, Notice, Tournament

pytestmark = pytest.mark.django_db

PAIRS_OF_12 = 66


@pytest.fixture(autouse=True)
def ladder(db: None) -> Ladder:
    open_uploads()
    return make_ladder()


@pytest.fixture
def staff() -> User:
    return User.objects.create_user("chief", is_staff=True)


def under_way(staff: User, chosen: Format, count: int = 4, **changes: Any) -> Tournament:
    """A tournament whose first matches are queued."""
    made = cups.opened(staff, chosen, **changes)
    cups.entered(made, count)
    cups.make_due(made)
    tasks.run()
    made.refresh_from_db()
    assert made.state == Tournament.State.RUNNING
    return made


@pytest.mark.parametrize(
    ("chosen", "matches"),
    [
        (RoundRobin(), PAIRS_OF_12),
        (RoundRobin(legs=2), 2 * PAIRS_OF_12),
        (Swiss(rounds=5), 5 * 6),
        (SingleElimination(), 11),
        (DoubleElimination(), 22),
        (GroupsThenKnockout(), 3 * 6 + 5),
    ],
)
def test_twelve_bots_play_each_format_to_a_champion(staff: User, chosen: Format, matches: int) -> None:
    cup = cups.opened(staff, chosen)
    cups.entered(cup, 12)
    tasks.run()
    assert not Fixture.objects.exists()
    cups.make_due(cup)
    cups.play_out(cup)
    assert cup.state == Tournament.State.FINISHED
    assert cup.champion is not None
    assert cup.champion.bot == cups.bot(1)
    assert Fixture.objects.filter(match__state=Match.State.FINISHED).count() == matches
    folded = queries.cup(cup)
    assert folded is not None
    assert folded.unused == ()
    assert not Rating.objects.exists()


def test_versions_are_pinned_when_entries_close(staff: User) -> None:
    cup = under_way(staff, SingleElimination(), 2)
    pinned = {entry.version for entry in Entry.objects.select_related("version")}
    for number in (1, 2):
        make_version(f"Bot{number:02}", cups.bot(number).owner, number=2)
    cups.play_out(cup)
    assert {seat.version for seat in Match.objects.get().seats.all()} == pinned


def test_seeds_by_elo_put_the_best_rated_first(staff: User, ladder: Ladder) -> None:
    cup = cups.opened(staff, RoundRobin(), seeding="elo")
    entries = cups.entered(cup, 4)
    Tournament.objects.update(seeding="elo")
    for entry, milli in zip(entries, (1400_000, 1600_000, 1500_000, 1700_000), strict=True):
        version = entry.bot.versions.get()
        ladder_services.enter_ladder(ladder=ladder, version=version)
        Rating.objects.filter(version=version).update(milli=milli)
    cups.make_due(cup)
    tasks.run()
    assert [entry.bot.slug for entry in cup.entries.order_by("seed")] == ["bot04", "bot02", "bot03", "bot01"]


def test_a_step_that_runs_again_queues_nothing_twice(staff: User) -> None:
    under_way(staff, RoundRobin(matches=3), 6)
    assert Fixture.objects.count() == 9
    tasks.run()
    tasks.run()
    assert Fixture.objects.count() == 9


def test_a_match_that_finishes_while_a_step_is_taken_is_not_queued_again(
    staff: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    under_way(staff, RoundRobin(), 2)
    read = queries.cup

    def overtaken(tournament: Tournament) -> Any:
        found = read(tournament)
        cups.play_queued()
        return found

    monkeypatch.setattr(queries, "cup", overtaken)
    tasks.run()
    assert Fixture.objects.count() == 1


def test_no_more_than_the_depth_waits(staff: User, settings: Settings) -> None:
    settings.TOURNAMENT_QUEUE_DEPTH = 4
    cup = under_way(staff, RoundRobin(matches=5), 6)
    assert Fixture.objects.count() == 4
    cups.play_out(cup)
    assert Fixture.objects.count() == 15 * 5


def test_more_wait_when_workers_take_more(staff: User, settings: Settings) -> None:
    settings.TOURNAMENT_QUEUE_DEPTH = 1
    under_way(staff, RoundRobin(matches=5), 4)
    for waiting in (1, 1, 2, 4):
        # Whatever was claimed a moment ago waits once more.
        assert Match.objects.filter(state=Match.State.QUEUED).count() == waiting
        cups.play_queued()
        tasks.run()


def test_the_ladders_queue_is_filled_beside_it(staff: User, settings: Settings) -> None:
    settings.LADDER_QUEUE_DEPTH = 4
    under_way(staff, RoundRobin(), 6)
    assert scheduler.schedule(house_only=False) == 4


def test_a_rated_tournament_moves_ratings_and_the_log_refolds(staff: User, ladder: Ladder) -> None:
    cup = under_way(staff, RoundRobin(), 4, is_rated=True)
    cups.play_out(cup)
    assert {rating.matches for rating in Rating.objects.all()} == {3}
    assert ladder_services.verify_ladder(ladder=ladder) == []


def test_bots_of_one_owner_meet_unrated(staff: User) -> None:
    cup = cups.opened(staff, RoundRobin(), is_rated=True, bots_per_author=2)
    ada = author("ada")
    for name in ("Left", "Right"):
        services.enter(user=ada, tournament=cup, bot=make_version(name, ada).bot)
    cups.make_due(cup)
    cups.play_out(cup)
    assert cup.state == Tournament.State.FINISHED
    assert not Match.objects.get().is_rated
    assert not Rating.objects.exists()


def test_two_that_always_fail_get_nothing_and_seeds_decide(staff: User, ladder: Ladder) -> None:
    cup = under_way(staff, SingleElimination(), 2)
    for _ in range(3):
        tasks.run()
        fixture = Fixture.objects.get(match__state=Match.State.QUEUED)
        claim = ladder_services.claim_match(match_id=fixture.match_id, worker="w")
        assert claim is not None
        record = play_match(RULE_SETS["classic"], claim.seed, FailingContestant(0, 1), FailingContestant(0, 1))
        assert ladder_services.finish_match(claim=claim, record=record)
    tasks.run()
    cup.refresh_from_db()
    assert cup.champion is not None
    assert cup.champion.seed == 1
    folded = queries.cup(cup)
    assert folded is not None
    assert [one.quarters for one in folded.results] == [(0, 0)] * 3


def test_a_match_that_the_house_cannot_play_is_drawn_again_and_then_counts_level(staff: User) -> None:
    cup = under_way(staff, RoundRobin(), 2)
    for draw in range(1, queries.MAX_DRAWS + 1):
        fixture = Fixture.objects.get(match__state=Match.State.QUEUED)
        assert fixture.draw == draw
        ladder_services.void_match(match_id=fixture.match_id, error="broken")
        tasks.run()
    cup.refresh_from_db()
    assert cup.state == Tournament.State.FINISHED
    folded = queries.cup(cup)
    assert folded is not None
    assert [one.points for one in folded.standings] == [0.5, 0.5]


def test_a_void_match_that_is_played_at_the_second_draw_counts_as_played(staff: User) -> None:
    cup = under_way(staff, RoundRobin(), 2)
    ladder_services.void_match(match_id=Fixture.objects.get().match_id, error="broken")
    cups.play_out(cup)
    assert cup.champion is not None
    assert cup.champion.bot == cups.bot(1)


def test_the_most_played_hands_are_those_with_the_most_moves(staff: User) -> None:
    cup = under_way(staff, RoundRobin(matches=2), 2)
    counted: dict[tuple[int | None, ...], int] = {}
    for fixture in cup.fixtures.all():
        claim = ladder_services.claim_match(match_id=fixture.match_id, worker="w")
        assert claim is not None
        record = play_match(RULE_SETS["classic"], claim.seed, LocalContestant(Simple), LocalContestant(RandomBot))
        assert ladder_services.finish_match(claim=claim, record=record)
        for game in record.games:
            hand = 0
            for step in steps(game):
                if step.kind == "deal":
                    hand, dealt = hand + 1, step.number
                    counted[claim.match_id, game.number + 1, hand, dealt] = 0
                else:
                    counted[claim.match_id, game.number + 1, hand, dealt] += 1
    tasks.run()
    cup.refresh_from_db()
    assert cup.state == Tournament.State.FINISHED
    found = queries.most_played(cup)
    assert [one.most_moves for one in found] == sorted(
        (max(moves for (match, *_), moves in counted.items() if match == one.match_id) for one in found), reverse=True
    )
    for one in found:
        assert counted[one.match_id, one.most_game, one.most_hand, one.most_step] == one.most_moves
    assert services.note_hands() == 0


def test_a_damaged_record_holds_up_no_other_matchs_most_played_hand(staff: User) -> None:
    cup = under_way(staff, RoundRobin(), 3)
    assert cups.play_queued() > 0
    MatchRecordBlob.objects.filter(match=cup.fixtures.order_by("match").values("match")[:1]).update(data=b"")
    assert services.note_hands() > 0
    assert services.note_hands() == 0


def test_pausing_takes_back_what_waits_and_resuming_plays_it(staff: User) -> None:
    cup = under_way(staff, RoundRobin(), 4)
    running = Fixture.objects.earliest("match")
    claim = ladder_services.claim_match(match_id=running.match_id, worker="w")
    assert claim is not None
    services.pause(tournament=cup, note="Lunch.")
    assert not Match.objects.filter(state=Match.State.QUEUED).exists()
    tasks.run()
    assert not Match.objects.filter(state=Match.State.QUEUED).exists()
    assert ladder_services.finish_match(claim=claim, record=record_of(claim, 4))
    services.resume(tournament=cup)
    cups.play_out(cup)
    assert cup.state == Tournament.State.FINISHED
    assert Match.objects.filter(state=Match.State.FINISHED).count() == 6


def test_a_round_played_again_keeps_its_old_matches_unused(staff: User) -> None:
    cup = under_way(staff, SingleElimination(), 4)
    cups.play_out(cup)
    assert services.redo_round(tournament=cup, number=1) == 3
    cup.refresh_from_db()
    assert (cup.state, cup.champion) == (Tournament.State.RUNNING, None)
    cups.play_out(cup, lambda fixture: 4 - cups.by_seed(fixture))
    assert cup.champion is not None
    assert cup.champion.bot in (cups.bot(3), cups.bot(4))
    assert Fixture.objects.filter(is_set_aside=True, match__state=Match.State.FINISHED).count() == 3
    assert Match.objects.filter(state=Match.State.FINISHED).count() == 6


def test_a_round_of_a_round_robin_played_again_leaves_the_others(staff: User) -> None:
    cup = under_way(staff, RoundRobin(), 4)
    cups.play_out(cup)
    assert services.redo_round(tournament=cup, number=2) == 2
    cups.play_out(cup)
    assert Match.objects.filter(state=Match.State.FINISHED).count() == 8


def test_who_leaves_a_knockout_gives_a_walkover_and_its_match_is_taken_out(staff: User) -> None:
    cup = under_way(staff, SingleElimination(), 4)
    best = cup.entries.get(bot=cups.bot(1))
    assert best.bot.owner is not None
    services.leave(user=best.bot.owner, entry=best)
    assert Fixture.objects.filter(match__state=Match.State.QUEUED).count() == 1
    cups.play_out(cup)
    assert cup.champion is not None
    assert cup.champion.bot == cups.bot(2)
    assert Match.objects.filter(state=Match.State.FINISHED).count() == 2


def test_the_title_of_a_disqualified_champion_goes_to_the_next(staff: User) -> None:
    cup = under_way(staff, RoundRobin(), 4)
    cups.play_out(cup)
    services.disqualify(entry=cup.entries.get(bot=cups.bot(1)), reason="It looked at the cards.")
    cup.refresh_from_db()
    assert cup.champion is not None
    assert cup.champion.bot == cups.bot(2)


def test_a_bot_that_is_retired_leaves(staff: User) -> None:
    cup = under_way(staff, RoundRobin(), 4)
    Bot.objects.filter(slug="bot02").update(state=Bot.State.RETIRED)
    cups.play_out(cup)
    assert cup.entries.get(bot=cups.bot(2)).left_number == 1
    assert cup.state == Tournament.State.FINISHED


def test_a_benched_bot_and_one_that_went_back_a_version_play_on(staff: User) -> None:
    cup = under_way(staff, RoundRobin(), 3)
    Bot.objects.filter(slug="bot02").update(state=Bot.State.BENCHED)
    cups.bot(3).versions.update(state="withdrawn")
    cups.play_out(cup)
    assert cup.state == Tournament.State.FINISHED
    assert not cup.entries.exclude(left_number=None).exists()


def test_cancelling_takes_out_what_waits_and_keeps_what_was_played(staff: User) -> None:
    cup = under_way(staff, RoundRobin(), 4)
    cups.play_queued()
    tasks.run()
    services.cancel(tournament=cup, note="Rain.")
    tasks.run()
    assert sorted(Match.objects.values_list("state", flat=True)) == ["finished"] * 2 + ["void"] * 2
    cup.refresh_from_db()
    with pytest.raises(Refusal, match="cancelled and cannot be"):
        services.resume(tournament=cup)


def test_fewer_than_two_entries_cancel_it(staff: User) -> None:
    cup = cups.opened(staff, RoundRobin())
    cups.entered(cup, 1)
    cups.make_due(cup)
    tasks.run()
    cup.refresh_from_db()
    assert (cup.state, cup.note) == (Tournament.State.CANCELLED, "Fewer than two bots were entered.")


def test_without_a_sandbox_for_uploads_nothing_is_queued(staff: User) -> None:
    bot_services.record_sandbox(driver="process", runs_uploads=False)
    made = cups.opened(staff, RoundRobin())
    cups.entered(made, 2)
    for name in ("House one", "House two"):
        services.enter(user=staff, tournament=made, bot=make_version(name.replace(" ", "")).bot)
    cups.make_due(made)
    tasks.run()
    names = {seat.bot.name for match in Match.objects.all() for seat in match.seats.all()}
    assert names <= {"Houseone", "Housetwo"}


def test_one_tournament_that_fails_holds_up_no_other(
    staff: User, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    broken = under_way(staff, RoundRobin(), 2)
    fine = cups.opened(staff, RoundRobin())
    for name in ("Aa", "Bb"):
        services.enter(user=staff, tournament=fine, bot=make_version(name).bot)
    cups.make_due(fine)
    Tournament.objects.filter(pk=broken.pk).update(format={"kind": "nonsense"})
    tasks.run()
    fine.refresh_from_db()
    assert fine.state == Tournament.State.RUNNING
    assert "could not be taken further" in caplog.text


def test_a_weekly_cup_goes_on_at_the_same_hour_of_the_creators_day(staff: User) -> None:
    berlin = ZoneInfo("Europe/Berlin")
    cup = cups.opened(staff, RoundRobin(), repeat_days=7, zone="Europe/Berlin", name="Weekly")
    # Closing on the day before the clocks go forward.
    closes = dt.datetime(2027, 3, 27, 20, 0, tzinfo=berlin)
    Tournament.objects.update(opens_at=closes - dt.timedelta(days=2), closes_at=closes, starts_at=closes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bots.clock.now", lambda: closes.astimezone(dt.UTC))
        for _ in range(2):
            tasks.run()
    following = Tournament.objects.get(previous=cup)
    # Eight in the evening again, which is an hour earlier elsewhere.
    assert following.closes_at == dt.datetime(2027, 4, 3, 18, 0, tzinfo=dt.UTC)
    assert (following.title, following.state, following.slug) == ("Weekly #2", Tournament.State.OPEN, "weekly-2")
    assert following.code != cup.code


def test_entrants_are_told_and_may_turn_it_off(staff: User, mailoutbox: list[Any]) -> None:
    made = cups.opened(staff, SingleElimination())
    cups.entered(made, 4)
    quiet, loud = cups.bot(1).owner, cups.bot(4).owner
    assert quiet is not None
    assert loud is not None
    User.objects.exclude(pk=staff.pk).update(email="author@example.org")
    services.set_muted(user=quiet, muted=[("closed", "mail"), ("closed", "page")])
    cups.make_due(made)
    cups.play_out(made)
    tasks.run()
    told = list(Notice.objects.filter(user=loud).order_by("pk").values_list("kind", flat=True))
    assert told == ["closed", "plays", "out", "won"]
    assert [notice.kind for notice in queries.notices_for(quiet)] == ["won", "plays", "plays"]
    tasks.mail_notices()
    tasks.mail_notices()
    mails = [mail.body for mail in mailoutbox]
    # All four are told of the start, of their matches in either round, of the end and, but the champion, that they are
    # out; one of them wants no letter about the first.
    assert len(mails) == (4 - 1) + (4 + 2) + 3 + 4
    assert sum("Bot04 v1 is seeded 4 of 4" in mail for mail in mails) == 1
    assert not any("Bot01 v1 is seeded" in mail for mail in mails)
    assert sum("Bot01 won. Bot02 came in at 2 of 4." in mail for mail in mails) == 1


def test_what_is_due_is_what_is_open_late_or_under_way(staff: User) -> None:
    cups.opened(staff, RoundRobin())
    assert services.due() == []
    Tournament.objects.update(opens_at=timezone.now() - dt.timedelta(days=1), closes_at=timezone.now())
    assert services.due() == [Tournament.objects.get().pk]
