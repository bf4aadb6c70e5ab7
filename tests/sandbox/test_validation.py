"""Which uploads pass, and what is said about those that do not."""

import pytest

from arena.archive import BotSource
from arena.checks import ValidationReport, examine
from arena.player import FaultKind, HouseFailure
from sandbox.drivers.base import Driver, Limits
from sandbox.select import choose_driver
from sandbox.validation import validate
from tests.sandbox.faulty import FAULTY, PLAYS, Faulty, name_of
from tests.sandbox.local_entrant import LocalEntrant


def _source(files: dict[str, str]) -> BotSource:
    return BotSource(files, "bot.py")


def _assert_says(report: ValidationReport, faulty: Faulty) -> None:
    failed = report.checks[-1]
    assert not report.ok
    assert (failed.name, failed.code, failed.file) == (faulty.check, faulty.code, faulty.file), failed
    assert faulty.says in failed.message + failed.traceback
    if faulty.line is not None:
        assert failed.line == faulty.line
    assert all(check.ok for check in report.checks[:-1])


def test_a_bot_that_plays_passes_every_check() -> None:
    report = examine(_source({"bot.py": PLAYS}), LocalEntrant)
    assert report.ok, report
    assert [(check.name, check.ok) for check in report.checks] == [
        ("load", True),
        ("house_game", True),
        ("self_play", True),
    ]
    assert report.class_name == "Mine"
    assert LocalEntrant.open_now == 0


@pytest.mark.parametrize("faulty", FAULTY, ids=name_of)
def test_says_what_is_wrong_and_where(faulty: Faulty) -> None:
    _assert_says(examine(_source(faulty.files), LocalEntrant), faulty)
    assert LocalEntrant.open_now == 0


def test_a_bot_that_fails_only_against_itself_is_rejected_there() -> None:
    # It sits in seat 0 against the house bot.
    text = (
        PLAYS
        + "\n    def start_game(self, start):\n        if start.seat == 1:\n            raise RuntimeError('seat')\n"
    )
    report = examine(_source({"bot.py": text}), LocalEntrant)
    assert [check.ok for check in report.checks] == [True, True, False]
    assert (report.checks[-1].name, report.checks[-1].line) == ("self_play", 14)


def test_prints_are_kept_with_where_they_come_from() -> None:
    text = (
        "print('hello from the module')\n"
        + PLAYS
        + "\n    def start_game(self, start):\n        print('I sit in', start.seat)\n"
    )
    log = examine(_source({"bot.py": text}), LocalEntrant).log
    assert log.startswith("[loading]\nhello from the module\n[the game against ")
    assert (log.count("I sit in 0"), log.count("I sit in 1")) == (3, 2)
    assert "against itself, seat 1]" in log


def test_progress_tells_what_passed_so_far() -> None:
    told: list[int] = []
    examine(_source({"bot.py": PLAYS}), LocalEntrant, progress=lambda so_far: told.append(len(so_far.checks)))
    assert told == sorted(told)
    assert set(told) == {0, 1, 2}


def test_the_report_is_json_data() -> None:
    report = examine(_source({"bot.py": "import nothing_like_it\n"}), LocalEntrant)
    data = report.to_dict()
    assert (data["ok"], data["class_name"], data["checks"][0]["line"]) == (False, "", 1)
    assert data["checks"][0].keys() == {"name", "ok", "message", "code", "traceback", "file", "line"}


def test_a_failure_of_the_house_is_not_the_bots() -> None:
    def enter(source: BotSource) -> LocalEntrant:
        raise HouseFailure("the engine is gone")

    with pytest.raises(HouseFailure, match="the engine is gone"):
        examine(_source({"bot.py": PLAYS}), enter)


def test_a_house_bot_that_fails_is_not_the_bots_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.checks.house_source", lambda slug: "import nothing_like_it\n")
    with pytest.raises(HouseFailure, match="house bot"):
        examine(_source({"bot.py": PLAYS}), LocalEntrant)


def test_when_both_fail_the_bot_hears_of_its_own_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.checks.house_source", lambda slug: "import nothing_like_it\n")
    text = PLAYS + "\n    def start_game(self, start):\n        raise RuntimeError('mine')\n"
    report = examine(_source({"bot.py": text}), LocalEntrant)
    assert (report.checks[-1].name, "mine" in report.checks[-1].message) == ("house_game", True)


@pytest.fixture(scope="module")
def docker() -> Driver:
    return choose_driver("docker")


@pytest.mark.docker
@pytest.mark.parametrize("faulty", FAULTY, ids=name_of)
def test_in_a_container_it_says_the_same(docker: Driver, faulty: Faulty) -> None:
    _assert_says(validate(docker, _source(faulty.files), Limits()), faulty)


@pytest.mark.docker
def test_in_a_container_a_bot_that_plays_passes(docker: Driver) -> None:
    report = validate(docker, _source({"bot.py": PLAYS}), Limits())
    assert report.ok, report
    assert report.class_name == "Mine"


@pytest.mark.docker
@pytest.mark.parametrize(
    ("text", "check", "code"),
    [
        ("while True:\n    pass\n", "load", FaultKind.TIME),
        ("import os\nos._exit(0)\n", "load", FaultKind.CRASH),
        (
            PLAYS + "\n    def start_game(self, start):\n        while True:\n            pass\n",
            "house_game",
            FaultKind.TIME,
        ),
    ],
    ids=["loop at import", "exit at import", "loop at start"],
)
def test_in_a_container_a_hostile_bot_is_rejected(docker: Driver, text: str, check: str, code: FaultKind) -> None:
    limits = Limits(start_seconds=1.0, wall_factor=3.0)
    report = validate(docker, _source({"bot.py": text}), limits)
    assert (report.checks[-1].name, report.checks[-1].code) == (check, code.value)
