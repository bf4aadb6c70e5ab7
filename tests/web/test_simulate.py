"""A simulated ladder is consistent to the last row, and its pages cost the same number of queries at any length."""

import io
import re
from random import Random

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena.record import MatchRecord
from bots.models import Bot
from ladder import services
from ladder.models import Ladder, Match, Rating
from ladder.simulation import draw_quarters
from tests.web.matches import claimed, make_version, record_of

pytestmark = pytest.mark.django_db


def simulated(**options: int) -> str:
    out = io.StringIO()
    call_command("simulate", stdout=out, **{"bots": 12, "matches": 60, "pool": 5, **options})
    return out.getvalue()


def test_every_match_agrees_with_its_record_and_every_rating_with_its_matches() -> None:
    said = simulated()
    matches = Match.objects.prefetch_related("seats__version", "games", "rating_changes__rating")
    assert len(matches) == 60
    for match in matches.select_related("record_blob"):
        record = MatchRecord.from_bytes(bytes(match.record_blob.data))
        record.replay()
        assert record.seed.hex() == match.published_seed
        seats = list(match.seats.all())
        assert [seat.score_quarters for seat in seats] == [record.score_quarters(), 4 - record.score_quarters()]
        assert tuple(seat.games_won for seat in seats) == record.games_won()
        assert tuple(seat.points for seat in seats) == record.points()
        assert [(seat.bot_id, seat.ladder_id) for seat in seats] == [
            (seat.version.bot_id, match.ladder_id) for seat in seats
        ]
        assert [seat.opponent_id for seat in seats] == [seat.bot_id for seat in seats[::-1]]
        for row, game in zip(match.games.all(), record.games, strict=True):
            score = game.score()
            assert (row.number, row.winner, row.hands) == (game.number, score.winner, len(game.hands))
            assert (row.score_a, row.score_b) == score.points
            assert (row.seat0_index, row.ending) == (game.number % 2, game.ending.value)
        assert {change.rating.version_id for change in match.rating_changes.all()} == {s.version_id for s in seats}
    ladder = Ladder.objects.get()
    assert services.verify_ladder(ladder=ladder) == []
    assert ladder.last_sequence == ladder.public_matches == 60
    assert services.verify_sums(ladder=ladder) == []
    assert [difference for _, difference in services.verify_records(ladder=ladder, most=10)] == [""] * 10
    assert sum(Rating.objects.values_list("matches", flat=True)) == 120
    # A quarter of the bots has come back with a second version, rated from where the first one stood.
    assert Rating.objects.filter(predecessor__isnull=False).count() == 3
    hand = re.search(r"(\d+) bytes a hand", said)
    assert hand is not None
    assert 20 < int(hand[1]) <= 150


def test_play_goes_on_behind_it() -> None:
    simulated()
    simulated()
    simulated(bots=0, matches=40)
    assert Bot.objects.filter(is_house=False).count() == 24
    ladder = Ladder.objects.get()
    match = services.enqueue_match(ladder=ladder, versions=[make_version("Ann"), make_version("Ben")])
    claim = claimed(match)
    assert services.finish_match(claim=claim, record=record_of(claim, 3))
    assert services.verify_ladder(ladder=ladder) == []
    assert Ladder.objects.get().last_sequence == 161


def test_a_simulation_has_a_bound() -> None:
    for option in ("bots", "matches", "pool"):
        with pytest.raises(CommandError, match=f"--{option} is at most 100000000, not 100000001."):
            simulated(**{option: 100_000_001})


def test_peoples_bots_are_not_ranked_among_simulated_ones_by_accident() -> None:
    make_version("Mine", User.objects.create_user("ada"))
    with pytest.raises(CommandError, match="People's bots are in this database"):
        simulated()
    assert Match.objects.count() == 0


def test_equals_draw_even_and_stronger_bots_win() -> None:
    def mean(difference: float) -> float:
        rng = Random(1)
        return sum(draw_quarters(difference, rng) for _ in range(20_000)) / 80_000

    assert mean(0) == pytest.approx(0.5, abs=0.01)
    # p = 10/11 in each game: 2-0 in p^2 + rho p q, 0-2 in q^2 + rho p q, with rho = -0.4 (4pq)^2.
    p, q = 10 / 11, 1 / 11
    rho = -0.4 * (4 * p * q) ** 2
    both, neither = p * p + rho * p * q, q * q + rho * p * q
    more = 1 / (1 + 0.1**1.15)
    assert mean(400) == pytest.approx(both + (1 - both - neither) * (0.25 + 0.5 * more), abs=0.01)


def test_pages_ask_as_often_for_a_long_history_as_for_a_short_one(client: Client) -> None:
    simulated(matches=30)
    first, second = Bot.objects.filter(slug__endswith="-1").get(), Bot.objects.filter(slug__endswith="-5").get()
    pages = ["/", "/matches/", f"/bots/{first.slug}/", f"/matches/?bot={first.slug}&ladder=classic"]
    pages.append(f"/bots/{first.slug}/against/{second.slug}/")
    match = Match.objects.earliest("pk")
    pages += [f"/matches/{match.pk}/", f"/matches/{match.pk}/games/1/", f"/matches/{match.pk}/games/2/steps.json"]

    def costs() -> list[int]:
        counted = []
        for page in pages:
            with CaptureQueriesContext(connection) as captured:
                assert client.get(page).status_code == 200
            counted.append(len(captured))
        return counted

    few = costs()
    simulated(bots=120, matches=1_500)
    assert costs() == few
    assert max(few) <= 14


def test_pages_of_the_ladder_join_without_a_gap(client: Client) -> None:
    simulated(bots=230, matches=900)
    listed: list[str] = []
    address = "/"
    while address:
        page = client.get(address).content.decode()
        body = page.partition("<tbody>")[2].partition("</tbody>")[0]
        listed += re.findall(r'href="/bots/([^/]+)/"', body)
        onward = re.search(r'rel="next" href="([^"]+)"', page)
        address = onward[1].replace("&amp;", "&") if onward else ""
        address = f"/{address}" if address else ""
    ratings = Rating.objects.filter(matches__gt=0).order_by("-milli", "version_id").select_related("version__bot")
    ranked = [
        rating.version.bot.slug for rating in ratings if rating.version.number == rating.version.bot.versions.count()
    ]
    assert len(listed) == len(set(listed)) == 230
    assert listed[: len(ranked)] == ranked


def test_a_page_beyond_the_end_or_no_place_at_all(client: Client) -> None:
    simulated()
    assert "nobody further down" in client.get("/?after=1.0.999999").content.decode()
    for nonsense in ("x", "1.2", "1.2.3.4", "1..2"):
        assert client.get(f"/?after={nonsense}").status_code == 404
    assert client.get("/?after=0.1500000.99999999999999999999999999").status_code == 200


def test_the_staffs_lists_never_count_the_whole_table(admin_client: Client) -> None:
    simulated()
    for model in ("ladder/match", "ladder/game", "ladder/rating", "bots/bot", "bots/botversion"):
        with CaptureQueriesContext(connection) as captured:
            assert admin_client.get(f"/admin/{model}/").status_code == 200
        counts = [query["sql"] for query in captured if "COUNT(*)" in query["sql"]]
        assert counts, model
        assert all("LIMIT 10000" in count for count in counts), model
