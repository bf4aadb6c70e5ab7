"""`arena play`: what it counts, how sure it is, and how it ends."""

from __future__ import annotations

import json
import os
import pty
import random
import re
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.bots import house_source, starter_source
from arena.cli.play import win_rate
from arena.local import UploadContestant
from arena.record import MatchRecord
from arena.referee import play_match
from arena.rules import CLASSIC
from tests.arena.commands import arena, environment

CRASHES = starter_source().replace("        if view.knock_options:", "        {}[3]\n        if view.knock_options:")


def results(output: str) -> list[str]:
    """The lines that do not tell times."""
    return [line for line in output.splitlines() if not re.search(r"seed|ms|longest", line)]


def test_it_reports_and_a_seed_repeats_it_on_any_number_of_processes(tmp_path: Path) -> None:
    (tmp_path / "mein bot.py").write_text(starter_source(), encoding="utf-8")
    command = ["play", "mein bot.py", "house:random", "-n", "3", "--seed", "x"]
    runs = [arena(*command, "--jobs", jobs, "--save", f"{jobs}.record", cwd=tmp_path) for jobs in ("1", "2")]
    for run in runs:
        assert (run.returncode, run.stderr) == (0, "")
    lines = runs[0].stdout.splitlines()
    assert lines[0].startswith("classic, seed x, ")
    assert lines[1] == "mein bot.py won 6 of 6 games, house:random 0, 0 drawn"
    assert lines[3] == "pairs: 3 won, 0 even, 0 lost"
    assert re.search(r"^forfeits +0 +0$", runs[0].stdout, re.MULTILINE)
    assert results(runs[0].stdout)[:-1] == results(runs[1].stdout)[:-1]
    saved = [(tmp_path / f"{jobs}.record").read_bytes() for jobs in ("1", "2")]
    records = [MatchRecord.from_bytes(data) for data in saved]
    moves = [[hand.actions for game in record.games for hand in game.hands] for record in records]
    assert moves[0] == moves[1]
    assert len(records[0].games) == 6


def test_its_games_are_the_referees_match(tmp_path: Path) -> None:
    run = arena("play", "house:simple", "house:random", "-n", "2", "--save", tmp_path / "a.record")
    assert run.returncode == 0
    record = MatchRecord.from_bytes((tmp_path / "a.record").read_bytes())
    a, b = (UploadContestant({"bot.py": house_source(slug)}, "bot.py") for slug in ("simple", "random"))
    again = play_match(CLASSIC, record.seed, a, b, pairs=2)
    assert [game.scores for game in record.games] == [game.scores for game in again.games]
    hands = sum(len(game.hands) for game in again.games)
    points = [of_side / hands for of_side in again.points()]
    assert re.search(rf"^{hands} hands +house:simple  house:random$", run.stdout, re.MULTILINE)
    assert re.search(rf"^points a hand +{points[0]:.2f} +{points[1]:.2f}$", run.stdout, re.MULTILINE)
    assert f"house:simple won {again.games_won()[0]} of 4 games" in run.stdout


def test_bots_that_use_pythons_own_randomness_repeat_as_well(tmp_path: Path) -> None:
    source = (
        house_source("random").replace("self.random.", "random.").replace("from arena", "import random\nfrom arena", 1)
    )
    (tmp_path / "chance.py").write_text(source, encoding="utf-8")
    command = ["play", "chance.py", "house:simple", "-n", "2", "--seed", "x"]
    first, second = (results(arena(*command, cwd=tmp_path).stdout) for _ in range(2))
    assert first == second
    assert len(first) > 3


