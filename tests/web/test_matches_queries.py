"""What the pages read: right numbers, and as many queries for a long list as for a short one."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from bots.models import Bot, BotVersion
from ladder import queries, services
from ladder.models import Ladder, Rating
from ladder.standings import standings_page
from tests.web.matches import claimed, finished, make_ladder, make_version

pytestmark = pytest.mark.django_db


@pytest.fixture
def ladder() -> Ladder:
    return make_ladder()


@pytest.fixture
def versions() -> list[BotVersion]:
    return [make_version(name) for name in ("Ann", "Ben", "Cid")]


def count(ask: Callable[[], Any]) -> int:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        ask()
    assert not any('"source"' in query["sql"] for query in captured), "A page reads no sources."
    return len(captured)


def test_standings_rank_who_has_played_and_name_who_waits(ladder: Ladder, versions: list[BotVersion]) -> None:
    ann, ben, cid = versions
    services.enter_ladder(ladder=ladder, version=cid)
    finished(ladder, [ann, ben], 0)
    rows = standings_page(ladder).rows
    assert [(row.rank, row.bot.name, row.rating.milli) for row in rows] == [
        (1, "Ben", 1_575_000),
        (2, "Ann", 1_425_000),
        (None, "Cid", 1_500_000),
    ]
    assert all(row.is_provisional for row in rows)
    assert queries.rank_of(Rating.objects.get(version=ann)) == 2
    assert queries.rank_of(Rating.objects.get(version=cid)) is None


def test_standings_show_current_versions_of_playing_bots(ladder: Ladder, versions: list[BotVersion]) -> None:
    finished(ladder, versions[:2], 4)
    finished(ladder, versions[1:], 4)
    second = make_version("Ann", number=2)
    finished(ladder, [second, versions[1]], 4)
    Bot.objects.filter(slug="cid").update(state=Bot.State.RETIRED)
    assert {row.version for row in standings_page(ladder).rows} == {second, versions[1]}


def test_a_list_of_matches_goes_on_where_it_stopped(ladder: Ladder, versions: list[BotVersion]) -> None:
    matches = [finished(ladder, versions[:2], 4) for _ in range(3)]
    void = services.enqueue_match(ladder=ladder, versions=versions[:2])
    services.void_match(match_id=void.pk, error="x")
    matches += [services.enqueue_match(ladder=ladder, versions=versions[1:]) for _ in range(2)]
    newest_first = [match.pk for match in reversed(matches)]
    first = queries.matches_page(limit=3)
    assert [match.pk for match in first.matches] == newest_first[:3]
    second = queries.matches_page(limit=3, before=first.next_before)
    assert [match.pk for match in second.matches] == newest_first[3:]
    assert second.next_before is None
    assert [match.pk for match in queries.matches_page(bot=versions[0].bot).matches] == newest_first[2:]
    assert [match.pk for match in queries.recent_finished(ladder)] == newest_first[2:]


def test_a_match_of_a_bot_against_itself_is_listed_once(ladder: Ladder, versions: list[BotVersion]) -> None:
    finished(ladder, [versions[0], versions[0]], 2, is_rated=False)
    assert len(queries.matches_page(bot=versions[0].bot).matches) == 1


def test_activity_counts_what_goes_on(ladder: Ladder, versions: list[BotVersion]) -> None:
    finished(ladder, versions[:2], 4)
    waiting = [services.enqueue_match(ladder=ladder, versions=versions[:2]) for _ in range(3)]
    claimed(waiting[0])
    services.enqueue_match(ladder=ladder, versions=versions[:2], is_rated=False, is_private=True)
    expected = queries.Activity(queued=2, running=1)
    assert queries.activity(ladder) == queries.activity() == expected


def test_faults_and_logs_are_found_by_seat(ladder: Ladder, versions: list[BotVersion]) -> None:
    match = finished(ladder, versions[:2], 3)
    assert [(fault.game.number, fault.seat) for fault in queries.recent_faults(versions[0].bot)] == [(1, 0)]
    assert len(queries.recent_faults(versions[1].bot)) == 2
    assert queries.seat_logs(match, 0) == []


def test_no_list_costs_more_queries_when_it_is_longer(ladder: Ladder, versions: list[BotVersion]) -> None:
    def detail(key: int) -> None:
        match = queries.match_detail(key)
        assert match is not None
        _ = [(seat.version.bot.name, seat.score_quarters) for seat in match.seats.all()]
        _ = [list(game.faults.all()) for game in match.games.all()]
        _ = [change.rating.version_id for change in match.rating_changes.all()]

    def listed() -> None:
        page = queries.matches_page()
        _ = [seat.version.bot.name for match in page.matches for seat in match.seats.all()]

    asks: list[Callable[[], Any]] = [
        lambda: [row.bot.name for row in standings_page(ladder).rows],
        listed,
        lambda: queries.recent_finished(ladder),
        lambda: [rating.version.number for rating in queries.bot_standings(versions[0].bot)],
        lambda: [fault.game.match_id for fault in queries.recent_faults(versions[0].bot)],
    ]
    match = finished(ladder, versions[:2], 1)
    before = [count(ask) for ask in asks]
    for other in [*versions[1:], make_version("Dot"), make_version("Eve")] * 2:
        finished(ladder, [versions[0], other], 1)
    assert [count(ask) for ask in asks] == before
    assert count(lambda: detail(match.pk)) <= 5
