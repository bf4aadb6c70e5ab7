"""The papers are true: the bot plays, the variables are the ones the code reads, the files exist."""

import re
from pathlib import Path

import pytest

from arena.bot import GameEnding
from arena.bots import house_source
from arena.local import UploadContestant
from arena.referee import play_match
from arena.rules import CLASSIC
from config.celery import app

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
DEPLOY = (ROOT / "docs/deploy/README.md").read_text()
IN_EVERY_APP = {
    "__init__",
    "__main__",
    "admin",
    "apps",
    "forms",
    "models",
    "queries",
    "services",
    "tasks",
    "urls",
    "views",
}


def code(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def bot_source() -> str:
    (source,) = code("python")
    return source


def test_the_bot_has_at_most_twenty_lines() -> None:
    assert len(bot_source().strip().splitlines()) <= 20


def test_every_file_that_it_names_exists() -> None:
    links = [target for target in re.findall(r"\]\(([^)]+)\)", README) if "://" not in target]
    commands = [word for block in code("sh") for word in block.split() if word.startswith("script/")]
    assert links
    assert commands
    missing = [name for name in links + commands if not (ROOT / name).exists()]
    assert missing == []


def test_the_production_shape_takes_every_variable_of_the_first_table_that_it_does_not_rule_out() -> None:
    table = DEPLOY.partition("| variable ")[2].partition("\n\n")[0]
    told = {name for line in table.splitlines() for name in re.findall(r"`([A-Z][A-Z_]+)`", line.split("|")[1])}
    compose = set(re.findall(r"^ +([A-Z][A-Z_]+):", (ROOT / "docker-compose.yml").read_text(), re.MULTILINE))
    assert {"SECRET_KEY", "ADMINS"} <= told
    # It keeps nothing in a folder, and shows nobody its source.
    assert told - compose == {"ARENA_VAR", "DEBUG"}


def test_the_tables_have_every_variable_that_the_code_reads_and_no_other() -> None:
    table = "\n".join(line.split("|")[1] for line in DEPLOY.splitlines() if line.startswith("| `"))
    told = set(re.findall(r"`([A-Z][A-Z_]+)`", table))
    reads = re.compile(r"""env\.\w+\(\s*"([A-Z][A-Z_]+)"|environ(?:\.get\(|\[)"((?:ARENA|SANDBOX)_[A-Z_]+)\"""")
    read = {
        name
        for part in ("platform", "sandbox", "script/lib")
        for file in (ROOT / part).rglob("*.py")
        for pair in reads.findall(file.read_text())
        for name in pair
        if name
    }
    assert told == read


@pytest.mark.parametrize(
    "file",
    [
        "README.md",
        "ARCHITECTURE.md",
        "SECURITY.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "bench/README.md",
        "docs/deploy/README.md",
    ],
)
def test_the_papers_name_only_files_that_exist(file: str) -> None:
    text = (ROOT / file).read_text()
    links = [target for target in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in target]
    paths = re.findall(r"`((?:arena|sandbox|platform|script|tests|docs)/[\w./-]*)`", text)
    folder = (ROOT / file).parent
    missing = [name for name in links if not (folder / name).exists()]
    missing += [name for name in paths if not (ROOT / name).exists()]
    assert missing == []


def test_the_map_names_every_module_but_those_that_every_app_has() -> None:
    rows = re.findall(r"^\| (`(arena|sandbox|platform/\w+)/.*)", (ROOT / "ARCHITECTURE.md").read_text(), re.MULTILINE)
    names = {(folder, name) for row, folder in rows for name in re.findall(r"`([\w/]+\.py)`", row)}
    named = {ROOT / name if (ROOT / name).exists() else ROOT / folder / name for folder, name in names}
    modules = {file for folder in ("arena", "sandbox", "platform/*") for file in ROOT.glob(f"{folder}/*.py")}
    assert [str(file) for file in sorted(named) if not file.exists()] == []
    assert [str(file) for file in sorted(modules - named) if file.stem not in IN_EVERY_APP] == []


def test_the_map_names_only_modules_that_exist_and_every_queue() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    parts = ("arena", "sandbox", "platform", "script", "tests")
    files = [*ROOT.glob("*.py"), *(file for part in parts for file in (ROOT / part).rglob("*.py"))]
    modules = [file.relative_to(ROOT).as_posix() for file in files]
    named = set(re.findall(r"[\w/]+\.py\b", text))
    assert len(named) > 100
    assert [name for name in sorted(named) if not any(f"/{one}".endswith(f"/{name}") for one in modules)] == []
    assert [queue for queue in app.amqp.queues if f"`{queue}`" not in text] == []


def test_the_bot_plays_without_a_fault_and_beats_the_random_one() -> None:
    mine = UploadContestant({"mybot.py": bot_source()}, "mybot.py")
    other = UploadContestant({"random_bot.py": house_source("random")}, "random_bot.py")
    match = play_match(CLASSIC, bytes(32), mine, other, pairs=2)
    assert [game.ending for game in match.games] == [GameEnding.TARGET] * 4
    # As A it sits in seat 0 in the even games.
    assert [game.winner for game in match.games] == [0, 1, 0, 1]
