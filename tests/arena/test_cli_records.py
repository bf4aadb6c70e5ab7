"""`arena replay` and `arena debug`: recorded matches in the terminal, and put to one's own bot."""

from __future__ import annotations

import pty
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from arena.bots import house_source, starter_source
from arena.local import UploadContestant
from arena.record import MAX_UNPACKED_BYTES, MatchRecord
from arena.referee import play_match
from arena.rules import CLASSIC
from arena.steps import steps
from tests.arena.commands import ROOT, arena, environment

SEED = bytes(range(32))
SIMPLE = UploadContestant({"bot.py": house_source("simple")}, "bot.py")
CRASHES = starter_source().replace(
    "        if view.knock_options:", "        if view.turns > 6:\n            print('look here')\n"
    "            {}[view.turns]\n        if view.knock_options:"
)  # fmt: skip


@pytest.fixture(scope="module")
def played() -> MatchRecord:
    return play_match(CLASSIC, SEED, SIMPLE, UploadContestant({"bot.py": starter_source()}, "bot.py"))


@pytest.fixture
def folder(tmp_path: Path, played: MatchRecord) -> Path:
    (tmp_path / "m.record").write_bytes(played.public().to_bytes())
    (tmp_path / "mine.py").write_text(starter_source(), encoding="utf-8")
    (tmp_path / "crash.py").write_text(CRASHES, encoding="utf-8")
    return tmp_path


def test_a_replay_tells_every_step_by_its_number_and_in_words(folder: Path, played: MatchRecord) -> None:
    run = arena("replay", "m.record", cwd=folder)
    assert (run.returncode, run.stderr) == (0, "")
    first, second = re.split(r"^Game 2, classic: A is in seat 1$", run.stdout, flags=re.MULTILINE)
    for game, told in zip(played.games, (first, second), strict=True):
        lines = iter(told.splitlines())
        for step in steps(game):
            line = next(line for line in lines if re.match(rf" *{step.number}  ", line))
            if step.kind != "deal":
                assert step.words in line
                assert line.split()[1] == "AB"[game.side_of(step.actor)]
        a, b = game.side_of(0), game.side_of(1)
        assert f"Game {game.number + 1} ends at A {game.scores[a]}, B {game.scores[b]} (target)" in told
    won_a, won_b = played.games_won()
    assert run.stdout.endswith(f"A won {won_a} of 2 games, B {won_b}\n")


def test_a_move_shows_the_hand_melds_first_with_its_deadwood(folder: Path, played: MatchRecord) -> None:
    lines = arena("replay", "m.record", "--game", "1", "--hand", "1", cwd=folder).stdout.splitlines()
    line = next(line for line in lines if " knocks with " in line)
    knock = next(step for step in steps(played.games[0]) if step.kind == "knock")
    hand = knock.seats[knock.actor]
    assert line.endswith(f"  ({hand.points})")
    assert line.count(" | ") == len(hand.melds) - (not hand.deadwood)
    assert [text for text in lines if text.startswith("Hand ")] == [lines[3]]


def test_cards_are_coloured_for_people_only(folder: Path) -> None:
    command = [sys.executable, "-m", "arena", "replay", "m.record", "--game", "1", "--hand", "1"]

    def on_terminal(**more: str) -> str:
        ours, theirs = pty.openpty()
        run = subprocess.Popen(command, stdout=theirs, cwd=folder, env=environment(TERM="xterm", **more))
        with open(theirs, "rb"):  # noqa: PTH123 - closes it
            pass
        seen = b""
        with open(ours, "rb", buffering=0) as terminal:  # noqa: PTH123 - a descriptor
            try:
                while data := terminal.read(10_000):
                    seen += data
            except OSError:  # the other end is closed
                pass
        assert run.wait() == 0
        return seen.decode()

    seen = on_terminal()
    assert re.search("\x1b\\[31m(10|[A2-9JQK])[♥♦]\x1b\\[0m", seen)
    assert not re.search("\x1b\\[31m(10|[A2-9JQK])[♣♠]", seen)
    plain = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, encoding="utf-8", check=True)
    assert "\x1b" not in plain.stdout
    assert "\x1b" not in on_terminal(NO_COLOR="1")
    assert re.sub("\x1b\\[\\d+m", "", seen).replace("\r", "") == plain.stdout


