"""Bradley-Terry ratings of a ladder: made in the background from the stored matches, coalesced, anchored, shown."""

import datetime as dt
import random
import re

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from arena import elo
from bots.models import BotVersion
from ladder import bradley_terry, queries, services, strengths, tasks
from ladder.bradley_terry import Pairs, estimate
from ladder.models import Fit, Ladder, Match, Strength
from ladder.strengths import fit_ladder, pair_results
from tests.web.entering import text_of
from tests.web.matches import finished, make_ladder, make_version

pytestmark = pytest.mark.django_db


@pytest.fixture
def ladder() -> Ladder:
    return make_ladder()


def strength(version: BotVersion) -> Strength:
    return Strength.objects.get(rating__version=version)


def play(ladder: Ladder, versions: list[BotVersion], count: int, seed: int = 1) -> None:
    rng = random.Random(seed)
    for _ in range(count):
        finished(ladder, rng.sample(versions, 2), rng.randrange(5))


def test_it_is_the_estimate_of_the_stored_results(ladder: Ladder) -> None:
    versions = [make_version(name) for name in ("Ann", "Ben", "Cid")]
    play(ladder, versions, 25)
    finished(ladder, versions[:2], 4, is_rated=False)
    tasks.fit_ladders()
    rows = [
        ([seat.version_id for seat in match.seats.order_by("index")], match.seats.get(index=0).score_quarters)
        for match in Match.objects.filter(is_rated=True)
    ]
    keys = sorted(version.pk for version in versions)
    sides = np.array([[keys.index(key) for key in pair] for pair, _ in rows])
    scores = np.array([(quarters or 0) / 4 for _, quarters in rows])
    expected = estimate(3, Pairs(sides[:, 0], sides[:, 1], np.ones(len(rows)), scores, scores**2))
    for version, points, deviation in zip(versions, expected.elo, expected.deviation, strict=True):
        found = strength(version)
        assert found.milli == pytest.approx(1_500_000 + 1000 * points, abs=1)
        assert (found.high_milli - found.low_milli) / 2 == pytest.approx(1959.964 * deviation, abs=1)
    fit = ladder.fit
    assert (fit.sequence, fit.matches, fit.busy_until) == (26, 25, None)
    assert fit.dispersion == pytest.approx(expected.dispersion)


def test_the_results_come_in_one_query_summed_by_pairs(ladder: Ladder) -> None:
    ann, ben = make_version("Ann"), make_version("Ben")
    for quarters in (4, 3, 3, 0):
        finished(ladder, [ann, ben], quarters)
    finished(ladder, [ben, ann], 1)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        results = pair_results(ladder, 5)
    assert len(queries) == 1
    pairs = results.pairs
    rows = sorted(zip(*(column.tolist() for column in (pairs.matches, pairs.score, pairs.squares)), strict=True))
    assert rows == [(1, 0.25, 0.0625), (4, 2.5, 1 + 2 * 0.5625)]
    assert pair_results(ladder, 1).pairs.score.tolist() == [1]


def test_the_house_bot_simple_has_1500_by_definition(ladder: Ladder) -> None:
    old, ann, ben = make_version("Simple"), make_version("Ann"), make_version("Ben")
    play(ladder, [old, ann, ben], 20)
    tasks.fit_ladders()
    assert [(row.milli, row.is_anchor) for row in Strength.objects.filter(is_anchor=True)] == [(1_500_000, True)]
    assert strength(old).is_anchor
    new = make_version("Simple", number=2)
    play(ladder, [new, ann], 4)
    fit_ladder(ladder)
    assert (strength(new).milli, strength(new).is_anchor, strength(old).is_anchor) == (1_500_000, True, False)


def test_somebodys_bot_of_that_name_is_no_anchor(ladder: Ladder) -> None:
    versions = [make_version("Simple", User.objects.create_user("ada")), make_version("Ben")]
    finished(ladder, versions, 4)
    tasks.fit_ladders()
    assert sum(strength(version).milli for version in versions) == pytest.approx(3_000_000, abs=1)
    assert not Strength.objects.filter(is_anchor=True).exists()


def test_completeness_counts_the_pairs_that_may_meet(ladder: Ladder) -> None:
    ada = User.objects.create_user("ada")
    a, b = make_version("Aa", ada), make_version("Bb", ada)
    house = [make_version("Cc"), make_version("Dd")]
    old = make_version("Ee", User.objects.create_user("eve"))
    finished(ladder, [a, house[0]], 4)
    finished(ladder, [house[0], a], 4)
    finished(ladder, [house[1], house[0]], 2)
    finished(ladder, [old, b], 2)
    make_version("Ee", old.bot.owner, number=2)
    tasks.fit_ladders()
    fit = Fit.objects.get()
    # Five current versions: ten pairs, of which one is Ada's own. The old Ee's match is not one of the new Ee.
    assert (fit.pairs_met, fit.pairs_possible, fit.completeness) == (2, 9, 2 / 9)


