"""What the pages of bots sum up: counted from the log in any portions, the same after a rebuild, and checked."""

import random
from collections import Counter
from itertools import pairwise

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import F, Sum
from django.test.utils import CaptureQueriesContext

from arena.bots.random_bot import RandomBot
from arena.bots.simple import Simple
from arena.record import MatchRecord
from arena.steps import steps
from ladder import services, tallies, tasks
from ladder.models import Fault, Game, Ladder, Match, Meeting, Rating, RatingChange, Seat, Tallied, Tally
from ladder.services.tallies import CHUNK
from ladder.styles import Style, from_text
from ladder.tallies import CURVE, stride
from tests.web.games import Forgetful, played, record_of
from tests.web.matches import finished, make_ladder, make_version

pytestmark = pytest.mark.django_db


@pytest.fixture
def ladder() -> Ladder:
    """With real and forfeited games, a new version on the way, and an unrated match between."""
    ladder, rng = make_ladder(), random.Random(3)
    versions = [make_version(name) for name in ("Ann", "Ben", "Cid")]
    for number in range(14):
        pair = rng.sample(versions, 2)
        if number % 3:
            finished(ladder, pair, rng.randrange(5), is_rated=number != 5)
        else:
            played(ladder, pair, (Simple, RandomBot), decks=number)
        if number == 7:
            versions[0] = make_version("Ann", number=2)
    return ladder


def snapshot() -> list[list[object]]:
    meetings = [field.name for field in Meeting._meta.concrete_fields if field.name != "id"]
    return [
        list(Tally.objects.order_by("rating").values_list()),
        list(Meeting.objects.order_by("bot", "ladder", "opponent").values_list(*meetings)),
        list(Tallied.objects.values_list()),
    ]


def test_the_sums_are_those_of_the_log(ladder: Ladder) -> None:
    tasks.tally_ladders()
    for rating in Rating.objects.all():
        changes = list(rating.changes.select_related("match"))
        tally = rating.tally
        assert tally.matches == rating.matches == len(changes)
        assert tally.curve == [change.after_milli for change in changes]
        games = [
            (game, seat.index) for change in changes for seat in change.match.seats.filter(version=rating.version_id)
            for game in change.match.games.all()
        ]  # fmt: skip
        for seat in (0, 1):
            own = [(game, index) for game, index in games if game.seat0_index ^ index == seat]
            assert tally.seats[seat] == [
                len(own),
                sum(game.winner == index for game, index in own),
                sum(game.winner is None for game, index in own),
                sum((game.score_a, game.score_b)[index] for game, index in own),
            ]
    for meeting in Meeting.objects.all():
        both = Match.objects.filter(is_rated=True, seats__bot=meeting.bot).filter(seats__bot=meeting.opponent)
        assert meeting.matches == both.count() == meeting.wins + meeting.draws + meeting.losses
        seats = Seat.objects.filter(match__in=both, bot=meeting.bot)
        assert (meeting.games_won, meeting.points) == tuple(
            seats.aggregate(won=Sum("games_won"), points=Sum("points")).values()
        )
        scores = Counter(seats.values_list("score_quarters", flat=True))
        assert (meeting.wins, meeting.narrow_wins) == (scores[3] + scores[4], scores[3])
        assert (meeting.losses, meeting.narrow_losses) == (scores[0] + scores[1], scores[1])
        mine = RatingChange.objects.filter(match__in=both, rating__version__bot=meeting.bot)
        theirs = {
            change.match_id: change.before_milli
            for change in RatingChange.objects.filter(match__in=both, rating__version__bot=meeting.opponent)
        }
        promised = sum(1 / (1 + 10 ** ((theirs[own.match_id] - own.before_milli) / 400_000)) for own in mine)
        assert meeting.expected / 1_000_000 == pytest.approx(promised, abs=1e-5)
        assert meeting.opponent_milli == theirs[max(theirs)]


def test_the_best_win_and_the_worst_loss_are_by_the_opponents_ratings_then() -> None:
    ladder = make_ladder()
    ann, strong, weak = (make_version(name) for name in ("Ann", "Strong", "Weak"))
    for _ in range(3):
        finished(ladder, [strong, weak], 4)
    lost = finished(ladder, [weak, ann], 3)
    won = finished(ladder, [ann, strong], 4)
    finished(ladder, [ann, weak], 4)
    finished(ladder, [strong, ann], 4)
    services.tally_all(ladder=ladder)
    tally = Tally.objects.get(rating__version=ann)
    before = {
        (change.match_id, change.rating.version_id): change.before_milli
        for change in RatingChange.objects.select_related("rating")
    }
    assert (tally.best_id, tally.best_milli) == (won.pk, before[won.pk, strong.pk])
    assert (tally.worst_id, tally.worst_milli) == (lost.pk, before[lost.pk, weak.pk])