def test_a_terminal_without_the_signs_of_suits_gets_letters(folder: Path) -> None:
    run = arena("replay", "m.record", "--hand", "1", cwd=folder, PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert run.returncode == 0
    assert re.search(r"holds .*\b(10|[A2-9JQK])h", run.stdout)
    assert "?" not in run.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("replay m.record --game 3", "There is no game 3: the record holds games 1 to 2."),
        ("replay m.record --hand 99", "There is no hand 99: game 1 has "),
        ("debug m.record --bot mine.py --game 3", "There is no game 3: the record holds games 1 to 2."),
        ("debug m.record --bot mine.py --seat 2", "'2' is not a seat from 0 to 1."),
        ("debug m.record --bot nobody.py", "nobody.py cannot be read: No such file or directory."),
    ],
)
def test_what_is_not_there_is_told(folder: Path, arguments: str, says: str) -> None:
    run = arena(*arguments.split(), cwd=folder)
    assert run.returncode == 2
    assert says in run.stderr
    assert len(run.stderr.splitlines()) == 1


def test_a_forged_record_is_refused(folder: Path, played: MatchRecord) -> None:
    games = played.games
    forged = MatchRecord(played.rules, played.seed, (type(games[0])(0, played.rules, games[0].seed, games[0].ending,
                         games[0].winner, (1, 2), games[0].hands),))  # fmt: skip
    (folder / "forged.record").write_bytes(forged.to_bytes())
    run = arena("replay", "forged.record", cwd=folder)
    assert run.returncode == 2
    assert "holds no record that replays. The record claims 'target'" in run.stderr


def test_a_record_longer_than_the_sites_is_read(folder: Path, played: MatchRecord) -> None:
    first, second = played.games
    loud = replace(first, logs=("x" * MAX_UNPACKED_BYTES, ""))
    (folder / "loud.record").write_bytes(replace(played, games=(loud, second)).to_bytes())
    run = arena("replay", "loud.record", "--game", "1", "--hand", "1", cwd=folder)
    assert (run.returncode, run.stderr) == (0, "")


def test_the_bot_that_played_decides_as_it_did(folder: Path, played: MatchRecord) -> None:
    for game in (1, 2):
        seat = game % 2  # the starter is side B
        run = arena("debug", "m.record", "--bot", "mine.py", "--game", game, "--seat", seat, cwd=folder)
        assert (run.returncode, run.stderr) == (0, "")
        decisions = sum(
            step.kind in ("draw", "pass", "discard", "knock") and step.actor == seat
            for step in steps(played.games[game - 1])
        )
        assert run.stdout.splitlines()[-1].endswith(" decisions, 0 other than recorded")
        assert int(run.stdout.splitlines()[-1].split()[0]) == decisions + sum(
            step.kind in ("show", "defend") and step.actor == seat for step in steps(played.games[game - 1])
        )
    simple = arena("debug", "m.record", "--bot", "house:simple", cwd=folder).stdout
    assert simple.splitlines()[-1].endswith(", 0 other than recorded")  # its chances are the same ones


def test_another_bot_is_shown_where_it_differs(folder: Path, played: MatchRecord) -> None:
    run = arena("debug", "m.record", "--bot", "house:random", "--seat", "1", cwd=folder)
    assert run.returncode == 0
    told = re.findall(r"^move (\d+), hand (\d+): your bot (.+), the record (.+)$", run.stdout, re.MULTILINE)
    assert run.stdout.splitlines()[-1].endswith(f", {len(told)} other than recorded")
    assert len(told) > 3
    moves = {step.number: step for step in steps(played.games[0])}
    for number, hand, _, record in told:
        step = moves[int(number)]
        assert (step.actor, step.hand) == (1, int(hand))
        said = step.words.replace("leaves the first upcard", "passes")
        assert said.startswith(record) or re.match(r"takes the upcard|draws from the stock", record)