def test_only_ladders_with_new_results_are_fitted(ladder: Ladder) -> None:
    versions = [make_version("Ann"), make_version("Ben")]
    make_ladder("oklahoma", "oklahoma")
    assert strengths.fit_ladders() == 0
    finished(ladder, versions, 4)
    assert strengths.fit_ladders() == 1
    Fit.objects.update(seconds=0)
    assert strengths.fit_ladders() == 0
    finished(ladder, versions, 4)
    assert strengths.fit_ladders() == 1
    assert Fit.objects.get(ladder=ladder).sequence == 2


def test_a_costly_fit_is_made_rarely(ladder: Ladder) -> None:
    finished(ladder, [make_version("Ann"), make_version("Ben")], 4)
    ago = timezone.now() - dt.timedelta(seconds=100)
    Fit.objects.create(ladder=ladder, seconds=10, computed_at=ago)
    assert not services.claim_fit(ladder=ladder)
    Fit.objects.update(computed_at=ago - dt.timedelta(seconds=101))
    assert services.claim_fit(ladder=ladder)


def test_of_two_workers_one_fits_and_a_dead_one_is_replaced(ladder: Ladder) -> None:
    finished(ladder, [make_version("Ann"), make_version("Ben")], 4)
    assert services.claim_fit(ladder=ladder)
    assert not services.claim_fit(ladder=ladder)
    Fit.objects.update(busy_until=timezone.now() - dt.timedelta(seconds=1))
    assert services.claim_fit(ladder=ladder)


def test_a_late_fit_does_not_replace_a_newer_one(ladder: Ladder) -> None:
    versions = [make_version("Ann"), make_version("Ben")]
    finished(ladder, versions, 4)
    late = Fit(ladder=ladder, sequence=0)
    newest = fit_ladder(ladder)
    assert not services.store_fit(fit=late, strengths=[])
    assert Fit.objects.get().sequence == newest.sequence == 1


def test_a_ladder_that_fails_is_free_again_and_holds_up_no_other(
    ladder: Ladder, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    versions = [make_version("Ann"), make_version("Ben")]
    other = make_ladder("oklahoma", "oklahoma")
    for each in (ladder, other):
        finished(each, versions, 4)

    def failing(broken: Ladder) -> Fit:
        if broken == ladder:
            raise ArithmeticError("oops")
        return fit_ladder(broken)

    monkeypatch.setattr(strengths, "fit_ladder", failing)
    tasks.fit_ladders()
    assert "ladder classic could not be computed" in caplog.text
    assert Fit.objects.get(ladder=ladder).busy_until is None
    assert Fit.objects.get(ladder=other).sequence == 1


def test_the_ladder_and_the_bot_page_show_it_with_its_interval(client: Client, ladder: Ladder) -> None:
    versions = [make_version(name) for name in ("Simple", "Ann", "Ben")]
    play(ladder, versions[:2], 15)
    play(ladder, versions[1:], 15)
    tasks.fit_ladders()
    page = " ".join(re.sub(r"<[^>]+>", " ", text_of(client.get("/"))).split())
    for version in versions:
        row = strength(version)
        shown = f"{row.points} ± {row.margin}"
        assert shown in page
        assert shown in " ".join(re.sub(r"<[^>]+>", " ", text_of(client.get(f"/bots/{version.bot.slug}/"))).split())
    assert "Simple house anchor" in page
    assert "67 % of the pairs have met" in page
    assert 'href="/guide/rating/"' in text_of(client.get("/"))


def test_the_document_says_what_the_code_does(client: Client) -> None:
    page = " ".join(text_of(client.get("/guide/rating/")).split())
    assert f"fewer than {queries.PROVISIONAL_BELOW} rated matches" in page
    assert f"prior of {bradley_terry.PRIOR_SD:.0f} points" in page
    assert f"Up to {bradley_terry.DENSE_UP_TO:,} versions" in page
    assert f"max({elo.K_LEAST:.0f}, {elo.K_FIRST:.0f} / (1 + n / {elo.K_MATCHES:.0f}))" in page
    assert f"house bot <strong>{strengths.ANCHOR}</strong> is {elo.START_MILLI // 1000}" in page
    for points, percent in ((100, 64), (200, 76), (400, 91)):
        assert f"{points} points" in page
        assert round(100 * elo.expected_score(points * 1000, 0)) == percent
        assert f"{percent} %" in page
