"""Every command in docs/tool.md, and that of the guide, runs as it stands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from arena.cli.program import COMMANDS
from arena.loader import load_bot
from tests.arena.commands import ROOT, arena

DOC = (ROOT / "docs" / "tool.md").read_text(encoding="utf-8")


def test_its_commands_run_one_after_the_other(tmp_path: Path) -> None:
    lines = re.findall(r"^\$ (.+)$", DOC, re.MULTILINE)
    seen = set()
    for line in lines:
        program, *arguments = shlex.split(line)
        assert program == "arena"
        run = arena(*arguments, cwd=tmp_path)
        assert (run.returncode, run.stderr) == (0, ""), line
        seen.add(arguments[0])
    assert seen == set(COMMANDS)


def test_the_guides_command_plays_the_guides_first_bot(tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "writing-a-bot.md").read_text(encoding="utf-8")
    bot = re.findall(r"^```python\n(.*?)^```$", guide, re.DOTALL | re.MULTILINE)[0]
    (command,) = re.findall(r"^python -m arena (.+)$", guide, re.MULTILINE)
    (tmp_path / "bot.py").write_text(bot, encoding="utf-8")
    run = arena(*shlex.split(command), cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    assert re.search(r"^forfeits +0 +0$", run.stdout, re.MULTILINE)


def test_its_two_lines_wrap_a_player() -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", DOC, re.DOTALL | re.MULTILINE)
    assert len([line for line in code.splitlines() if line]) == 2
    player = (
        (ROOT / "tests/arena/eaai/numbers/player.py").read_text(encoding="utf-8").replace("NumberPlayer", "MyPlayer")
    )
    assert load_bot({"bot.py": code, "player.py": player}, "bot.py").__name__ == "MyPlayer"


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "new"])
def test_it_names_the_options_that_a_command_has(name: str) -> None:
    options = set(re.findall(r"--[a-z]+", arena(name, "--help").stdout)) - {"--help", "--pairs"}
    assert options <= set(re.findall(r"--[a-z]+", DOC))
