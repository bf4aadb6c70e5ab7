"""The checks of ratings that go on by themselves: a corrupted row raises an alarm until it is repaired."""

import datetime as dt
import random

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.core.management import call_command
from django.db.models import F
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from ladder import services, strengths, tasks, watch
from ladder.models import Check, Ladder, Meeting, Rating, RatingChange, Seat, Strength
from tests.web.entering import text_of
from tests.web.matches import finished, make_ladder, make_version

pytestmark = pytest.mark.django_db


@pytest.fixture
def ladder() -> Ladder:
    """With some matches, a new version on the way, and an unrated match between."""
    ladder, rng = make_ladder(), random.Random(2)
    versions = [make_version(name) for name in ("Ann", "Ben", "Cid")]
    for number in range(12):
        finished(ladder, rng.sample(versions, 2), rng.randrange(5), is_rated=number != 5)
        if number == 7:
            versions[0] = make_version("Ann", number=2)
    return ladder


def all_due() -> None:
    Check.objects.update(checked_at=timezone.now() - dt.timedelta(days=1))


def failing() -> set[str]:
    all_due()
    tasks.watch_ladders()
    return set(Check.objects.exclude(alarm="").values_list("name", flat=True))


def test_a_ladder_in_order_raises_no_alarm(client: Client, ladder: Ladder) -> None:
    strengths.fit_ladder(ladder)
    assert failing() == set()
    assert Check.objects.count() == len(watch.KINDS) == 5
    assert client.get("/healthz").content == b"ok\n"


def newest_delta() -> None:
    RatingChange.objects.filter(pk=RatingChange.objects.latest("sequence").pk).update(delta_milli=F("delta_milli") + 1)


def milli() -> None:
    Rating.objects.filter(version__bot__name="Ben").update(milli=F("milli") + 1)


def lost_change() -> None:
    RatingChange.objects.earliest("sequence").delete()


def score() -> None:
    seats = Seat.objects.filter(match=Seat.objects.filter(match__is_rated=True).earliest("match").match)
    seats.update(score_quarters=4 - F("score_quarters"))
    assert seats.exclude(score_quarters=2).exists()


def counted_twice() -> None:
    Rating.objects.filter(version__bot__name="Ben").update(matches=F("matches") + 1, wins=F("wins") + 1)


def tally() -> None:
    services.tally_ladders()
    Meeting.objects.filter(bot__name="Ben").update(points=F("points") + 1)


def chain() -> None:
    """The delta is wrong and the rating follows it, so that the sums are right."""
    change = RatingChange.objects.filter(rating__version__bot__name="Cid").latest("sequence")
    RatingChange.objects.filter(pk=change.pk).update(delta_milli=F("delta_milli") + 5)
    Rating.objects.filter(pk=change.rating_id).update(milli=F("milli") + 5)


@pytest.mark.parametrize(
    ("corrupt", "found"),
    [
        (newest_delta, {"newest", "sums", "whole"}),
        (milli, {"newest", "sums", "whole"}),
        (lost_change, {"newest", "sums", "whole"}),
        (score, {"newest", "whole"}),
        (counted_twice, {"newest", "sums", "whole"}),
        (chain, {"newest", "whole"}),
        (tally, {"tallies"}),
    ],
)
def test_a_corrupted_row_raises_the_alarm_and_its_repair_ends_it(
    client: Client,
    ladder: Ladder,
    settings: Settings,
    caplog: pytest.LogCaptureFixture,
    corrupt: object,
    found: set[str],
) -> None:
    settings.ADMINS = [("operator", "operator@arena.example")]
    assert callable(corrupt)
    assert failing() == set()
    corrupt()
    assert failing() == found
    assert failing() == found
    health = client.get("/healthz").content.decode().splitlines()
    assert health[0] == "ok"
    assert set(health[1:]) == {f"degraded: {name} classic" for name in found}
    # One mail and one line for each, however often it is found again.
    errors = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert len(errors) == len(mail.outbox) == len(found)
    assert all("`manage.py ladder rebuild`" in text for text in (*errors, *(letter.body for letter in mail.outbox)))
    assert {letter.to[0] for letter in mail.outbox} == {"operator@arena.example"}
    client.force_login(User.objects.create_superuser("root"))
    page = text_of(client.get("/admin/"))
    for name in found:
        assert f"Classic: the check of {name} fails" in page
    call_command("ladder", "rebuild", verbosity=0)
    assert failing() == set()
    assert client.get("/healthz").content == b"ok\n"
    assert "passes again" in caplog.text
    assert "fails" not in text_of(client.get("/admin/"))


def test_the_newest_matches_are_checked_alone(ladder: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ladder.services.ratings.NEWEST", 3)
    lost_change()
    assert services.verify_newest(ladder=ladder) == []
    newest_delta()
    assert services.verify_newest(ladder=ladder) != []


def test_two_ratings_that_lie_far_apart_are_an_alarm(ladder: Ladder) -> None:
    strengths.fit_ladder(ladder)
    Rating.objects.update(matches=60, wins=60, draws=0, losses=0)
    Strength.objects.update(
        milli=F("milli") + 90_000, low_milli=F("low_milli") + 90_000, high_milli=F("high_milli") + 90_000
    )
    assert watch.agreement(ladder=ladder) == []  # the scales differ by the same for all
    ben = Strength.objects.get(rating__version__bot__name="Ben")
    Rating.objects.filter(pk=ben.rating_id).update(milli=ben.milli + ben.high_milli - ben.low_milli + 400_000)
    (problem,) = watch.agreement(ladder=ladder)
    assert problem.startswith("Ben v1 has ")
    assert problem.endswith(" by Bradley-Terry.")


def test_checks_run_when_they_are_due(ladder: Ladder) -> None:
    assert watch.watch() == 5
    assert watch.watch() == 0
    Check.objects.update(checked_at=timezone.now() - dt.timedelta(minutes=6))
    assert watch.watch() == 2  # the newest matches, and the agreement
    all_due()
    Check.objects.update(seconds=0.02 * 2 * 86_400)  # so costly that it may run every two days
    assert watch.watch() == 0


def test_a_check_that_breaks_holds_up_no_other(
    ladder: Ladder, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*, ladder: Ladder) -> list[str]:
        raise ArithmeticError("oops")

    kinds = [watch.Kind("broken", dt.timedelta(), broken, ""), *watch.KINDS]
    monkeypatch.setattr(watch, "KINDS", kinds)
    assert watch.watch() == 5
    assert "The check of broken could not be made on ladder classic." in caplog.text


def test_a_log_that_contradicts_itself_is_an_alarm(ladder: Ladder) -> None:
    finished(ladder, [make_version("Dot"), make_version("Eve")], 4)
    RatingChange.objects.filter(rating__version__bot__name="Dot").delete()
    Rating.objects.filter(version__bot__name="Dot").delete()
    assert "whole" in failing()
    assert "contradicts itself" in Check.objects.get(name="whole").alarm
