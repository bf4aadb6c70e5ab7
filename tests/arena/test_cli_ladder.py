"""`arena ladder` and `arena bench`: who is stronger among many, and how fast."""

from __future__ import annotations

import itertools
import math
import random
import re
from pathlib import Path

import pytest

from arena.bots import house_source, starter_source
from arena.cli.ladder import fit_ratings
from tests.arena.commands import arena


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_everybody_in_the_folder_meets_everybody(tmp_path: Path, jobs: str) -> None:
    (tmp_path / "mine.py").write_text(starter_source(), encoding="utf-8")
    (tmp_path / "test_mine.py").write_text("no bot", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("no bot", encoding="utf-8")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "bot.py").write_text(house_source("simple"), encoding="utf-8")
    house = " random, random "
    run = arena("ladder", ".", "--house", house, "-n", "2", "--seed", "x", "--jobs", jobs, cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    lines = run.stdout.splitlines()
    assert lines[0] == "classic, seed x, 6 mirrored pairs"
    rows = [line.split() for line in lines[2:]]
    assert [row[0] for row in rows] == ["1", "2", "3"]
    assert {row[1] for row in rows} == {"mine.py", "other", "house:random"}
    assert rows[-1][1] == "house:random"
    ratings = [int(row[2]) for row in rows]
    assert ratings == sorted(ratings, reverse=True)
    assert sum(ratings) == pytest.approx(4500, abs=2)
    assert all(row[4] == "8" for row in rows)
    assert sum(int(row[5].removesuffix("%")) for row in rows) == pytest.approx(150, abs=2)


def test_a_bot_that_forfeits_is_counted(tmp_path: Path) -> None:
    source = starter_source().replace("        if view.knock_options:", "        {}[3]\n        if view.knock_options:")
    (tmp_path / "bad.py").write_text(source, encoding="utf-8")
    run = arena("ladder", ".", "--house", "simple", "-n", "1", cwd=tmp_path)
    assert run.returncode == 0
    assert re.search(r"^2  bad.py .* 0% .* 2$", run.stdout, re.MULTILINE)


def test_ratings_are_those_under_which_the_results_are_expected() -> None:
    """The likelihood is greatest where everybody's expected score is the one it had, the two added games included."""
    results = [(0, 1, 7.5, 10), (1, 2, 4.0, 10), (0, 2, 9.0, 10), (2, 3, 10.0, 10)]
    fitted = [rating for rating, _ in fit_ratings(4, results)]
    assert sum(fitted) / 4 == pytest.approx(1500)

    def expected(me: float, other: float) -> float:
        return 1 / (1 + 10 ** ((other - me) / 400))

    score = [1.0] * 4
    for a, b, won, games in results:
        score[a] += won
        score[b] += games - won
    # The average player that everybody met twice is not the players' own average: find it by what they scored.
    anchors = []
    for me in range(4):
        from_games = sum(
            games * expected(fitted[me], fitted[b if a == me else a]) for a, b, _, games in results if me in (a, b)
        )
        share = (score[me] - from_games) / 2
        anchors.append(fitted[me] + 400 * math.log10(1 / share - 1))
    assert max(anchors) - min(anchors) < 0.01


def test_many_games_find_the_true_differences() -> None:
    truth = [0.0, 100.0, 250.0]
    results = [
        (a, b, 1e6 / (1 + 10 ** ((truth[b] - truth[a]) / 400)), 1_000_000)
        for a, b in itertools.combinations(range(3), 2)
    ]
    fitted = fit_ratings(3, results)
    assert fitted[1][0] - fitted[0][0] == pytest.approx(100, abs=0.1)
    assert fitted[2][0] - fitted[0][0] == pytest.approx(250, abs=0.1)


@pytest.mark.parametrize(
    ("won", "margin"),
    [
        # Half the difference of the two, whose information is 2 * 10 / 4 + 2 / 4: a result that is one game off moves
        # it by 1 / 5.5, each of the four added games by half as much, in units of 1.96 * 400 / ln 10 = 340.49. Five
        # results to which one difference was fitted were off by the square root of 5 / 4 more.
        ([1.0, 1.0, 1.0, 1.0, 1.0], 340.49 * math.sqrt(4 * 0.5**2 * 0.5**2) / 5.5),
        ([2.0, 0.0, 2.0, 0.0, 1.0], 340.49 * math.sqrt(4 * 5 / 4 + 4 * 0.5**2 * 0.5**2) / 5.5),
    ],
)
def test_how_sure_ratings_are_is_judged_by_the_pairs(won: list[float], margin: float) -> None:
    fitted = fit_ratings(2, [(0, 1, score, 2) for score in won])
    assert fitted[0] == pytest.approx((1500.0, margin), abs=0.01)


def test_nineteen_of_twenty_intervals_hold_the_truth() -> None:
    rng = random.Random(7)
    truth = [1400.0, 1500.0, 1600.0]
    held = []
    for _ in range(200):
        results = [
            (a, b, 2.0 * (rng.random() < 1 / (1 + 10 ** ((truth[b] - truth[a]) / 400))), 2)
            for a, b in itertools.combinations(range(3), 2)
            for _ in range(60)
        ]  # pairs that are won or lost whole, as when the decks decide nothing
        held += [
            abs(rating - true) < margin for (rating, margin), true in zip(fit_ratings(3, results), truth, strict=True)
        ]
    assert sum(held) / len(held) == pytest.approx(0.95, abs=0.02)


def test_the_house_bots_met_are_a_few_of_all_strengths(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(starter_source(), encoding="utf-8")
    run = arena("ladder", ".", "-n", "1", "--seed", "x", cwd=tmp_path)
    assert run.returncode == 0
    rows = [line.split() for line in run.stdout.splitlines()[2:]]
    assert {row[1] for row in rows} == {"mine.py", "house:novice", "house:simple", "house:sharp"}
    assert rows[-1][1] == "house:novice"


def test_the_bench_measures_the_engine_the_house_and_the_bot(tmp_path: Path) -> None:
    slow = "        sum(range(200_000))\n        if view.knock_options:"
    source = starter_source().replace("        if view.knock_options:", slow)
    (tmp_path / "slow.py").write_text(source, encoding="utf-8")
    run = arena("bench", "slow.py", "--seconds", "1", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    rows = {line.rsplit(None, 2)[0]: line.split()[-2:] for line in run.stdout.splitlines()[2:]}
    assert list(rows) == ["engine, random moves", "house:simple v house:simple", "slow.py v house:simple"]
    hands = [float(row[0]) for row in rows.values()]
    each = [float(row[1]) for row in rows.values()]
    assert hands[0] > hands[1] > hands[2] > 0
    assert 0 < each[0] < each[1] < each[2]
