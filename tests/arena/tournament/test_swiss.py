from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from random import Random

import pytest

from arena.tournament import Swiss, Tournament
from arena.tournament.swiss import pair_round
from tests.arena.tournament.play import by_chance, entrants, play_out

Met = frozenset[frozenset[int]]


def matchings(people: tuple[int, ...]) -> Iterator[list[frozenset[int]]]:
    """Every way to pair them all off."""
    if not people:
        yield []
    for other in people[1:]:
        rest = tuple(one for one in people[1:] if one != other)
        yield from ([frozenset((people[0], other)), *more] for more in matchings(rest))


def best(order: Iterable[tuple[int, int]], met: Met) -> tuple[int, int]:
    """The fewest rematches, and with these the least sum of squared differences, over all pairings: by exhaustion."""
    points = dict(order)
    return min(
        (
            sum(pair in met for pair in pairs),
            sum((points[max(pair)] - points[min(pair)]) ** 2 for pair in pairs),
        )
        for pairs in matchings(tuple(points))
    )


@pytest.mark.parametrize("size", range(2, 10))
def test_byes_and_rematches_are_what_an_exhaustive_search_allows(size: int) -> None:
    """Up to the rounds in which everybody could meet everybody, where pairing is hardest."""
    for seed in range(12 if size < 8 else 4):
        tournament = play_out(Tournament(Swiss(rounds=99), entrants(size)), by_chance(Random(seed)))
        assert len(tournament.rounds) == size - 1 + size % 2
        quarters = dict.fromkeys(entrants(size), 0)
        met: set[frozenset[int]] = set()
        rested: list[int] = []
        for one in tournament.rounds:
            order = sorted(quarters.items(), key=lambda item: (-item[1], item[0]))
            if size % 2:
                free = [item for item in reversed(order) if item[0] not in rested]
                left = {item: best([other for other in order if other != item], frozenset(met)) for item in free}
                # The lowest without a bye that leaves no rematch; the lowest of all if everybody leaves one.
                bye = next((item for item in free if left[item][0] == 0), free[0])
                assert one.byes == (bye[0],)
                rested.append(bye[0])
                quarters[bye[0]] += 4
                order.remove(bye)
            pairs = [frozenset((pairing.first, pairing.second)) for pairing in one.pairings]
            before = dict(order)
            cost = sum((before[max(pair)] - before[min(pair)]) ** 2 for pair in pairs)
            assert (sum(pair in met for pair in pairs), cost) == best(order, frozenset(met))
            met |= set(pairs)
            for pairing in one.pairings:
                quarters[pairing.first] += pairing.quarters[0]
                quarters[pairing.second] += pairing.quarters[1]
        assert len(set(rested)) == len(rested)


@pytest.mark.parametrize("size", [*range(10, 65), 101, 301])
def test_no_rematch_and_one_bye_each_at_every_size(size: int) -> None:
    """With no more rounds than half the entrants, those who have not met can always be paired (Dirac's theorem)."""
    rounds = min(9, size // 2 - 1)
    tournament = play_out(Tournament(Swiss(rounds=rounds, matches=2), entrants(size)), by_chance(Random(size)))
    assert len(tournament.rounds) == rounds
    pairs = [frozenset((pairing.first, pairing.second)) for one in tournament.rounds for pairing in one.pairings]
    assert len(pairs) == rounds * (size // 2)
    assert len(set(pairs)) == len(pairs)
    byes = [bye for one in tournament.rounds for bye in one.byes]
    assert len(byes) == len(set(byes)) == rounds * (size % 2)


@cache
def after_a_round(size: int) -> Tournament:
    tournament = Tournament(Swiss(rounds=3), entrants(size))
    return tournament.with_results(*map(by_chance(Random(7)), tournament.playable))


def test_the_upper_half_meets_the_lower_in_the_first_round() -> None:
    one = after_a_round(8).rounds[0]
    assert [(pairing.first, pairing.second) for pairing in one.pairings] == [
        (1001, 1005),
        (1002, 1006),
        (1003, 1007),
        (1004, 1008),
    ]


def test_a_round_waits_for_the_last_match_of_the_one_before() -> None:
    tournament = Tournament(Swiss(rounds=3), entrants(8))
    *most, last = tournament.playable
    tournament = tournament.with_results(*map(by_chance(Random(7)), most))
    assert tournament.playable == (last,)
    assert len(tournament.rounds) == 1
    assert len(after_a_round(8).rounds) == 2


def test_a_bye_is_a_full_score_and_no_match() -> None:
    tournament = Tournament(Swiss(rounds=1, matches=3), entrants(5))
    assert tournament.rounds[0].byes == (1005,)
    line = next(line for line in tournament.standings if line.entrant == 1005)
    assert (int(line.points), line.byes, line.played, line.won) == (3, 1, 0, 0)


def test_groups_of_odd_sizes_between_which_nothing_is_near_are_paired_without_giving_up_on_the_near() -> None:
    """75 entrants on each of four scores far apart: whoever floats goes to the next score, not to the first offered."""
    order = tuple((place, 40 * (3 - place // 75)) for place in range(300))
    pairs, bye = pair_round(order, frozenset(), frozenset())
    assert bye is None
    points = dict(order)
    crossing = Counter((points[first], points[second]) for first, second in pairs if points[first] != points[second])
    assert crossing == {(120, 80): 1, (40, 0): 1}
