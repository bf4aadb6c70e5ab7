"""Entering a bot: names, versions, caps, and two things at the same moment."""

import threading
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction
from django.test import TestCase
from django.utils import timezone

from arena.archive import BotSource
from arena.bots import HOUSE_BOTS, house_source
from arena.checks import Check, ValidationReport
from bots import clock, queries, services, validations
from bots.models import Bot, BotVersion, SandboxStatus
from bots.names import checked_name, skeleton, slug_of
from bots.refusals import Refusal
from tests.sandbox.faulty import PLAYS
from tests.web.entering import author, entered, open_uploads

PASSED = ValidationReport((Check("load", ok=True, message="Loaded."),), "Mine")
FAILED = ValidationReport((Check("load", ok=False, message="No.", code="syntax", file="bot.py", line=1),))


@pytest.fixture(autouse=True)
def _open(db: None) -> None:
    open_uploads()


def _validated(version: BotVersion, report: ValidationReport = PASSED) -> BotVersion:
    claim = validations.claim_validation(version_id=version.pk)
    assert claim is not None
    assert validations.record_validation(claim=claim, report=report)
    version.refresh_from_db()
    return version


def _add(bot: Bot, text: str = PLAYS) -> BotVersion:
    return services.add_version(bot=bot, filename="bot.py", data=text.encode())


# Names


@pytest.mark.parametrize("name", ["Jo", "Gin Fizz", "Élodie-2", "a_b", "Бот", "猫の手", "x" * 40, "  two   spaces "])
def test_names_that_are_allowed(name: str) -> None:
    assert checked_name(name) == " ".join(name.split())


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("", "name_length"),
        ("x", "name_length"),
        ("x" * 41, "name_length"),
        ("a<b>", "name_character"),
        ("a\u200bb", "name_character"),
        ("ab\u202e", "name_character"),
        ("a/b", "name_character"),
        ("\U0001f0a1\U0001f0a1", "name_character"),
        ("--", "name_blank"),
        ("New", "name_reserved"),
    ],
)
def test_names_that_are_refused(name: str, code: str) -> None:
    with pytest.raises(Refusal) as caught:
        checked_name(name)
    assert (caught.value.code, caught.value.field) == (code, "name")


@pytest.mark.parametrize("house_bot", HOUSE_BOTS, ids=lambda bot: str(bot.slug))
def test_a_name_that_reads_like_a_house_bots_is_refused(house_bot: Any) -> None:
    for name in (house_bot.name.upper(), house_bot.name.replace("a", "а"), f"-{house_bot.name}_"):  # noqa: RUF001
        with pytest.raises(Refusal) as caught:
            checked_name(name)
        assert caught.value.code == "name_of_house_bot"
        assert house_bot.name in caught.value.message


def test_look_alikes_have_one_skeleton() -> None:
    assert skeleton("S1mp1e") == skeleton("Simple") == skeleton("ѕіmрlе") == skeleton("s-i m_p l é")  # noqa: RUF001
    assert skeleton("Simple") != skeleton("Sample")


def test_slugs() -> None:
    assert slug_of("Gin Fizz") == slug_of("gin  FIZZ") == slug_of("Gín-Fizz") == "gin-fizz"
    assert slug_of("Бот 1") != slug_of("Кот 1")
    assert slug_of("猫").startswith("bot-")
    assert all(slug_of(name).isascii() for name in ("Бот 1", "猫", "Ærø"))


def test_a_name_is_taken_once_whatever_its_case_and_accents() -> None:
    services.create_bot(owner=author(), name="Gin Fizz")
    with pytest.raises(Refusal, match="There is a bot called “Gin Fizz” already") as caught:
        services.create_bot(owner=author("bob"), name="gín fizz")
    assert caught.value.field == "name"


# Versions


def test_versions_count_from_one_and_keep_their_source() -> None:
    first = entered(author())
    second = _add(first.bot, PLAYS + "# better\n")
    assert (first.number, second.number) == (1, 2)
    assert queries.source_of(first) == BotSource({"bot.py": PLAYS}, "bot.py")
    assert first.sha256 == queries.source_of(first).sha256


