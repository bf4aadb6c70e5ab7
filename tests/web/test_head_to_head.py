"""Two bots against each other: the totals, what they mean, and every match between them."""

import itertools
import math
from unittest.mock import Mock

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from bots.models import Bot
from ladder import tasks
from ladder.head_to_head import head_to_head
from ladder.matrix import Cell
from ladder.significance import chance_of
from tests.web.entering import text_of
from tests.web.matches import finished, make_ladder, make_version


@pytest.mark.parametrize("scores", [(4,), (4, 4, 4), (3, 3, 1), (4, 4, 2, 0, 3), (0, 1, 1, 4, 0, 0, 3), (2, 2)])
def test_the_chance_is_the_share_of_flipped_series_that_part_as_far(scores: tuple[int, ...]) -> None:
    leads = [score - 2 for score in scores]
    worlds = [sum(map(int.__mul__, leads, signs)) for signs in itertools.product((-1, 1), repeat=len(leads))]
    as_far = sum(abs(world) >= abs(sum(leads)) for world in worlds)
    counts = {score: scores.count(score) for score in scores}
    assert chance_of(counts) == pytest.approx(as_far / len(worlds))


def test_no_match_is_no_evidence() -> None:
    assert chance_of({}) == 1.0


def test_long_series_go_on_where_the_exact_test_ends() -> None:
    # Two-sided binomial tails: 166 of 301 and 165 of 300.
    def tail(ups: int, of: int) -> float:
        return float(2 * sum(math.comb(of, k) for k in range(ups, of + 1)) / 2**of)

    assert chance_of({3: 165, 1: 135}) == pytest.approx(tail(165, 300))
    assert chance_of({3: 166, 1: 135}) == pytest.approx(tail(166, 301), rel=0.01)


@pytest.mark.django_db
def test_totals_are_of_rated_matches_in_either_seat() -> None:
    ladder, other = make_ladder(), make_ladder("parlour", "parlour")
    ann, ben, cid = (make_version(name) for name in ("Ann", "Ben", "Cid"))
    finished(ladder, [ann, ben], 4)
    finished(ladder, [ben, ann], 1)
    finished(other, [ann, ben], 0)
    finished(ladder, [ann, ben], 4, is_rated=False)
    finished(ladder, [ann, cid], 0)
    tasks.tally_ladders()
    result = head_to_head(ann.bot, ben.bot)
    assert (result.matches, result.record, result.score) == (3, (2, 0, 1), (4 + 3 + 0) / 12)
    # A game is won by whoever does not fail: 2-0, then ben's one quarter is a lost and a drawn game, then 0-2.
    assert result.games == (3, 2)
    assert +result.counts == {4: 1, 3: 1, 0: 1}
    assert head_to_head(ben.bot, ann.bot).record == (1, 0, 2)
    assert head_to_head(ann.bot, ben.bot, ladder).record == (2, 0, 0)


@pytest.mark.django_db
def test_the_page_says_whether_the_difference_could_be_chance(client: Client) -> None:
    ladder = make_ladder()
    ann, ben = make_version("Ann"), make_version("Ben")
    page = text_of(client.get("/bots/ann/against/ben/"))
    assert "They have not met yet" in page
    match, *_ = [finished(ladder, [ann, ben], 4) for _ in range(5)]
    tasks.tally_ladders()
    assert "Too close to call" in text_of(client.get("/bots/ann/against/ben/"))  # 2 of 32 series part as far
    finished(ladder, [ben, ann], 0)
    tasks.tally_ladders()
    page = text_of(client.get("/bots/ann/against/ben/"))
    assert "Ann is better in this pairing" in page.replace("<strong>", "")  # 2 of 64
    assert f'href="/matches/{match.pk}/"' in page
    assert "Ann is better in this pairing" in text_of(client.get("/bots/ben/against/ann/?ladder=classic"))


