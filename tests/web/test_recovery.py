"""What beat's recovery finds and what it survives."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from bots import sandboxes
from bots import services as bots
from ladder import services, tasks
from ladder.models import Match, Seat
from sandbox.drivers.base import Box, DriverUnavailable, Limits
from tests.web.matches import claimed, make_ladder, make_version

pytestmark = pytest.mark.django_db


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The matches for which a message was sent."""
    ids: list[int] = []
    monkeypatch.setattr("celery.app.base.Celery.send_task", lambda _, name, args, queue: ids.extend(args))
    return ids


def test_recovery_finds_dead_workers_and_lost_messages(
    sent: list[int], django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    ladder, versions = make_ladder(), [make_version("Ann"), make_version("Ben")]
    dead, lost, alive, fresh = (services.enqueue_match(ladder=ladder, versions=versions) for _ in range(4))
    past = timezone.now() - dt.timedelta(seconds=1)
    claimed(dead)
    Match.objects.filter(pk=dead.pk).update(lease_expires_at=past)
    Match.objects.filter(pk=lost.pk).update(resend_at=past)
    claimed(alive)
    with django_capture_on_commit_callbacks(execute=True):
        tasks.recover()
    assert sent == [dead.pk, lost.pk]
    states = dict(Match.objects.values_list("pk", "state"))
    assert states == {dead.pk: "queued", lost.pk: "queued", alive.pk: "running", fresh.pk: "queued"}


def test_times_from_before_the_databases_clock_was_set_back_hold_nothing_up(
    sent: list[int], django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    ladder, versions = make_ladder(), [make_version("Ann"), make_version("Ben")]
    running, waiting = (services.enqueue_match(ladder=ladder, versions=versions) for _ in range(2))
    claimed(running)
    tomorrow = timezone.now() + dt.timedelta(days=1)
    Match.objects.filter(pk=running.pk).update(lease_expires_at=tomorrow)
    Match.objects.filter(pk=waiting.pk).update(resend_at=tomorrow)
    with django_capture_on_commit_callbacks(execute=True):
        tasks.recover()
    assert sent == [waiting.pk]
    latest = timezone.now() + dt.timedelta(minutes=1)
    assert Match.objects.get(pk=running.pk).state == "running"
    assert Match.objects.get(pk=running.pk).lease_expires_at <= latest  # type: ignore[operator]
    assert Match.objects.get(pk=waiting.pk).resend_at <= latest


@pytest.mark.parametrize(
    ("driver", "runs_uploads", "expected"),
    [
        ("docker", True, {"Ann", "Ben", "Mine"}),
        ("process", False, {"Ann", "Ben"}),
        ("", False, set()),
        (None, False, set()),
    ],
)
def test_beat_schedules_what_the_workers_reported_they_can_run(
    driver: str | None, runs_uploads: bool, expected: set[str]
) -> None:
    make_ladder()
    for name, owner in (("Ann", None), ("Ben", None), ("Mine", User.objects.create_user("me"))):
        make_version(name, owner)
    if driver is not None:
        bots.record_sandbox(driver=driver, runs_uploads=runs_uploads)
    for _ in range(5):
        tasks.schedule()
        Match.objects.filter(state=Match.State.QUEUED).update(state=Match.State.VOID)
    assert set(Seat.objects.values_list("version__bot__name", flat=True)) == expected


class LeavingDriver:
    """A driver in which boxes of the dead are found."""

    name = "leaving"
    trusted_only = True

    def __init__(self, *, is_away: bool = False) -> None:
        self.is_away = is_away
        self.reaped = 0

    def check(self) -> None:
        pass

    def open_box(self, limits: Limits) -> Box:
        raise AssertionError("Reaping opens no box.")

    def reap(self) -> int:
        self.reaped += 1
        if self.is_away:
            raise DriverUnavailable("No engine answers.")
        return 2


@pytest.mark.parametrize("is_away", [False, True])
def test_a_process_reaps_before_it_opens_boxes_and_then_once_a_minute(
    is_away: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr(sandboxes, "_reaped_at", -sandboxes.REAP_SECONDS)
    monkeypatch.setattr("bots.sandboxes.time.monotonic", lambda: now[0])
    driver = LeavingDriver(is_away=is_away)
    for seconds in (0, 1, 58, 2, 30, 31):
        now[0] += seconds
        sandboxes.reap_sometimes(driver)
    assert driver.reaped == 3
