"""A validation is claimed once, recorded once, and picked up again when whoever held it is gone."""

from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.utils import timezone

from arena.checks import Check, ValidationReport
from arena.player import HouseFailure
from bots import tasks, trials, validations
from bots.models import BotVersion, Trial
from tests.sandbox.faulty import PLAYS
from tests.web.entering import FakeDriver, author, entered, open_uploads

PASSED = ValidationReport((Check("load", ok=True, message="Loaded."),), "Mine")
FAILED = ValidationReport((Check("load", ok=False, message="No.", code="syntax"),))


@pytest.fixture
def version(db: None, monkeypatch: pytest.MonkeyPatch) -> BotVersion:
    open_uploads()
    monkeypatch.setattr("bots.sandboxes.get_driver", FakeDriver)
    return entered(author())


def _gives(monkeypatch: pytest.MonkeyPatch, *outcomes: ValidationReport | Exception) -> list[int]:
    """Let the sandbox give these outcomes in turn; returns the list of calls."""
    calls: list[int] = []

    def validate(*args: object, **kwargs: object) -> ValidationReport:
        calls.append(1)
        outcome = outcomes[len(calls) - 1]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    monkeypatch.setattr(tasks, "validate", validate)
    return calls


def _expire(version: BotVersion) -> None:
    BotVersion.objects.filter(pk=version.pk).update(lease_expires_at=timezone.now() - timedelta(seconds=1))