def test_at_a_move_it_shows_the_position_and_stops(folder: Path, played: MatchRecord) -> None:
    step = next(
        step for step in steps(played.games[0]) if step.number > 10 and step.kind == "discard" and step.actor == 1
    )
    run = arena("debug", "m.record", "--bot", "mine.py", "--seat", "1", "--at", step.number, cwd=folder)
    assert run.returncode == 0
    lines = run.stdout.splitlines()
    assert lines[1] == f"move {step.number}, hand {step.hand}: your bot {step.words}, as recorded"
    before = next(other for other in steps(played.games[0]) if other.number == step.number - 1)
    pile = " ".join(str(card) for card in before.discard_pile)
    signs = str.maketrans("chsd", "♣♥♠♦")
    assert [line.split(None, 1)[1] for line in lines if line.startswith("  pile ")] == [
        pile.translate(signs).replace("T", "10") or "empty"
    ]
    (hand,) = (line for line in lines if line.startswith("  hand "))
    assert hand.endswith(f"({before.seats[1].points})")
    assert len(re.findall("[♣♥♠♦]", hand)) == 11
    none = arena("debug", "m.record", "--bot", "mine.py", "--seat", "1", "--at", "99999", cwd=folder)
    assert "Seat 1 decides nothing at move 99999 or after it." in none.stdout


def test_a_crash_is_found_again_in_the_record_of_its_forfeit(folder: Path) -> None:
    crashed = play_match(CLASSIC, SEED, SIMPLE, UploadContestant({"bot.py": CRASHES}, "bot.py"))
    fault = crashed.games[0].fault
    assert fault is not None
    assert fault.seat == 1
    (folder / "forfeit.record").write_bytes(crashed.public().to_bytes())
    number = list(steps(crashed.games[0]))[-1].number
    run = arena("debug", "forfeit.record", "--bot", "crash.py", cwd=folder)  # it finds the game and the seat
    assert run.returncode == 1
    lines = run.stdout.splitlines()
    assert lines[0] == "crash.py in seat 1 of game 1, where B sat"
    assert lines[1] == f"move {number}, hand {fault.hand}: your bot fails (exception): {fault.message}"
    place = CRASHES.splitlines().index("            {}[view.turns]") + 1
    assert f'  File "crash.py", line {place}, in choose_discard' in lines
    assert "    {}[view.turns]" in lines
    assert any(line.startswith("  hand ") for line in lines)
    assert lines[-2:] == ["  it printed", "look here"]
    cured = arena("debug", "forfeit.record", "--bot", "mine.py", cwd=folder)
    assert cured.returncode == 0
    assert "where the record ends with a forfeit" not in cured.stdout
    assert cured.stdout.splitlines()[-1].endswith(" 0 other than recorded")
    at = arena("debug", "forfeit.record", "--bot", "mine.py", "--at", number, cwd=folder)
    assert "where the record ends with a forfeit" in at.stdout


def test_bots_that_fail_at_the_ends_of_a_game(folder: Path) -> None:
    for hook, where in (("start_game", "before the first hand"), ("end_game", "after the last hand")):
        source = f"{starter_source()}\n    def {hook}(self, told):\n        raise RuntimeError('planted')\n"
        (folder / "bad.py").write_text(source, encoding="utf-8")
        run = arena("debug", "m.record", "--bot", "bad.py", "--seat", "1", cwd=folder)
        assert run.returncode == 1
        assert f"{where}: your bot fails (exception): RuntimeError: planted" in run.stdout
        assert f'File "bad.py", line {len(source.splitlines())}, in {hook}' in run.stdout


def test_the_source_tree_is_left_alone() -> None:
    assert not (ROOT / "m.record").exists()
