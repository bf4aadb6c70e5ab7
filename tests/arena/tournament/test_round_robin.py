from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from arena.tournament import RoundRobin, Tournament
from arena.tournament.schedule import round_robin
from tests.arena.tournament.play import entrants, pairings


@pytest.mark.parametrize("legs", [1, 2])
def test_every_two_meet_once_a_leg_and_everybody_plays_once_a_round(legs: int) -> None:
    for size in (*range(2, 65), 101, 300, 301):
        everybody = set(range(size))
        rounds = round_robin(range(size), legs)
        assert len(rounds) == legs * (size - 1 + size % 2)
        for pairs, alone in rounds:
            playing = [side for pair in pairs for side in pair] + ([] if alone is None else [alone])
            assert sorted(playing) == sorted(everybody)
        met = Counter(frozenset(pair) for pairs, _ in rounds for pair in pairs)
        assert met == dict.fromkeys(map(frozenset, combinations(everybody, 2)), legs)
        assert Counter(alone for _, alone in rounds) == (
            dict.fromkeys(everybody, legs) if size % 2 else {None: len(rounds)}
        )


def test_everybody_stands_first_about_as_often_as_second() -> None:
    for size in (*range(2, 65), 301):
        first = Counter(pair[0] for pairs, _ in round_robin(range(size)) for pair in pairs)
        second = Counter(pair[1] for pairs, _ in round_robin(range(size)) for pair in pairs)
        assert max(abs(first[one] - second[one]) for one in range(size)) <= 1
        both = round_robin(range(size), 2)
        assert Counter(pair[0] for pairs, _ in both for pair in pairs) == dict.fromkeys(range(size), size - 1)


def test_a_pairing_has_as_many_matches_as_were_asked_for() -> None:
    tournament = Tournament(RoundRobin(matches=3, legs=2), entrants(4))
    assert sum(len(pairing.missing) for pairing in pairings(tournament)) == 2 * 6 * 3
    assert [match.number for match in tournament.playable] == [1, 2, 3, 1, 2, 3]
