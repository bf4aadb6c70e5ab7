from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random

import pytest

from arena.tournament import (
    MAX_EXTRA_MATCHES,
    DoubleElimination,
    GroupsThenKnockout,
    Outcome,
    Result,
    Side,
    SingleElimination,
    State,
    Takes,
    Tournament,
)
from arena.tournament.bracket import double_elimination, single_elimination
from arena.tournament.schedule import bracket_order, draw_groups, group_name, seed_qualifiers
from tests.arena.tournament.play import better_seed_wins, by_chance, entrants, pairings, play_out, scored

SIXTEEN = [(1, 16), (8, 9), (5, 12), (4, 13), (6, 11), (3, 14), (7, 10), (2, 15)]
"""The first round of a regional of the NCAA's basketball championship, from top to bottom."""


def test_seeds_stand_as_in_the_known_table_of_sixteen() -> None:
    order = bracket_order(16)
    drawn = {frozenset(pair) for pair in zip(order[::2], order[1::2], strict=True)}
    assert drawn == set(map(frozenset, SIXTEEN))
    fours = {frozenset(order[at : at + 4]) for at in range(0, 16, 4)}
    assert fours == {frozenset(SIXTEEN[at] + SIXTEEN[at + 1]) for at in range(0, 8, 2)}
    assert {1, 4, 5, 8, 9, 12, 13, 16} == set(order[:8])


@pytest.mark.parametrize("size", range(2, 65))
def test_when_the_better_seed_always_wins_the_best_are_left_after_each_round(size: int) -> None:
    tournament = play_out(Tournament(SingleElimination(), entrants(size)), better_seed_wins)
    left = set(entrants(size))
    for one, before_end in zip(tournament.rounds, reversed(range(len(tournament.rounds))), strict=True):
        left -= {pairing.loser for pairing in one.pairings}
        assert left == set(entrants(2**before_end))
    byes = tournament.rounds[0].byes
    assert byes == entrants(len(byes))
    assert len(list(pairings(tournament))) == size - 1
    assert tournament.champion == 1001
    assert [one.name for one in tournament.rounds][-3:] == ["Quarter-finals", "Semi-finals", "Final"][
        -len(tournament.rounds) :
    ]


def test_the_losers_of_a_round_share_a_rank() -> None:
    tournament = play_out(Tournament(SingleElimination(), entrants(8)), better_seed_wins)
    assert [(line.rank, line.seed, line.out_in) for line in tournament.standings] == [
        (1, 1, None),
        (2, 2, 3),
        (3, 3, 2),
        (3, 4, 2),
        (5, 5, 1),
        (5, 6, 1),
        (5, 7, 1),
        (5, 8, 1),
    ]


@pytest.mark.parametrize("reset", [True, False])
def test_nobody_is_out_of_a_double_elimination_before_two_defeats(reset: bool) -> None:
    for size in (*range(2, 18), 33):
        chosen = DoubleElimination(reset=reset)
        tournament = Tournament(chosen, entrants(size))
        score = by_chance(Random(size))
        while not tournament.is_over:
            losses = Counter(pairing.loser for pairing in pairings(tournament))
            assert tournament.bracket is not None
            out = tournament.bracket.out_in
            assert all(losses[one] == 2 for one in out)
            assert all(losses[one] <= 1 for one in tournament.entrants if one not in out)
            tournament = tournament.with_results(*map(score, tournament.playable))
        losses = Counter(pairing.loser for pairing in pairings(tournament))
        assert losses.pop(tournament.champion, 0) <= 1
        beaten_in_the_final = tournament.standings[1].entrant
        if not reset and losses[beaten_in_the_final] == 1:
            losses[beaten_in_the_final] = 2
        assert losses == dict.fromkeys(set(tournament.entrants) - {tournament.champion}, 2)
        last = (
            [match.state for match in tournament.bracket.matches if match.node.is_reset] if tournament.bracket else []
        )
        played_twice = last == [State.OVER]
        assert len(list(pairings(tournament))) == 2 * size - 2 + played_twice
        assert all(state in (State.OVER, State.NOT_NEEDED) for state in last)


def test_a_grand_final_is_played_again_only_when_the_unbeaten_side_loses_it() -> None:
    def upset(tournament: Tournament) -> Tournament:
        while tournament.rounds[-2].name != "Grand final" or not tournament.rounds[-2].pairings:
            tournament = tournament.with_results(*map(better_seed_wins, tournament.playable))
        return tournament

    before = upset(Tournament(DoubleElimination(), entrants(4)))
    (final,) = before.playable
    assert (final.first, final.second) == (1001, 1002)
    once = before.with_results(scored(final, 4))
    assert (once.champion, once.rounds[-1].name) == (1001, "Grand final")
    again = before.with_results(scored(final, 0))
    assert not again.is_over
    assert not again.bracket or not {1001, 1002} & again.bracket.out_in.keys()
    (second,) = again.playable
    assert (second.round, second.first, second.second) == (final.round + 1, 1001, 1002)
    assert again.with_results(scored(second, 4)).champion == 1001
    assert again.with_results(scored(second, 1)).champion == 1002


