"""`arena new` and `arena check`: from nothing to a bot that the site takes."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from arena.archive import BotSource, UploadRejected, read_upload
from arena.checks import examine
from arena.local import UploadContestant
from tests.arena.commands import arena, environment
from tests.sandbox.faulty import FAULTY, PLAYS, Faulty, name_of
from tests.sandbox.uploads import REFUSED, Refused


def test_a_new_bot_is_taken_and_its_test_passes(tmp_path: Path) -> None:
    run = arena("new", "my-first_bot", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    assert "class MyFirstBot(Bot):" in (tmp_path / "my-first_bot" / "bot.py").read_text(encoding="utf-8")
    check = arena("check", "my-first_bot", cwd=tmp_path)
    assert (check.returncode, check.stderr) == (0, "")
    told = [line.partition("  ")[0].strip() for line in check.stdout.splitlines()]
    assert told == ["ok", "ok", "ok"]
    test = subprocess.run(
        [sys.executable, "-m", "unittest"],
        cwd=tmp_path / "my-first_bot",
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert test.returncode == 0, test.stderr
    assert "Ran 4 tests" in test.stderr


def test_the_new_bots_test_can_fail(tmp_path: Path) -> None:
    arena("new", "bad", cwd=tmp_path)
    bot = tmp_path / "bad" / "bot.py"
    source = bot.read_text(encoding="utf-8")
    bot.write_text(source.replace("return Draw.UPCARD", "return Draw.STOCK"), encoding="utf-8")
    command = [sys.executable, "-m", "unittest"]
    test = subprocess.run(command, cwd=tmp_path / "bad", env=environment(), capture_output=True, text=True, check=False)
    assert "FAIL: test_it_takes_the_card_that_completes_a_run" in test.stderr


def test_nothing_that_exists_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "bot.py").write_text("mine", encoding="utf-8")
    assert arena("new", "mine", cwd=tmp_path).returncode == 2
    assert (tmp_path / "mine" / "bot.py").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("faulty", [FAULTY[1], FAULTY[5], FAULTY[7], FAULTY[9]], ids=name_of)
def test_it_says_what_the_sites_validation_says(tmp_path: Path, faulty: Faulty) -> None:
    with zipfile.ZipFile(tmp_path / "mine.zip", "w") as archive:
        for path, text in faulty.files.items():
            archive.writestr(path, text)
    run = arena("check", "mine.zip", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (1, "")
    source = BotSource(faulty.files, "bot.py")
    failed = examine(source, lambda entered: UploadContestant(entered.files, entered.entry)).checks[-1]
    sentence = failed.message.partition(": ")[2] if faulty.check != "load" else failed.message  # the hand is chance
    assert f"failed  {failed.message if faulty.check == 'load' else 'In hand '}" in run.stdout
    assert sentence in run.stdout
    assert f"        {failed.file}, line {failed.line}\n" in run.stdout
    for line in failed.traceback.splitlines():
        assert f"        {line}" in run.stdout.splitlines()


@pytest.mark.parametrize("refused", [REFUSED[0], REFUSED[-1]], ids=lambda refused: refused.code)
def test_it_refuses_what_the_site_refuses(tmp_path: Path, refused: Refused) -> None:
    (tmp_path / refused.filename).write_bytes(refused.data)
    run = arena("check", refused.filename, cwd=tmp_path)
    with pytest.raises(UploadRejected) as rejection:
        read_upload(refused.filename, refused.data)
    assert (run.returncode, run.stdout, run.stderr) == (1, f"failed  {rejection.value.message}\n", "")


def test_what_the_bot_prints_is_shown(tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text("print('hello')\n" + PLAYS, encoding="utf-8")
    run = arena("check", "loud.py", cwd=tmp_path)
    assert run.returncode == 0
    assert "\nIt printed:\n[loading]\nhello\n[the game against " in run.stdout


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (
            "while True:\n            pass",
            "The limits are 2 s a decision and 10 s a game, of which 0.0",
        ),
        ("import os\n        os._exit(0)", "The bot's process ended itself with exit code 0."),
        ("import os\n        os.abort()", "The bot's process was ended by SIGABRT."),
    ],
    ids=["loop", "exit", "abort"],
)
def test_a_bot_that_does_not_come_back_fails(tmp_path: Path, code: str, says: str) -> None:
    source = f"{PLAYS}\n    def observe(self, event):\n        {code}\n"
    (tmp_path / "gone.py").write_text(source, encoding="utf-8")
    run = arena("check", "gone.py", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (1, "")
    lines = run.stdout.splitlines()
    assert lines[0] == "ok      The class Mine was loaded from gone.py."
    assert lines[1].startswith("failed  ")
    assert says in lines[1]
    if "while" in code:
        place = source.splitlines().index("        while True:") + 1
        assert lines[2].strip() in (f"gone.py, line {place}", f"gone.py, line {place + 1}")
        assert "in observe" in run.stdout


def test_texts_that_no_file_can_hold_are_shown_with_their_place(tmp_path: Path) -> None:
    source = f"{PLAYS}\n    def observe(self, event):\n        print('\\ud800')\n        raise ValueError('\\ud800')\n"
    (tmp_path / "half.py").write_text(source, encoding="utf-8")
    run = arena("check", "half.py", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (1, "")
    assert run.stdout.splitlines()[1].endswith(": ValueError: ?")
    assert f"half.py, line {len(source.splitlines())}" in run.stdout


def test_a_bot_that_sleeps_is_woken(tmp_path: Path) -> None:
    source = f"{PLAYS}\n    def start_game(self, start):\n        import time\n        time.sleep(3600)\n"
    (tmp_path / "sleeps.py").write_text(source, encoding="utf-8")
    run = arena("check", "sleeps.py", cwd=tmp_path)
    assert run.returncode == 1
    assert "The bot did not answer within " in run.stdout
    assert "The limit for loading and starting a bot is 5 s." in run.stdout
    assert "sleeps.py, line 14" in run.stdout


def test_who_imports_numpy_is_told_that_a_site_may_lack_it(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text(PLAYS, encoding="utf-8")
    (tmp_path / "counts.py").write_text(f"import numpy as np\n{PLAYS}", encoding="utf-8")
    said = "It imports numpy, which not every site has"
    assert said not in arena("check", "plain.py", cwd=tmp_path).stdout
    run = arena("check", "counts.py", cwd=tmp_path)
    assert run.returncode == 0, run.stdout
    assert said in run.stdout