def test_styles_are_what_a_replay_shows() -> None:
    ladder = make_ladder()
    match = played(ladder, [make_version("Ann"), make_version("Ben")], (Simple, RandomBot), decks=4)
    for game, record in zip(match.games.all(), record_of(match).games, strict=True):
        told = list(steps(record))
        ends = [step.showdown for step in told if step.showdown and step.showdown.knocker is not None]
        for side, style in enumerate(from_text(game.style)):
            seat = record.side_of(side)
            own = [end for end in ends if end.knocker == seat]
            gins = sum(end.ending.value in ("gin", "big-gin") for end in own)
            caught = sum(end.ending.value == "undercut" for end in own)
            others = [end for end in ends if end.knocker != seat and end.ending.value in ("knock", "undercut")]
            left = sum(end.knocker_points if end in own else end.defender_points for end in ends)
            assert (style.hands, style.gins, style.knocks) == (len(ends), gins, len(own) - gins)
            assert (style.caught, style.faced, style.deadwood) == (caught, len(others), left)
            assert style.undercuts == sum(end.ending.value == "undercut" for end in others)
            assert sum(style.times) == sum(step.actor == seat and step.seconds is not None for step in told)


def test_a_style_is_written_and_read() -> None:
    style = Style(hands=10, gins=1, times=[0] * 3 + [10] + [0] * 13)
    assert Style.parse(str(style)) == style
    assert Style.parse("") == Style()


def test_any_portions_give_the_same_and_nothing_counts_twice(ladder: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    services.tally_all(ladder=ladder)
    whole = snapshot()
    services.tally_all(ladder=ladder)
    assert snapshot() == whole
    call_command("ladder", "rebuild", verbosity=0)
    assert snapshot() == whole
    services.rebuild_ladder(ladder=ladder)
    assert Tally.objects.count() == Meeting.objects.count() == 0
    monkeypatch.setattr("ladder.services.tallies.CHUNK", 3)
    portions = 0
    while services.tally(ladder=ladder):
        portions += 1
    assert portions == 5
    assert snapshot() == whole
    call_command("ladder", "verify", verbosity=0)


def test_games_from_before_there_were_styles_get_theirs_from_the_record(ladder: Ladder) -> None:
    styles = list(Game.objects.filter(match__is_rated=True).values_list("style", flat=True))
    assert all(styles)
    Game.objects.update(style="")
    services.tally_all(ladder=ladder)
    assert list(Game.objects.filter(match__is_rated=True).values_list("style", flat=True)) == styles
    assert services.verify_tallies(ladder=ladder) == []


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda: Tally.objects.order_by("pk")[:1].get().delete(), "The tally of rating"),
        (lambda: Meeting.objects.update(expected=F("expected") + 1), "The meetings of bot"),
        (lambda: Meeting.objects.filter(bot__name="Ann").latest("pk").delete(), "The meetings of bot"),
        (
            lambda: Meeting.objects.filter(bot__name="Ann", opponent__name="Ben").update(
                opponent=make_version("Z").bot
            ),
            "The meetings of bot",
        ),
        (lambda: Tallied.objects.update(style="1"), "How the ladder plays"),
    ],
)
def test_a_wrong_sum_is_found_and_a_rebuild_mends_it(
    ladder: Ladder, change: object, found: str, capsys: pytest.CaptureFixture[str]
) -> None:
    services.tally_all(ladder=ladder)
    assert callable(change)
    change()
    with pytest.raises(CommandError):
        call_command("ladder", "verify")
    assert found in capsys.readouterr().out
    call_command("ladder", "rebuild", verbosity=0)
    call_command("ladder", "verify", verbosity=0)


def test_counting_costs_the_same_after_a_long_history(ladder: Ladder) -> None:
    def cost() -> int:
        versions = [row.version for row in Rating.objects.select_related("version__bot").order_by("-pk")[:2]]
        finished(ladder, versions, 3)
        with CaptureQueriesContext(connection) as captured:
            assert services.tally(ladder=ladder) == 1
        return len(captured)

    services.tally_all(ladder=ladder)
    first = cost()
    for _ in range(20):
        finished(ladder, [make_version("Ann", number=5 + _), make_version(f"Other{_}")], 1)
    services.tally_all(ladder=ladder)
    assert cost() == first


def test_a_curve_keeps_its_points_apart_and_few() -> None:
    sums = tallies.Sums()
    for number in range(1, 1_000):
        sums.add(tallies.Side(1, 1, 1, 2, 2, number - 1, 0, number, 0, ()))
        step = stride(number)
        assert sums.curve == list(range(step, number + 1, step))
        assert len(sums.curve) <= CURVE
    assert {b - a for a, b in pairwise(sums.curve)} == {8}


def test_a_fault_knows_the_step_of_its_decision() -> None:
    ladder = make_ladder()
    match = played(ladder, [make_version("Lost"), make_version("Found")], (Forgetful, Simple))
    fault = Fault.objects.filter(game__number=0).get()
    record: MatchRecord = record_of(match)
    told = list(steps(record.games[0]))
    assert told[-1].kind == "fault"
    assert fault.step == told[-1].number - 1
    assert told[fault.step].turn == record.games[0].side_of(fault.seat)
    assert CHUNK > 1