def test_zips_folders_and_rule_sets(tmp_path: Path) -> None:
    (tmp_path / "mine" / "helpers").mkdir(parents=True)
    (tmp_path / "mine" / "helpers" / "own.py").write_text(starter_source(), encoding="utf-8")
    (tmp_path / "mine" / "bot.py").write_text("from helpers.own import Starter", encoding="utf-8")
    (tmp_path / "mine" / ".git").mkdir()
    (tmp_path / "mine" / ".git" / "index").write_bytes(b"\0\xff")
    subprocess.run([sys.executable, "-m", "zipfile", "-c", "mine.zip", "mine/"], check=True, cwd=tmp_path)
    run = arena("play", "mine", "mine.zip", "-n", "1", "--rules", "gin-only", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith("gin-only, seed ")


def test_forfeits_are_counted_and_told_with_their_place(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(CRASHES, encoding="utf-8")
    run = arena("play", "bad.py", "house:simple", "-n", "3", cwd=tmp_path)
    assert run.returncode == 0
    assert "bad.py won 0 of 6 games, house:simple 6, 0 drawn" in run.stdout
    assert re.search(r"^forfeits +6 +0$", run.stdout, re.MULTILINE)
    assert "bad.py forfeits game 1: KeyError: 3\nTraceback (most recent call last):\n" in run.stdout
    assert f'File "bad.py", line {CRASHES.splitlines().index("        {}[3]") + 1}, in choose_discard' in run.stdout
    assert run.stdout.count("Traceback") == 3
    assert "... and 3 more forfeits" in run.stdout


def test_a_bot_too_slow_for_the_site_is_told_so(tmp_path: Path) -> None:
    source = starter_source().replace(
        "        if view.knock_options:",
        "        if view.hand_number == 1 and view.turns < 2:\n            import time\n"
        "            until = time.thread_time() + 2.1\n            while time.thread_time() < until:\n"
        "                pass\n        if view.knock_options:",
    )
    (tmp_path / "slow.py").write_text(source, encoding="utf-8")
    run = arena("play", "slow.py", "house:simple", "-n", "1", cwd=tmp_path)
    assert "slow.py would forfeit games on the site: its limits are 2 s a decision and 10 s a game." in run.stdout


@pytest.mark.parametrize("when", ["as it is loaded", "as it plays"])
def test_a_bot_that_ends_its_process_ends_only_that(tmp_path: Path, when: str) -> None:
    source = "import os\n" + starter_source()
    if when == "as it is loaded":
        source += "\nos._exit(3)\n"
    else:
        source = source.replace("        if view.knock_options:", "        os._exit(3)\n        if view.knock_options:")
    (tmp_path / "exits.py").write_text(source, encoding="utf-8")
    run = arena("play", "exits.py", "house:simple", "-n", "2", cwd=tmp_path)
    assert run.returncode == (2 if when == "as it is loaded" else 1)
    assert "exits.py" in run.stderr
    assert "house:simple" not in run.stderr
    assert "ended the process that played" in run.stderr or "ends the process that loads it" in run.stderr
    assert "Traceback" not in run.stderr


def is_gone(group: int) -> bool:
    """Whether nobody of the process group is left, soon."""
    for _ in range(600):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_leaves_what_is_done_printed(jobs: str) -> None:
    command = [sys.executable, "-m", "arena", "play", "house:random", "house:simple", "-n", "50000", "--jobs", jobs]
    ours, theirs = pty.openpty()
    run = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=theirs, start_new_session=True, text=True, env=environment(TERM="xterm")
    )
    seen = b""
    while not re.search(rb"[3-9]/50000 pairs", seen):
        seen += os.read(ours, 1000)
    os.killpg(run.pid, signal.SIGINT)  # as a terminal does: to the tool and its children
    output, _ = run.communicate(timeout=300)
    time.sleep(0.1)
    seen = os.read(ours, 10_000)
    os.close(ours)
    os.close(theirs)
    assert run.returncode == 130
    assert b"Stopped after" in seen
    assert b"Traceback" not in seen
    assert re.search(r"house:simple: |house:random: \d", output)
    assert re.search(r"^forfeits +0 +0$", output, re.MULTILINE)
    assert is_gone(run.pid)


def test_ctrl_c_ends_a_check_quietly(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(f"while True:\n    pass\n{starter_source()}", encoding="utf-8")
    ours, theirs = pty.openpty()
    run = subprocess.Popen(
        [sys.executable, "-m", "arena", "check", "slow.py"],
        stdout=subprocess.PIPE,
        stderr=theirs,
        start_new_session=True,
        cwd=tmp_path,
        env=environment(TERM="xterm"),
    )
    seen = b""
    while b"being checked" not in seen:  # its child may not have begun
        seen += os.read(ours, 1000)
    os.killpg(run.pid, signal.SIGINT)
    output, _ = run.communicate(timeout=300)
    seen += os.read(ours, 10_000)
    os.close(ours)
    os.close(theirs)
    assert (run.returncode, output) == (130, b"")
    assert b"Traceback" not in seen
    assert is_gone(run.pid)


def test_ctrl_c_before_the_tool_is_loaded_is_quiet() -> None:
    press = (
        "import runpy, signal, sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'arena.cli.pool':\n"
        "            signal.raise_signal(signal.SIGINT)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "runpy.run_module('arena', run_name='__main__')\n"
    )
    run = subprocess.run([sys.executable, "-c", press], capture_output=True, check=False, env=environment())
    assert (run.returncode, run.stdout, run.stderr) == (130, b"", b"")


def test_the_interval_is_that_of_pairs_with_one_won_and_one_lost_added() -> None:
    """By hand for three pairs won, even, won: shares 1, 1/2, 1 and 0, 1 have mean 0.7 and deviation 0.4472."""
    rate = win_rate([2, 1, 2])
    assert rate.rate == pytest.approx(5 / 6)
    assert rate.low == pytest.approx(0.7 - 1.96 * 0.447214 / 5**0.5, abs=1e-5)
    assert rate.high == 1.0
    shares = random.Random(1).choices([0.0, 0.5, 1.0], k=40)
    widened = statistics.NormalDist.from_samples([*shares, 0.0, 1.0])
    half = 1.96 * widened.stdev / 42**0.5
    found = win_rate([2 * share for share in shares])
    assert (found.low, found.high) == pytest.approx((widened.mean - half, widened.mean + half))


@pytest.mark.parametrize(("chances", "pairs"), [((0.2, 0.5, 0.3), 20), ((0.05, 0.3, 0.65), 10), ((0.0, 0.1, 0.9), 30)])
def test_the_interval_holds_the_truth_as_often_as_it_says(chances: tuple[float, float, float], pairs: int) -> None:
    truth = chances[1] / 2 + chances[2]
    chance = random.Random(7)
    held = 0
    for _ in range(2000):
        rate = win_rate(chance.choices([0, 1, 2], chances, k=pairs))
        held += rate.low <= truth <= rate.high
    assert held / 2000 >= 0.93


def test_every_option_of_a_rule_set_can_be_played(tmp_path: Path) -> None:
    changes = (
        "target=30,knock_limit=9,limit_from_upcard=true,ace_means_gin=true,spades_double=true,gin_bonus=20,"
        "undercut_bonus=10,big_gin_bonus=31,dealer_rule=loser,void_redealt=true,opening=free,may_discard_taken=true,"
        "stock_floor=4,stock_end=reshuffle,turn_cap=90,hand_cap=8,game_bonus=100,shutout_bonus=200,box_bonus=20"
    )
    name = f"classic,{changes}"
    run = arena("play", "house:simple", "house:greedy", "-n", "1", "--rules", name, "--save", "x", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith(f"{name}, seed ")
    rules, classic = MatchRecord.from_bytes((tmp_path / "x").read_bytes()).rules.to_dict(), CLASSIC.to_dict()
    assert (
        ",".join(f"{option}={json.dumps(value)}" for option, value in rules.items() if option != "name").replace(
            '"', ""
        )
        == changes
    )
    assert not [option for option in rules if rules[option] == classic[option]]


def test_what_a_bot_says_cannot_take_hold_of_the_terminal(tmp_path: Path) -> None:
    rude = r'print("\x1b[2Jmine"); raise ValueError("\x1b[2J\u202egreat\r")'
    source = starter_source().replace(
        "        if view.knock_options:", f"        {rude}\n        if view.knock_options:"
    )
    name = "rude\x1b[2J.py"
    (tmp_path / name).write_text(source, encoding="utf-8")
    played, checked, debugged, _ = shown = [
        arena("play", name, "house:simple", "-n", "1", "--save", "x.record", cwd=tmp_path).stdout,
        arena("check", name, cwd=tmp_path).stdout,
        arena("debug", "x.record", "--bot", name, cwd=tmp_path).stdout,
        arena("replay", "x.record", cwd=tmp_path).stdout,
    ]
    for text in shown:
        assert r"ValueError: \x1b[2J\u202egreat" in text
        assert not set(text) & set("\x1b\u202e\r")
    assert all(r"rude\x1b[2J.py" in text for text in (played, debugged))
    assert all(r"\x1b[2Jmine" in text for text in (checked, debugged))