@pytest.mark.django_db
def test_two_names_lead_to_their_page_and_wrong_ones_are_told(client: Client) -> None:
    ladder = make_ladder()
    finished(ladder, [make_version("Ann"), make_version("Ben")], 4)
    assert 'href="/bots/ann/against/ben/?ladder=classic"' in text_of(client.get("/against/"))  # neighbours at the top
    for query in ("first=Ann&second=Ben", "first=+aNN+&second=ben"):
        answer = client.get(f"/against/?{query}")
        assert (answer.status_code, answer.headers["Location"]) == (302, "/bots/ann/against/ben/")
    answer = client.get("/against/?first=Ann&second=Ben&ladder=classic")
    assert answer.headers["Location"] == "/bots/ann/against/ben/?ladder=classic"
    page = text_of(client.get("/against/?first=Be&second=Zed"))
    assert "No bot is called “Be”. Is one of these meant? Ben." in page
    assert "No bot is called “Zed”. See" in page
    assert "That is one bot twice" in text_of(client.get("/against/?first=Ann&second=ann"))
    Bot.objects.filter(name="Ben").update(state=Bot.State.DELETED)
    assert client.get("/against/?first=Ann&second=Ben").status_code == 200
    assert text_of(client.get("/against/names/?second=N")).split() == ["<option", 'value="Ann">the', "arena</option>"]


@pytest.mark.django_db
def test_the_matrix_has_every_pair_both_ways_round(client: Client) -> None:
    ladder, other = make_ladder(), make_ladder("parlour", "parlour")
    ann, ben, cid = (make_version(name) for name in ("Ann", "Ben", "Cid"))
    for quarters in (4, 4, 3):
        finished(ladder, [ann, ben], quarters)
    finished(ladder, [ben, ann], 2)
    finished(ladder, [make_version("Ben", number=2), cid], 4)
    finished(ladder, [ann, cid], 4, is_rated=False)
    finished(other, [ann, cid], 4)
    tasks.tally_ladders()
    with CaptureQueriesContext(connection) as queries:
        page = " ".join(text_of(client.get("/matrix/")).split())
    # Nothing that grows with every match between the top 20.
    assert not any('"ladder_seat"' in query["sql"] for query in queries)
    # Ann: 1 + 1 + 3/4 + 1/2 of four; Ben's both versions count.
    for words in (
        "Ann against Ben: 81 % of the points in 4 matches",
        "Ben against Ann: 19 % of the points in 4 matches",
        "Ben against Cid: 100 % of the points in 1 match",
        "Cid against Ben: 0 % of the points in 1 match",
        "Ann has not met Cid",
        "Cid has not met Ann",
    ):
        assert words in page.replace("\N{NO-BREAK SPACE}", " ")
    assert 'href="/bots/ben/against/ann/?ladder=classic"' in page
    assert {
        (cell["bot"], cell["against"]): (cell["matches"], cell["score"])
        for cell in client.get("/api/v1/ladders/classic/matrix").json()["cells"]
    } == {("ann", "ben"): (4, 13 / 16), ("ben", "ann"): (4, 3 / 16), ("ben", "cid"): (1, 1), ("cid", "ben"): (1, 0)}
    assert "Ann against Cid: 100" in text_of(client.get("/matrix/?ladder=parlour"))
    assert "Too few bots" in text_of(client.get(f"/matrix/?ladder={make_ladder('tally', 'tally').slug}"))


@pytest.mark.parametrize(
    ("matches", "quarters", "shade"),
    # With four drawn ones added: 10 of 14, 8 of 14, 1000 of 1004 (at the end of the scale), 500 of 1004.
    [(10, 32, 3), (10, 24, 1), (1000, 4000, 5), (1000, 2000, 0), (1000, 0, -5), (0, 0, 0), (1, 4, 1)],
)
def test_few_matches_give_a_pale_shade(matches: int, quarters: int, shade: int) -> None:
    assert Cell(Mock(), matches, quarters).heat == shade


@pytest.mark.django_db
def test_a_bot_against_itself_or_nobody_is_no_page(client: Client) -> None:
    make_version("Ann")
    assert client.get("/bots/ann/against/ann/").status_code == 404
    assert client.get("/bots/ann/against/bob/").status_code == 404
