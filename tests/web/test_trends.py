"""How a ladder stood a day ago and before: exactly what its log says, cheap, and mended by a rebuild."""

import datetime as dt
import random
from collections import defaultdict
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from bots.models import Bot, BotVersion
from ladder import services, tasks
from ladder.models import Ladder, Match, RatingChange, Trend
from ladder.standings import standings_page
from ladder.trends import DAY, DAYS, trends_of
from tests.web.entering import text_of
from tests.web.matches import finished, make_ladder, make_version

pytestmark = pytest.mark.django_db


@pytest.fixture
def ladder() -> Ladder:
    return make_ladder()


def hour() -> dt.datetime:
    return timezone.now().replace(minute=0, second=0, microsecond=0)


def play(ladder: Ladder, versions: list[BotVersion], quarters: int, when: dt.datetime) -> None:
    match = finished(ladder, versions, quarters)
    Match.objects.filter(pk=match.pk).update(finished_at=when)


def summed(moment: dt.datetime) -> dict[str, int]:
    """The bots' ratings at the moment, added up from 1500 over all their matches before it; of one version each."""
    sums: dict[str, int] = defaultdict(lambda: 1_500_000)
    for change in RatingChange.objects.filter(match__finished_at__lt=moment).select_related("rating__version__bot"):
        sums[change.rating.version.bot.name] += change.delta_milli
    return dict(sums)


def test_ranks_and_ratings_are_those_that_the_log_says(ladder: Ladder) -> None:
    rng, at = random.Random(3), hour() - DAY
    versions = [make_version(name) for name in ("Ann", "Ben", "Cid", "Dot", "Eve")]
    began = at - 5.5 * DAY
    for number in range(45):
        # From five and a half days before to half a day after; Eve comes late.
        playing = versions if number > 30 else versions[:4]
        play(ladder, rng.sample(playing, 2), rng.randrange(5), began + number * 6 * DAY / 45)
    ladder.refresh_from_db()
    found = {trend.bot.name: trend for trend in trends_of(ladder, at)}
    expected = summed(at)
    assert {name: trend.millis[-1] for name, trend in found.items()} == expected
    assert [trend.bot.name for trend in sorted(found.values(), key=lambda trend: trend.rank)] == sorted(
        expected, key=lambda name: -expected[name]
    )
    for days in range(1, 6):
        then = {name: trend.millis[-1 - days] for name, trend in found.items() if len(trend.millis) > days}
        assert then == summed(at - days * DAY)
    assert 2 <= len(found["Eve"].millis) < len(found["Ann"].millis) == 6


def test_the_table_shows_places_won_and_lost_since_then(ladder: Ladder, client: Client) -> None:
    ann, ben, cid = (make_version(name) for name in ("Ann", "Ben", "Cid"))
    play(ladder, [ann, ben], 4, hour() - 2 * DAY)  # Ann first, Ben second
    for _ in range(3):
        play(ladder, [ben, ann], 4, hour())
    finished(ladder, [cid, ann], 4)
    tasks.update_trends()
    assert {row.bot.name: (row.rank_before, row.movement) for row in standings_page(ladder).rows} == {
        "Ben": (2, 1),
        "Cid": (None, None),
        "Ann": (1, -2),
    }
    page = " ".join(text_of(client.get("/")).split())
    assert "up 1 place since yesterday" in page
    assert "down 2 places since yesterday" in page
    # Ann's rating a day before and now, as the line beside it says in words.
    now = next(row.rating.points for row in standings_page(ladder).rows if row.bot.name == "Ann")
    assert f"1575 a day ago, {now} now" in page


def test_a_new_version_takes_over_its_bots_past_and_who_left_counts_nowhere(ladder: Ladder) -> None:
    ann, ben, cid = (make_version(name) for name in ("Ann", "Ben", "Cid"))
    play(ladder, [ann, ben], 4, hour() - 3 * DAY)
    play(ladder, [cid, ben], 3, hour() - 2 * DAY)
    newer = make_version("Ben", number=2)
    for _ in range(2):
        play(ladder, [newer, ann], 4, hour())
    Bot.objects.filter(name="Ann").update(state=Bot.State.RETIRED)
    tasks.update_trends()
    assert set(Trend.objects.values_list("bot__name", "rank")) == {("Cid", 1), ("Ben", 2)}
    assert {row.bot.name: row.movement for row in standings_page(ladder).rows} == {"Ben": 1, "Cid": -1}


def test_it_is_made_once_an_hour_and_again_after_a_rebuild(ladder: Ladder) -> None:
    ann, ben = make_version("Ann"), make_version("Ben")
    play(ladder, [ann, ben], 4, hour() - 2 * DAY)
    tasks.update_trends()
    ladder.refresh_from_db()
    assert ladder.trends_at == hour() - DAY
    Trend.objects.update(millis=[1], rank=9)
    with CaptureQueriesContext(connection) as captured:
        tasks.update_trends()
    assert len(captured) == 1 + (connection.vendor == "postgresql")  # the database's time, the ladders
    assert Trend.objects.filter(rank=9).count() == 2
    services.rebuild_ladder(ladder=ladder)
    tasks.update_trends()
    assert sorted(Trend.objects.values_list("rank", flat=True)) == [1, 2]
    # An hour later they are made anew, and no more rows than bots are ever kept.
    Ladder.objects.update(trends_at=hour() - DAY - dt.timedelta(hours=1))
    Trend.objects.update(rank=9)
    tasks.update_trends()
    assert sorted(Trend.objects.values_list("rank", "millis")) == [(1, [1_575_000]), (2, [1_425_000])]


def test_making_it_costs_queries_by_days_and_not_by_bots(ladder: Ladder) -> None:
    def queries() -> int:
        ladder.refresh_from_db()
        with CaptureQueriesContext(connection) as captured:
            trends_of(ladder, hour() - DAY)
        return sum("ladder_ratingchange" in query["sql"] for query in captured)

    play(ladder, [make_version("Ann"), make_version("Ben")], 4, hour() - (DAYS + 2) * DAY)
    assert queries() == DAYS
    for number in range(6):
        play(ladder, [make_version(f"A{number}"), make_version(f"B{number}")], 3, hour() - 3 * DAY)
    assert queries() == DAYS


def test_trends_of_before_a_rebuild_are_not_stored_after_it(ladder: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    play(ladder, [make_version("Ann"), make_version("Ben")], 4, hour() - 2 * DAY)

    def slowly(*args: Any) -> list[Trend]:
        made = trends_of(*args)
        services.rebuild_ladder(ladder=ladder)
        return made

    for _ in range(2):  # the first time, and after a rebuild
        with monkeypatch.context() as patched:
            patched.setattr("ladder.trends.trends_of", slowly)
            tasks.update_trends()
        assert not Trend.objects.exists()
    tasks.update_trends()
    assert Trend.objects.count() == 2