def test_a_message_delivered_twice_validates_once(version: BotVersion, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = _gives(monkeypatch, PASSED)
    tasks.validate_version(version.pk)
    tasks.validate_version(version.pk)
    version.refresh_from_db()
    assert (len(calls), version.state) == (1, BotVersion.State.ACTIVE)


def test_a_claim_excludes_every_other_until_its_lease_ends(version: BotVersion) -> None:
    assert validations.claim_validation(version_id=version.pk) is not None
    assert validations.claim_validation(version_id=version.pk) is None
    _expire(version)
    second = validations.claim_validation(version_id=version.pk)
    assert second is not None
    assert second.attempt == 2


def test_a_report_that_comes_too_late_is_not_wanted(version: BotVersion) -> None:
    late = validations.claim_validation(version_id=version.pk)
    _expire(version)
    held = validations.claim_validation(version_id=version.pk)
    assert late is not None
    assert held is not None
    assert not validations.renew_validation(claim=late, so_far=PASSED)
    assert not validations.record_validation(claim=late, report=FAILED)
    assert validations.record_validation(claim=held, report=PASSED)
    assert not validations.record_validation(claim=held, report=FAILED)
    version.refresh_from_db()
    assert version.state == BotVersion.State.ACTIVE


def test_the_houses_failure_rejects_nothing_and_is_tried_again(
    version: BotVersion, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    calls = _gives(monkeypatch, HouseFailure("the engine is gone"), PASSED)
    tasks.validate_version(version.pk)
    version.refresh_from_db()
    assert (version.state, version.house_error) == (BotVersion.State.VALIDATING, "the engine is gone")
    tasks.validate_version(version.pk)  # too early
    assert len(calls) == 1
    _expire(version)
    tasks.validate_version(version.pk)
    version.refresh_from_db()
    assert (version.state, version.house_error, len(calls)) == (BotVersion.State.ACTIVE, "", 2)


def test_an_unexpected_error_is_the_houses_too(version: BotVersion, monkeypatch: pytest.MonkeyPatch) -> None:
    _gives(monkeypatch, ZeroDivisionError("a bug of ours"))
    with pytest.raises(ZeroDivisionError):
        tasks.validate_version(version.pk)
    version.refresh_from_db()
    assert version.state == BotVersion.State.VALIDATING
    assert version.house_error
    assert version.lease_expires_at is not None


def test_a_sandbox_for_trusted_code_never_runs_an_upload(
    version: BotVersion, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    calls = _gives(monkeypatch, PASSED)
    monkeypatch.setattr(FakeDriver, "trusted_only", True)
    tasks.validate_version(version.pk)
    version.refresh_from_db()
    assert (version.state, calls) == (BotVersion.State.VALIDATING, [])


def test_a_worker_that_lost_its_claim_stops(
    version: BotVersion, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def validate(*args: object, progress: Any, **kwargs: object) -> ValidationReport:
        _expire(version)
        assert validations.claim_validation(version_id=version.pk) is not None
        progress(ValidationReport(()))
        raise AssertionError("it played on")

    monkeypatch.setattr(tasks, "validate", validate)
    tasks.validate_version(version.pk)
    version.refresh_from_db()
    assert (version.attempt, version.state, version.house_error) == (2, BotVersion.State.VALIDATING, "")


def test_a_worker_that_is_told_to_stop_hands_it_back(version: BotVersion, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(validations, "validate_later", asked.append)

    def validate(*_: object, **__: object) -> ValidationReport:
        raise SystemExit

    monkeypatch.setattr(tasks, "validate", validate)
    with pytest.raises(SystemExit):
        tasks.validate_version(version.pk)
    version.refresh_from_db()
    assert (asked, version.house_error) == ([version.pk], "")
    assert validations.claim_validation(version_id=version.pk) is not None


def test_progress_renews_the_lease_and_shows_the_checks_that_passed(
    version: BotVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    def validate(*args: object, progress: Any, **kwargs: object) -> ValidationReport:
        soon = timezone.now() + timedelta(seconds=5)
        BotVersion.objects.update(lease_expires_at=soon)
        progress(PASSED)
        version.refresh_from_db()
        assert version.lease_expires_at is not None
        assert version.lease_expires_at > soon
        assert [check["name"] for check in version.report["checks"]] == ["load"]
        return PASSED

    monkeypatch.setattr(tasks, "validate", validate)
    tasks.validate_version(version.pk)
    version.refresh_from_db()
    assert version.state == BotVersion.State.ACTIVE


def test_what_nobody_holds_is_asked_for_again(version: BotVersion, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(validations, "validate_later", asked.append)
    assert validations.requeue_stale_validations() == 0  # its message is on its way
    _wait(timedelta(minutes=2))
    assert validations.requeue_stale_validations() == 1  # its message was lost
    assert validations.requeue_stale_validations() == 0
    claim = validations.claim_validation(version_id=version.pk)
    assert validations.requeue_stale_validations() == 0  # somebody is at it
    _expire(version)
    assert validations.requeue_stale_validations() == 1  # whoever was at it is gone
    _expire(version)
    assert claim is not None
    assert validations.record_validation(claim=claim, report=PASSED)
    assert validations.requeue_stale_validations() == 0
    assert asked == [version.pk, version.pk]


def test_messages_do_not_pile_up_while_no_worker_runs(version: BotVersion, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validations, "validate_later", lambda _: None)
    monkeypatch.setattr(trials, "play_trial_later", lambda _: None)
    assert version.bot.owner is not None
    trials.start_trial(owner=version.bot.owner, code=PLAYS, opponent="simple")
    asked = []
    for _ in range(240):  # two hours, by sweeps of half a minute
        _wait(timedelta(seconds=30))
        asked.append((validations.requeue_stale_validations(), trials.requeue_stale_trials()))
    assert asked[:4] == [(0, 1), (1, 1), (0, 1), (1, 1)]
    # Every five minutes, and every minute, once they have waited for ten times as long.
    assert [sum(each) for each in zip(*asked[-60:], strict=True)] == [6, 30]


def _wait(time: timedelta) -> None:
    """As if so much time went by."""
    BotVersion.objects.update(created_at=F("created_at") - time, resend_at=F("resend_at") - time)
    Trial.objects.update(created_at=F("created_at") - time, resend_at=F("resend_at") - time)