@pytest.mark.parametrize(("size", "free"), [(8, 2), (16, 3), (32, 4), (64, 4)])
def test_no_rematch_in_the_first_rounds_of_the_losers_side(size: int, free: int) -> None:
    for seed in range(6):
        tournament = play_out(Tournament(DoubleElimination(), entrants(size)), by_chance(Random(seed)))
        assert tournament.bracket is not None
        met: set[frozenset[int]] = set()
        for match in tournament.bracket.matches:
            if match.pairing is not None:
                pair = frozenset((match.pairing.first, match.pairing.second))
                early = match.node.side is Side.LOSERS and int(match.node.key[1:].partition(".")[0]) <= free
                assert not early or pair not in met
                met.add(pair)


@pytest.mark.parametrize("layout", [single_elimination, double_elimination])
def test_a_bracket_can_be_drawn_from_its_layout(layout: type) -> None:
    """Feeders stand further left and are played before, no two matches overlap, and nobody's way is lost."""
    for size in range(2, 80):
        shape = layout(size)
        nodes = {node.key: node for node in shape.nodes}
        assert len(nodes) == len(shape.nodes)
        seeds = []
        winners: Counter[str] = Counter()
        losers: Counter[str] = Counter()
        for node in shape.nodes:
            for feeder in node.feeders:
                if feeder.match is None:
                    seeds.append(feeder.seed)
                else:
                    assert nodes[feeder.match].column < node.column
                    assert nodes[feeder.match].round < node.round
                    (winners if feeder.takes is Takes.WINNER else losers)[feeder.match] += 1
        assert sorted(seeds) == list(range(1, size + 1))
        assert winners == dict.fromkeys(list(nodes)[:-1], 1)
        if layout is double_elimination:
            assert losers == {node.key: 1 for node in shape.nodes if node.side is Side.WINNERS or node.key == "F1.1"}
        for column in range(shape.columns):
            rows = sorted(node.row for node in shape.nodes if node.column == column)
            assert rows, "No column is empty."
            assert all(below - above >= 1 for above, below in pairwise(rows))
        assert min(node.row for node in shape.nodes) == 0
        assert {node.round for node in shape.nodes} == set(range(1, len(shape.rounds) + 1))


def test_the_bracket_of_five() -> None:
    """Seeds 1 to 3 have byes; 4 and 5 play for the place against 1."""
    shape = single_elimination(5)
    assert shape.rounds == ("Quarter-finals", "Semi-finals", "Final")
    drawn = [
        (node.key, node.column, node.row, *(feeder.seed or feeder.match for feeder in node.feeders))
        for node in shape.nodes
    ]
    assert drawn == [
        ("W1.1", 0, 0.0, 4, 5),
        ("W2.1", 1, 0.0, 1, "W1.1"),
        ("W2.2", 1, 1.0, 2, 3),
        ("W3.1", 2, 0.5, "W2.1", "W2.2"),
    ]


def test_a_match_becomes_playable_when_both_its_entrants_are_known() -> None:
    tournament = Tournament(SingleElimination(), entrants(5))
    assert {(match.first, match.second) for match in tournament.playable} == {(1004, 1005), (1002, 1003)}
    other = next(match for match in tournament.playable if match.first == 1002)
    tournament = tournament.with_results(scored(other, 4))
    assert [(match.first, match.second) for match in tournament.playable] == [(1004, 1005)]
    assert tournament.bracket is not None
    assert [match.state for match in tournament.bracket.matches] == [
        State.PLAYING,
        State.WAITING,
        State.OVER,
        State.WAITING,
    ]
    assert [match.sides for match in tournament.bracket.matches] == [
        (1004, 1005),
        (1001, None),
        (1002, 1003),
        (None, 1002),
    ]


def final_of(*scores: tuple[int, tuple[int, int]]) -> Tournament:
    """A final of two matches with these results; 1001 is the better seed and stands first."""
    results = [
        Result(1, 1001, 1002, number, (quarters, 4 - quarters), points)
        for number, (quarters, points) in enumerate(scores, start=1)
    ]
    return Tournament(SingleElimination(matches=2), entrants(2), tuple(results))


LEVEL = (2, (50, 50))


