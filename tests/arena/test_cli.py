from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from arena.bots import starter_source
from arena.cli import win_rate


def arena(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).parents[2]
    return subprocess.run(
        [sys.executable, "-m", "arena", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd or root,
        env={"PYTHONPATH": str(root)},
    )


def test_play_reports_and_repeats(tmp_path: Path) -> None:
    (tmp_path / "mein bot.py").write_text(starter_source(), encoding="utf-8")
    runs = [arena("play", "mein bot.py", "house:random", "-n", "2", "--seed", "x", cwd=tmp_path) for _ in range(2)]
    for run in runs:
        assert (run.returncode, run.stderr) == (0, "")
    lines = runs[0].stdout.splitlines()
    assert lines[0] == "mein bot.py won 4, house:random won 0, 0 drawn"
    assert lines[1].startswith("mein bot.py: 100.0% of the games, 95 % interval 51.0% to 100.0%")
    assert lines[2].startswith("points a hand: ")
    assert lines[3].endswith(" seconds")
    assert lines[:3] == runs[1].stdout.splitlines()[:3]


def test_a_folder_is_played_by_its_bot(tmp_path: Path) -> None:
    (tmp_path / "helpers").mkdir()
    (tmp_path / "helpers" / "mine.py").write_text(starter_source(), encoding="utf-8")
    (tmp_path / "bot.py").write_text("from helpers.mine import Starter", encoding="utf-8")
    run = arena("play", str(tmp_path), "house:random", "-n", "1")
    assert (run.returncode, run.stderr) == (0, "")


def test_a_forfeit_is_told_with_its_place(tmp_path: Path) -> None:
    source = starter_source().replace("        if view.knock_options:", "        {}[3]\n        if view.knock_options:")
    (tmp_path / "bad.py").write_text(source, encoding="utf-8")
    run = arena("play", str(tmp_path / "bad.py"), "house:simple", "-n", "1")
    assert run.returncode == 0
    assert "bad.py forfeits game 1: KeyError: 3" in run.stderr
    assert 'File "bad.py", line ' in run.stderr
    assert "    {}[3]" in run.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["play", "house:nope", "house:simple"], "There is no house bot house:nope; there are house:random, "),
        (["play", "missing.py", "house:simple"], "missing.py cannot be read: No such file or directory."),
        (["play", "pyproject.toml", "house:simple"], "pyproject.toml is not a Python file"),
        (["play", "house:simple", "house:simple", "-n", "0"], "'0' is not a number of pairs from 1 to 100000."),
        (["play", "house:simple", "house:simple", "-n", "x"], "'x' is not a number of pairs"),
        (["play", "house:simple"], "the following arguments are required: B"),
        ([], "the following arguments are required: command"),
    ],
)
def test_bad_input_is_one_sentence_and_status_2(arguments: list[str], says: str) -> None:
    run = arena(*arguments)
    assert run.returncode == 2
    assert says in run.stderr
    assert "Traceback" not in run.stderr


def test_a_file_that_is_no_bot(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("x = (1,\n", encoding="utf-8")
    run = arena("play", "bad.py", "house:simple", cwd=tmp_path)
    assert run.returncode == 2
    assert run.stderr.startswith("bad.py has a syntax error in line 1: '(' was never closed.\n")
    (tmp_path / "bad.py").write_bytes(b"\xff\xfe")
    assert "is not UTF-8 text" in arena("play", "bad.py", "house:simple", cwd=tmp_path).stderr


def test_the_interval_is_wilsons() -> None:
    """For 60 of 100: (0.6 + 0.019208 -+ 1.96*sqrt(0.0024 + 0.00009604)) / 1.038416 = 0.502001 and 0.690600."""
    assert win_rate(60, 0, 100) == pytest.approx((0.6, 0.502001, 0.690600), abs=1e-6)
    assert win_rate(50, 20, 100)[0] == 0.6
    low, high = win_rate(4, 0, 4)[1:]
    assert 0 < low < high <= 1
