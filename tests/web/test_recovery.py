"""What beat's recovery finds and what it survives."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from bots import sandboxes
from ladder import services, tasks
from ladder.models import Match
from sandbox.drivers.base import Box, DriverUnavailable, Limits
from tests.web.matches import claimed, make_ladder, make_version

pytestmark = pytest.mark.django_db


class EmptyDriver:
    """A driver in which nothing was left behind."""

    name = "empty"
    trusted_only = True
    reaped = 0

    def check(self) -> None:
        pass

    def open_box(self, limits: Limits) -> Box:
        raise AssertionError("Recovery opens no box.")

    def reap(self) -> int:
        self.reaped += 1
        return 0


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> EmptyDriver:
    driver = EmptyDriver()
    monkeypatch.setattr(sandboxes, "get_driver", lambda: driver)
    return driver


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The matches for which a message was sent."""
    ids: list[int] = []
    monkeypatch.setattr("celery.app.base.Celery.send_task", lambda _, name, args: ids.extend(args))
    return ids


def test_recovery_finds_dead_workers_lost_messages_and_left_boxes(
    driver: EmptyDriver, sent: list[int], django_capture_on_commit_callbacks: Callable[..., Any]
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
    assert driver.reaped == 1


def test_recovery_goes_on_without_a_sandbox(
    monkeypatch: pytest.MonkeyPatch, sent: list[int], django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    def unavailable() -> None:
        raise DriverUnavailable("No engine answers.")

    monkeypatch.setattr(sandboxes, "get_driver", unavailable)
    match = services.enqueue_match(ladder=make_ladder(), versions=[make_version("Ann"), make_version("Ben")])
    Match.objects.update(resend_at=timezone.now())
    with django_capture_on_commit_callbacks(execute=True):
        tasks.recover()
    assert sent == [match.pk]
    tasks.schedule()
    assert Match.objects.count() == 1


def test_beat_schedules_within_a_sandbox(driver: EmptyDriver) -> None:
    make_ladder()
    make_version("Ann")
    make_version("Ben")
    tasks.schedule()
    assert Match.objects.filter(state=Match.State.QUEUED).exists()