def test_validation_is_asked_for_once_the_upload_is_committed(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(services, "validate_later", asked.append)
    with TestCase.captureOnCommitCallbacks(execute=True):
        version = entered(author())
        assert asked == []
    assert asked == [version.pk]


def test_a_broker_that_is_away_does_not_fail_the_upload(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def away(version_id: int) -> None:
        raise ConnectionError("no broker")

    open_uploads()
    monkeypatch.setattr(services, "validate_later", away)
    version = entered(author())
    assert BotVersion.objects.get() == version
    assert "no broker" in caplog.text


def test_a_file_that_is_refused_leaves_no_bot_behind() -> None:
    with pytest.raises(Refusal) as caught:
        services.enter_bot(owner=author(), name="Gin Fizz", filename="bot.zip", data=b"PK")
    assert (caught.value.code, caught.value.field) == ("not_zip", "file")
    assert not Bot.objects.exists()


def test_the_same_files_again_are_refused_while_they_are_the_newest() -> None:
    first = entered(author())
    with pytest.raises(Refusal, match="the same as version 1 of Gin Fizz"):
        _add(first.bot)
    _validated(first)
    with pytest.raises(Refusal, match="the same as version 1 of Gin Fizz"):
        _add(first.bot)
    _validated(_add(first.bot, PLAYS + "# 2\n"))
    assert _add(first.bot).number == 3  # going back is allowed


def test_files_that_were_rejected_may_be_tried_again() -> None:
    first = _validated(entered(author()), FAILED)
    assert _add(first.bot).number == 2


def test_two_uploads_at_the_same_moment_get_distinct_numbers(transactional_db: None) -> None:
    open_uploads()
    bot = services.create_bot(owner=author(), name="Gin Fizz")
    results = _at_once(lambda n: _add(bot, f"{PLAYS}# {n}\n").number, range(6))
    assert sorted(results) == [1, 2, 3, 4, 5, 6]


def test_the_same_name_at_the_same_moment_is_given_once(transactional_db: None) -> None:
    users = [author(f"user{n}") for n in range(4)]
    results = _at_once(lambda user: services.create_bot(owner=user, name="Gin Fizz").name, users)
    assert results.count("Gin Fizz") == 1
    assert {type(result) for result in results} == {str, Refusal}


def _at_once(call: Callable[[Any], str | int], arguments: Sequence[Any]) -> list[Any]:
    """What each call returned or raised, all started together, each on a connection of its own."""
    barrier = threading.Barrier(len(arguments))
    results: list[Any] = [None] * len(arguments)

    def run(index: int, argument: Any) -> None:
        barrier.wait()
        try:
            results[index] = call(argument)
        except Refusal as refusal:
            results[index] = refusal
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(arguments)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_the_database_itself_holds_one_version_a_number() -> None:
    version = entered(author())
    with pytest.raises(IntegrityError), transaction.atomic():
        BotVersion.objects.create(bot=version.bot, number=1, sha256="", source=b"", filename="bot.py")


def test_the_database_itself_holds_that_only_house_bots_have_no_owner() -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Bot.objects.create(name="Nobody", slug="nobody")


# Caps


def test_the_cap_on_live_bots_says_how_to_make_room(settings: Any) -> None:
    settings.ARENA_MAX_LIVE_BOTS = 2
    user = author()
    first = services.create_bot(owner=user, name="One")
    services.create_bot(owner=user, name="Two")
    with pytest.raises(Refusal, match=r"You have 2 bots, .* retire one to make room"):
        services.create_bot(owner=user, name="Three")
    services.retire_bot(bot=first)
    assert services.create_bot(owner=user, name="Three")


def test_the_cap_on_uploads_says_when_it_lifts(settings: Any) -> None:
    settings.ARENA_MAX_UPLOADS_A_DAY = 2
    version = entered(author())
    _add(version.bot, PLAYS + "# 2\n")
    oldest = timezone.now() - timedelta(hours=23)
    BotVersion.objects.filter(number=1).update(created_at=oldest)
    free_at = oldest + timedelta(hours=24, minutes=1)
    with pytest.raises(Refusal) as caught:
        _add(version.bot, PLAYS + "# 3\n")
    assert "the limit is 2" in caught.value.message
    assert f"at {free_at:%H:%M} UTC" in caught.value.message
    BotVersion.objects.filter(number=1).update(created_at=oldest - timedelta(hours=2))
    assert _add(version.bot, PLAYS + "# 3\n").number == 3


def test_uploads_are_counted_over_all_bots_of_an_account(settings: Any) -> None:
    settings.ARENA_MAX_UPLOADS_A_DAY = 1
    user = author()
    entered(user)
    with pytest.raises(Refusal) as caught:
        entered(user, name="Another", text=PLAYS + "# 2\n")
    assert caught.value.code == "too_many_uploads"
    assert entered(author("bob"), name="Bobs")


# The sandbox


def test_uploads_are_closed_until_a_worker_reports_a_safe_sandbox() -> None:
    SandboxStatus.objects.all().delete()
    with pytest.raises(Refusal, match="no worker has reported"):
        entered(author())
    services.record_sandbox(driver="process", runs_uploads=False, message="trusted only")
    refusal = services.uploads_closed()
    assert refusal is not None
    assert "no sandbox that is safe" in refusal.message
    services.record_sandbox(driver="bubblewrap", runs_uploads=True)
    assert services.uploads_closed() is None


def test_uploads_are_taken_while_one_machine_can_run_them(monkeypatch: pytest.MonkeyPatch) -> None:
    def reported(minute: int, machine: str, driver: str, numpy: str = "") -> tuple[bool, str, str]:
        """What the site makes of a report at that minute: uploads taken, best driver, numpy for bots."""
        monkeypatch.setattr(clock, "now", lambda: start + timedelta(minutes=minute))
        safe = driver == "docker"
        services.record_sandbox(machine=machine, driver=driver, runs_uploads=safe, numpy=numpy)
        best = queries.sandbox_status()
        assert best is not None
        return services.uploads_closed() is None, best.driver, queries.numpy_version()

    SandboxStatus.objects.all().delete()
    start = timezone.now()
    assert reported(0, "one", "") == (False, "", "")
    assert reported(1, "two", "process") == (False, "process", "")
    assert reported(2, "three", "docker", "2.4.1") == (True, "docker", "2.4.1")
    assert reported(3, "one", "") == (True, "docker", "2.4.1")
    assert reported(4, "one", "docker") == (True, "docker", "")
    assert reported(5, "one", "") == (True, "docker", "2.4.1")
    assert reported(17, "two", "process") == (True, "docker", "2.4.1")
    # Nothing has come from the third for more than a quarter of an hour.
    assert reported(18, "two", "process") == (False, "process", "")
    assert set(SandboxStatus.objects.values_list("machine", flat=True)) == {"one", "two"}
    # Where nobody reports nobody is missed: the queue may be long.
    assert reported(90, "two", "docker") == (True, "docker", "")
    assert SandboxStatus.objects.get().machine == "two"


# States


def test_a_validated_version_is_current_and_a_rejected_one_is_not() -> None:
    first = _validated(entered(author()))
    assert (first.state, first.class_name) == (BotVersion.State.ACTIVE, "Mine")
    rejected = _validated(_add(first.bot, "x = 1\n"), FAILED)
    assert rejected.state == BotVersion.State.REJECTED
    assert rejected.report["checks"][0]["line"] == 1
    assert queries.current_version(first.bot) == first
    assert list(queries.active_versions()) == [first]


def test_the_newest_active_version_is_current_in_whatever_order_they_were_validated() -> None:
    first = entered(author())
    second = _add(first.bot, PLAYS + "# 2\n")
    _validated(second)
    _validated(first)
    assert queries.current_version(first.bot) == second
    assert list(queries.active_versions()) == [second]


def test_a_benched_bot_comes_back_with_a_new_version_only() -> None:
    first = entered(author())
    second = _add(first.bot, PLAYS + "# 2\n")
    _validated(second)
    services.bench_bot(bot=first.bot, reason="It failed five times in a row.")
    assert not queries.active_versions().exists()
    _validated(first)  # an older upload whose validation came late
    assert Bot.objects.get().state == Bot.State.BENCHED
    _validated(_add(first.bot, PLAYS + "# 3\n"))
    bot = Bot.objects.get()
    assert (bot.state, bot.benched_reason) == (Bot.State.ACTIVE, "")


def test_a_rejected_version_leaves_the_bot_benched() -> None:
    first = _validated(entered(author()))
    services.bench_bot(bot=first.bot, reason="It failed.")
    _validated(_add(first.bot, "x = 1\n"), FAILED)
    assert Bot.objects.get().state == Bot.State.BENCHED


def test_a_retired_bot_stays_retired() -> None:
    first = entered(author())
    services.retire_bot(bot=first.bot)
    services.bench_bot(bot=first.bot, reason="late")
    _validated(first)
    assert Bot.objects.get().state == Bot.State.RETIRED
    assert not queries.active_versions().exists()
    with pytest.raises(Refusal, match="Gin Fizz is retired"):
        _add(first.bot, PLAYS + "# 2\n")


# House bots


def test_house_bots_are_synchronised_once_for_each_change(monkeypatch: pytest.MonkeyPatch) -> None:
    assert {version.bot.slug for version in services.sync_house_bots()} == {bot.slug for bot in HOUSE_BOTS}
    assert services.sync_house_bots() == []
    assert queries.active_versions().count() == len(HOUSE_BOTS)

    def changed(slug: str) -> str:
        return house_source(slug) + ("# new\n" if slug == "simple" else "")

    monkeypatch.setattr(services, "house_source", changed)
    assert [(version.bot.slug, version.number) for version in services.sync_house_bots()] == [("simple", 2)]
    assert Bot.objects.filter(is_house=True, owner=None).count() == len(HOUSE_BOTS)


def test_an_author_who_had_a_new_house_bots_name_first_keeps_address_and_bot() -> None:
    mine = Bot.objects.create(owner=author(), name="Purist", slug="purist")
    services.sync_house_bots()
    assert services.sync_house_bots() == []
    assert (mine.versions.count(), Bot.objects.get(slug="purist").owner) == (0, mine.owner)
    house = Bot.objects.get(is_house=True, name="Purist")
    assert (house.slug, house.versions.count()) == ("purist-house-1", 1)


def test_a_house_bot_is_described_and_its_namesake_is_not() -> None:
    services.sync_house_bots()
    described = {queries.house_description(bot) for bot in Bot.objects.filter(is_house=True)}
    assert described == {bot.description for bot in HOUSE_BOTS}
    assert queries.house_description(Bot(owner=author(), name="Purist", slug="purist")) == ""


def test_an_owner_with_bots_cannot_be_deleted() -> None:
    user = author()
    entered(user)
    with pytest.raises(IntegrityError):
        User.objects.filter(pk=user.pk).delete()