@pytest.mark.parametrize(
    ("scores", "champion", "outcome"),
    [
        pytest.param([(4, (9, 0)), (1, (0, 90))], 1001, Outcome.SCORE, id="score before points"),
        pytest.param([(4, (100, 20)), (0, (10, 100))], 1002, Outcome.POINTS, id="110 points to 120"),
        pytest.param([LEVEL, LEVEL, (1, (9, 0))], 1002, Outcome.EXTRA, id="score of an extra match"),
        pytest.param([LEVEL, LEVEL, (2, (9, 0))], 1001, Outcome.EXTRA, id="points of an extra match"),
        pytest.param([LEVEL] * 3 + [(0, (0, 9))], 1002, Outcome.EXTRA, id="the second extra match"),
        pytest.param([LEVEL] * 4, 1001, Outcome.SEED, id="level to the very end"),
    ],
)
def test_how_a_level_knockout_pairing_is_decided(
    scores: list[tuple[int, tuple[int, int]]], champion: int, outcome: Outcome
) -> None:
    for played in range(2, len(scores)):
        before = final_of(*scores[:played])
        assert [match.number for match in before.playable] == [played + 1]
    tournament = final_of(*scores)
    (pairing,) = pairings(tournament)
    assert (tournament.champion, pairing.outcome) == (champion, outcome)
    assert outcome.words.endswith(".")
    assert len(scores) <= 2 + MAX_EXTRA_MATCHES


def test_two_bots_that_fail_in_every_match_are_decided_by_their_seeds() -> None:
    tournament = play_out(
        Tournament(SingleElimination(), entrants(8)),
        lambda match: Result(match.round, match.first, match.second, match.number, (0, 0)),
    )
    assert tournament.champion == 1001
    assert {pairing.outcome for pairing in pairings(tournament)} == {Outcome.SEED}
    assert len(tournament.results) == 7 * (1 + MAX_EXTRA_MATCHES)


def test_groups_are_dealt_out_to_and_fro() -> None:
    assert draw_groups(range(1, 13), 4) == [(1, 6, 7, 12), (2, 5, 8, 11), (3, 4, 9, 10)]
    for size in range(3, 8):
        for count in range(2, 302):
            sizes = list(map(len, draw_groups(range(count), size)))
            assert sum(sizes) == count
            assert min(sizes) >= 2
            assert max(sizes) <= size
            assert max(sizes) - min(sizes) <= 1
    assert [group_name(index) for index in (0, 25, 26, 27, 52)] == ["A", "Z", "AA", "AB", "BA"]


@pytest.mark.parametrize("count", range(2, 77))
def test_two_of_a_group_meet_again_only_in_the_final(count: int) -> None:
    groups = [(2 * index, 2 * index + 1) for index in range(count)]
    seeds = seed_qualifiers(groups)
    assert sorted(seeds[:count]) == [first for first, _ in groups]
    tournament = Tournament(SingleElimination(), tuple(seeds))
    assert tournament.bracket is not None
    below: dict[str, set[int]] = {}
    for match in tournament.bracket.matches:
        sides = [
            {seeds[feeder.seed - 1]} if feeder.seed is not None else below[feeder.match or ""]
            for feeder in match.node.feeders
        ]
        below[match.node.key] = sides[0] | sides[1]
        if match is not tournament.bracket.matches[-1]:
            assert len({one // 2 for one in below[match.node.key]}) == len(below[match.node.key])


def test_groups_then_knockout() -> None:
    """Twelve entrants in three groups of four; the better seed always wins, so two of each group go on."""
    chosen = GroupsThenKnockout(matches=2, knockout_matches=3)
    tournament = Tournament(chosen, entrants(12))
    assert len(tournament.playable) == 6 * 2
    assert tournament.bracket is None
    tournament = play_out(tournament, better_seed_wins)
    assert [group.name for group in tournament.groups] == ["A", "B", "C"]
    assert [[line.entrant for line in group.standings] for group in tournament.groups] == [
        [1001, 1006, 1007, 1012],
        [1002, 1005, 1008, 1011],
        [1003, 1004, 1009, 1010],
    ]
    assert tournament.bracket is not None
    assert set(tournament.bracket.seeds) == set(entrants(6))
    assert tournament.bracket.seeds[:3] == entrants(3)
    assert len(tournament.results) == 3 * 6 * 2 + 5 * 3
    assert [one.name for one in tournament.rounds] == [
        "Group round 1",
        "Group round 2",
        "Group round 3",
        "Quarter-finals",
        "Semi-finals",
        "Final",
    ]
    ranks = {line.entrant: line.rank for line in tournament.standings}
    assert [ranks[one] for one in (1001, 1002, 1007, 1008, 1009, 1010, 1011, 1012)] == [1, 2, 7, 7, 7, 10, 10, 10]


def test_one_group_with_one_to_go_on_is_won_by_its_first() -> None:
    tournament = play_out(Tournament(GroupsThenKnockout(qualifiers=1), entrants(4)), better_seed_wins)
    assert (tournament.champion, len(tournament.rounds)) == (1001, 3)
