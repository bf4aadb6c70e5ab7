"""What holds for every format and every size."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.elo import GameScore
from arena.tournament import (
    DoubleElimination,
    Format,
    GroupsThenKnockout,
    Result,
    RoundRobin,
    SingleElimination,
    Swiss,
    Tournament,
    format_from_dict,
    format_to_dict,
    match_score,
)
from tests.arena.tournament.play import FORMATS, by_chance, entrants, pairings, play_out, scored

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("chosen", FORMATS.values(), ids=FORMATS)
def test_it_runs_to_its_end_at_every_size(chosen: Format) -> None:
    for size in (*range(2, 49), 64):
        tournament = play_out(Tournament(chosen, entrants(size)), by_chance(Random(size)))
        assert not tournament.playable
        assert not tournament.unused
        assert tournament.champion == tournament.standings[0].entrant
        assert sorted(line.entrant for line in tournament.standings) == list(entrants(size))
        assert [one.number for one in tournament.rounds] == list(range(1, len(tournament.rounds) + 1))
        assert all(one.is_complete for one in tournament.rounds)
        for one in tournament.rounds:
            playing = Counter(side for pairing in one.pairings for side in (pairing.first, pairing.second))
            assert max(playing.values()) == 1
            assert not playing.keys() & set(one.byes)


@pytest.mark.parametrize("size", [101, 300, 301])
@pytest.mark.parametrize(
    "chosen", [DoubleElimination(), SingleElimination(matches=2), GroupsThenKnockout(knockout_matches=3)]
)
def test_large_knockouts(chosen: Format, size: int) -> None:
    tournament = play_out(Tournament(chosen, entrants(size)), by_chance(Random(size)))
    assert tournament.champion == tournament.standings[0].entrant


@pytest.mark.parametrize("chosen", FORMATS.values(), ids=FORMATS)
def test_matches_are_handed_out_round_by_round_and_in_a_bracket_as_soon_as_both_are_known(chosen: Format) -> None:
    """Played one at a time, always the last that is offered, so that rounds and brackets run as unevenly as can be."""
    tournament = Tournament(chosen, entrants(9))
    score = by_chance(Random(1))
    while tournament.playable:
        if tournament.bracket is None:
            assert {match.round for match in tournament.playable} == {tournament.current_round}
            earlier = [one for one in tournament.rounds if one.number < tournament.current_round]
            assert all(one.is_complete for one in earlier)
        else:
            waiting = [match for pairing in pairings(tournament) for match in pairing.missing]
            assert list(tournament.playable) == waiting
        tournament = tournament.with_results(score(tournament.playable[-1]))
    assert tournament.is_over


@given(st.sampled_from(sorted(FORMATS)), st.integers(2, 12), st.randoms(use_true_random=False))
def test_the_order_of_the_results_does_not_matter(name: str, size: int, rng: Random) -> None:
    tournament = play_out(Tournament(FORMATS[name], entrants(size)), by_chance(rng))
    shuffled = [result.seen_by(rng.choice((result.first, result.second))) for result in tournament.results]
    again = [*shuffled, *rng.sample(shuffled, len(shuffled) // 2)]
    rng.shuffle(again)
    other = Tournament(tournament.format, tournament.entrants, tuple(again))
    assert other.standings == tournament.standings
    assert other.rounds == tournament.rounds
    assert other.bracket == tournament.bracket


@pytest.mark.parametrize("chosen", FORMATS.values(), ids=FORMATS)
def test_a_void_match_is_played_again_and_what_it_led_to_comes_back(chosen: Format) -> None:
    tournament = play_out(Tournament(chosen, entrants(9)), by_chance(Random(2)))
    lost, *kept = tournament.results
    without = dataclasses.replace(tournament, results=tuple(kept))
    assert not without.is_over
    assert without.champion is None
    assert [match.number for match in without.playable if {match.first, match.second} == {lost.first, lost.second}]
    assert without.with_results(lost).standings == tournament.standings


def test_results_of_pairings_that_fell_away_are_named() -> None:
    tournament = play_out(Tournament(SingleElimination(), entrants(4)), lambda match: scored(match, 4))
    final = next(result for result in tournament.results if result.round == 2)
    semi = next(result for result in tournament.results if final.first in (result.first, result.second))
    turned = dataclasses.replace(semi, quarters=semi.quarters[::-1])
    changed = dataclasses.replace(
        tournament, results=(turned, *(result for result in tournament.results if result != semi))
    )
    assert changed.unused == (final,)
    assert not changed.is_over


@pytest.mark.parametrize("chosen", FORMATS.values(), ids=FORMATS)
def test_a_round_is_played_again(chosen: Format) -> None:
    tournament = play_out(Tournament(chosen, entrants(9)), by_chance(Random(3)))
    again = tournament.redo(2)
    assert again.current_round == 2
    assert not again.unused
    assert not [result for result in again.results if result.round == 2]
    assert [result for result in again.results if result.round < 2] == [
        result for result in tournament.results if result.round < 2
    ]
    independent = isinstance(chosen, RoundRobin | GroupsThenKnockout)
    assert any(result.round == 3 for result in again.results) == independent
    if isinstance(chosen, GroupsThenKnockout):
        assert again.bracket is None
    over = play_out(again, by_chance(Random(4)))
    assert over.is_over


def test_only_the_knockouts_round_is_played_again_after_groups() -> None:
    tournament = play_out(Tournament(GroupsThenKnockout(), entrants(8)), by_chance(Random(3)))
    again = tournament.redo(4)
    assert len([result for result in again.results if result.round <= 3]) == 12
    assert max(result.round for result in again.results) == 3


@pytest.mark.parametrize(
    "chosen",
    [
        RoundRobin(matches=3, legs=2),
        Swiss(rounds=9, matches=3),
        SingleElimination(matches=5),
        DoubleElimination(matches=5, reset=False),
        GroupsThenKnockout(matches=5, knockout_matches=15, group_size=6, qualifiers=3),
    ],
)
def test_a_format_comes_back_from_json(chosen: Format) -> None:
    assert format_from_dict(json.loads(json.dumps(format_to_dict(chosen)))) == chosen


@pytest.mark.parametrize(
    "stored",
    [
        {},
        {"kind": "ladder"},
        {"kind": "swiss"},
        {"kind": "swiss", "rounds": 0},
        {"kind": "swiss", "rounds": 3, "matches": 0},
        {"kind": "swiss", "rounds": "3"},
        {"kind": "round_robin", "legs": 3},
        {"kind": "round_robin", "rounds": 3},
        {"kind": "groups_then_knockout", "group_size": 2},
        {"kind": "groups_then_knockout", "group_size": 4, "qualifiers": 4},
    ],
)
def test_what_is_no_format_is_refused(stored: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"\.$|argument"):
        format_from_dict(stored)


def test_facts_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(ValueError, match="two entrants"):
        Tournament(RoundRobin(), (1,))
    with pytest.raises(ValueError, match="all different"):
        Tournament(RoundRobin(), (1, 2, 1))
    with pytest.raises(ValueError, match="two results"):
        Tournament(RoundRobin(), (1, 2), (Result(1, 1, 2, 1, (4, 0)), Result(1, 2, 1, 1, (4, 0))))
    with pytest.raises(ValueError, match="quarters"):
        Result(1, 1, 2, 1, (4, 4))
    with pytest.raises(ValueError, match="itself"):
        Result(1, 1, 1, 1, (4, 0))


@pytest.mark.parametrize(
    ("games", "score"),
    [
        pytest.param([(0, ()), (0, ())], (4, 0), id="won both"),
        pytest.param([(0, (1,)), (0, (1,))], (4, 0), id="one failed in both"),
        pytest.param([(None, (0, 1)), (None, (0, 1))], (0, 0), id="both failed in both"),
        pytest.param([(None, (0, 1)), (0, ())], (3, 1), id="both failed in one"),
    ],
)
def test_the_score_of_a_match(games: list[tuple[int | None, tuple[int, ...]]], score: tuple[int, int]) -> None:
    assert match_score([GameScore(winner, (0, 0), frozenset(failed)) for winner, failed in games]) == score


def test_without_networkx_all_but_swiss_works_and_swiss_says_what_to_do() -> None:
    script = """
import sys
sys.modules["networkx"] = None
from arena.tournament import *
assert Tournament(DoubleElimination(), (1, 2, 3)).playable
try:
    Tournament(Swiss(rounds=2), (1, 2, 3)).playable
except ImportError as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True, capture_output=True, text=True)
    assert "pip install networkx" in run.stdout
