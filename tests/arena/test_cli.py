"""What holds for every command: one sentence for what cannot be done, and no traceback of the tool's own."""

from __future__ import annotations

import pty
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from arena.bots import HOUSE_BOTS
from arena.cli.program import COMMANDS
from arena.cli.terminal import table
from tests.arena.commands import ROOT, arena, environment


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("", "The following arguments are required: command."),
        ("frob", "Argument command: invalid choice: 'frob'"),
        ("play house:nope house:simple", "There is no house bot nope; there are random, "),
        ("play house:simpel house:simple", "Did you mean house:simple?"),
        ("play missing.py house:simple", "missing.py cannot be read: No such file or directory."),
        ("play pyproject.toml house:simple", "“pyproject.toml” is neither a .py file nor a .zip."),
        ("play house:simple", "The following arguments are required: B."),
        ("play house:simple house:simple -n 0", "'0' is not a number of pairs from 1 to 100000."),
        ("play house:simple house:simple -n x", "'x' is not a number of pairs"),
        ("play house:simple house:simple --jobs 99", "'99' is not a number of processes from 1 to 61."),
        ("play house:simple house:simple --rules poker", "there is no rule set 'poker'; there are classic, parlour, "),
        ("play house:simple house:simple --rules tally,joker=1", "'joker' is not an option of a rule set; the options"),
        ("play house:simple house:simple --rules tally,target=x", "'x' is not a value for the rule option 'target'"),
        ("play house:simple house:simple --rules tally,stock_floor=-1", "stock_floor is a number of cards, points or"),
        ("play house:simple house:simple --rules tally,name=x", "so its name is no option"),
        ("play house:simple house:simple --save tests", "tests is a folder: name a file to save the record in."),
        ("play house:simple house:simple --save no/x", "The record cannot be saved in no/x: there is no folder no."),
        ("ladder missing", "missing is no folder: name one that holds your bots."),
        ("ladder docs --house simple", "A ladder has at least two bots"),
        ("ladder docs --house simple,nope", "There is no house bot nope"),
        ("replay missing", "missing cannot be read: No such file or directory."),
        ("replay README.md", "README.md holds no record that replays."),
        ("debug README.md", "The following arguments are required: --bot."),
        ("check missing.py", "missing.py cannot be read: No such file or directory."),
        ("new 1st", "'1st' does not name a class"),
        ("new docs", "docs is there already: choose another name."),
        ("new discard", "gives a class named Discard, which the arena has already: choose another name."),
        ("check /dev/zero", "/dev/zero is no ordinary file: name one that is."),
        ("replay /dev/zero", "/dev/zero is no ordinary file: name one that is."),
        ("check /", "/ holds much more than a bot may: name the folder with bot.py, or the file itself."),
        ("bench house:nope", "There is no house bot nope"),
        ("check ''", "Argument FILE: an empty text names nothing; this folder is a dot."),
        ("replay ''", "Argument FILE: an empty text names nothing; this folder is a dot."),
        ("debug '' --bot x", "Argument FILE: an empty text names nothing; this folder is a dot."),
        ("ladder ''", "Argument DIR: an empty text names nothing; this folder is a dot."),
        ("play house:simple house:simple --save ''", "Argument --save: an empty text names nothing"),
        ("play house:simple ''", "An empty text names no bot; this folder is a dot."),
        ("bench ''", "An empty text names no bot; this folder is a dot."),
        ("new ''", "'' does not name a class"),
    ],
)
def test_what_cannot_be_done_is_told_in_a_sentence_with_status_2(arguments: str, says: str) -> None:
    run = arena(*shlex.split(arguments))
    assert (run.returncode, run.stdout) == (2, "")
    assert says in run.stderr
    assert len(run.stderr.splitlines()) == 1


def test_a_bot_that_cannot_be_loaded_is_refused_with_its_traceback(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("x = (1,\n", encoding="utf-8")
    for command in (["play", "bad.py", "house:simple"], ["bench", "bad.py", "--seconds", "1"]):
        run = arena(*command, cwd=tmp_path)
        assert run.returncode == 2
        assert run.stderr.startswith("bad.py cannot play: bad.py has a syntax error in line 1: '(' was never closed.\n")
        assert 'File "bad.py", line 1' in run.stderr


def test_help_names_every_command_and_each_explains_itself() -> None:
    lines = arena("--help").stdout
    for command in COMMANDS:
        assert re.search(rf"^    {command} ", lines, re.MULTILINE)
        told = arena(command, "--help")
        assert told.returncode == 0
        assert told.stdout.startswith(f"usage: arena {command}")


def test_no_command_starts_a_second_time_in_its_child_processes() -> None:
    run = arena("play", "house:random", "house:random", "-n", "1", "--jobs", "2")
    assert run.stdout.count("1 mirrored") == 0
    assert len(re.findall(r"^classic, seed ", run.stdout, re.MULTILINE)) == 1


def test_a_reader_that_has_seen_enough_ends_it_quietly() -> None:
    command = f"{sys.executable} -m arena play --help | true; {sys.executable} -m arena ladder --help | head -1"
    run = subprocess.run(
        ["/bin/sh", "-c", command], capture_output=True, text=True, check=True, cwd=ROOT, env=environment()
    )
    assert "Traceback" not in run.stderr


def test_what_cannot_be_written_is_told_in_a_sentence_and_the_record_is_kept(tmp_path: Path) -> None:
    def run(shell: str) -> subprocess.CompletedProcess[str]:
        command = ["/bin/sh", "-c", f"{sys.executable} -m arena {shell}"]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=environment())

    record = tmp_path / "kept.record"
    for asked in (f"play house:random house:random -n 1 --save {record}", "--help"):
        full = run(f"{asked} >/dev/full")
        assert (full.returncode, full.stderr) == (
            2, "It cannot go on, for the system says: No space left on device.\n"
        )  # fmt: skip
    assert "A won " in arena("replay", record).stdout
    closed = run("check arena/bots/starter.py >&-")
    assert (closed.returncode, closed.stderr) == (0, "")


def test_a_progress_line_is_for_people_only() -> None:
    command = [sys.executable, "-m", "arena", "play", "house:random", "house:random", "-n", "2"]
    ours, theirs = pty.openpty()
    run = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=theirs, check=True, cwd=ROOT, env=environment(TERM="xterm"), timeout=300
    )
    with open(ours, "rb", buffering=0) as terminal:  # noqa: PTH123 - a descriptor
        seen = terminal.read(10_000)
    with open(theirs, "rb"):  # noqa: PTH123 - closes it
        pass
    assert b"2/2 pairs" in seen
    assert seen.endswith(b"\r\x1b[K")
    assert b"\x1b" not in run.stdout
    assert arena("play", "house:random", "house:random", "-n", "2").stderr == ""


def test_house_bots_are_named_by_their_slugs() -> None:
    told = arena("play", "house:", "house:simple").stderr
    assert all(bot.slug in told for bot in HOUSE_BOTS)


def test_a_table_is_as_wide_as_it_must_be() -> None:
    assert table([["", "a", "bb"], ["x", "100", "2"]]) == "     a  bb\nx  100   2"
