from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import pytest

from arena.pairing import BLIND_TRIES, PLACEMENT_MATCHES, Candidate, Meetings, pairings

SETTLED = 60


def candidate(number: int, owner: int | None = None, *, rating: int = 1500, games: int = SETTLED) -> Candidate:
    return Candidate(number, owner, rating * 1000, games)


def strangers(_: int) -> Mapping[int, int]:
    """Nobody has met anybody yet."""
    return {}


def choose_pair(
    candidates: Sequence[Candidate], meetings: Meetings, rng: Random, **load: Any
) -> tuple[int, int] | None:
    """The first pair, or None when no two may play. `load` is the keyword arguments of `pairings`."""
    return next(pairings(candidates, meetings, rng, **load), None)


@pytest.mark.parametrize(
    "candidates",
    [
        pytest.param([], id="nobody"),
        pytest.param([candidate(1)], id="one bot"),
        pytest.param([candidate(number, 7) for number in range(5)], id="all of one owner"),
    ],
)
def test_nobody_to_pair(candidates: list[Candidate]) -> None:
    assert choose_pair(candidates, strangers, Random(1)) is None


def test_house_bots_may_meet_each_other() -> None:
    pair = choose_pair([candidate(1), candidate(2)], strangers, Random(1))
    assert pair is not None
    assert set(pair) == {1, 2}


def test_bots_of_one_owner_never_meet() -> None:
    bots = [candidate(1, 7), candidate(2, 7), candidate(3, 7), candidate(4, 8)]
    rng = Random(2)
    for _ in range(300):
        pair = choose_pair(bots, strangers, rng)
        assert pair is not None
        assert 4 in pair
        assert pair[0] != pair[1]


def test_the_same_random_state_gives_the_same_pairs() -> None:
    bots = [candidate(number, number % 3, rating=1400 + 20 * number, games=number) for number in range(12)]
    first, second = Random(5), Random(5)
    assert [choose_pair(bots, strangers, first) for _ in range(50)] == [
        choose_pair(bots, strangers, second) for _ in range(50)
    ]


def test_newcomers_are_drawn_sooner_in_the_stated_proportion() -> None:
    """A bot with 6 matches weighs 1+4/(1+1) = 3, one with 18 weighs 1+4/(1+3) = 2; only these two can be first."""
    bots = [candidate(1, games=6), candidate(2, games=18)]
    rng = Random(3)
    firsts = Counter(pair[0] for _ in range(4000) if (pair := choose_pair(bots, strangers, rng)))
    assert firsts[1] / 4000 == pytest.approx(3 / 5, abs=0.03)


def test_opponents_are_drawn_by_closeness_in_the_stated_proportion() -> None:
    """100 Elo apart E = 0.640065, so the weight is (4*0.640065*0.359935)^16 = 0.921527^16 = 0.2706."""
    bots = [candidate(1, 7), candidate(2, 8), candidate(3, 8, rating=1600)]
    rng = Random(4)
    seconds = Counter(pair[1] for _ in range(12000) if (pair := choose_pair(bots, strangers, rng)) and pair[0] == 1)
    assert seconds[3] / seconds[2] == pytest.approx(0.2706, abs=0.03)


def test_earlier_meetings_make_an_opponent_rarer_in_the_stated_proportion() -> None:
    bots = [candidate(1, 7), candidate(2, 8), candidate(3, 8)]
    rng = Random(6)
    met = {1: {2: 3}}
    drawn = (choose_pair(bots, lambda first: met.get(first, {}), rng) for _ in range(12000))
    seconds = Counter(pair[1] for pair in drawn if pair and pair[0] == 1)
    assert seconds[2] / seconds[3] == pytest.approx(1 / 4, abs=0.03)


def test_a_far_opponent_is_still_an_opponent() -> None:
    bots = [candidate(1, rating=1500), candidate(2, rating=90_000)]
    pair = choose_pair(bots, strangers, Random(1))
    assert pair is not None
    assert set(pair) == {1, 2}


def test_a_bot_at_its_share_of_the_running_matches_waits() -> None:
    """16 of 32 seats taken by bot 0: with one more match there are 17, of which a quarter rounds up to 5."""
    bots = [candidate(number) for number in range(17)]
    running = {0: 16} | dict.fromkeys(range(1, 17), 1)
    rng = Random(8)
    for _ in range(200):
        pair = choose_pair(bots, strangers, rng, running=running, max_share=0.25)
        assert pair is not None
        assert 0 not in pair


def test_the_share_is_a_parameter() -> None:
    """Of 5 matches 0.8 are 4: a bot with 3 may play, where a quarter (rounded up 2) would forbid it."""
    bots = [candidate(number) for number in range(6)]
    running = {0: 3} | dict.fromkeys(range(1, 6), 1)

    def met(share: float) -> set[int]:
        pairs = [choose_pair(bots, strangers, Random(seed), running=running, max_share=share) for seed in range(200)]
        return {number for pair in pairs if pair for number in pair}

    assert 0 in met(0.8)
    assert 0 not in met(0.25)


def test_a_ladder_of_two_keeps_playing_whatever_the_share() -> None:
    pair = choose_pair([candidate(1), candidate(2)], strangers, Random(1), running={1: 6, 2: 6}, max_share=0.1)
    assert pair is not None


def test_the_only_allowed_pair_is_always_found() -> None:
    bots = [*(candidate(number, 7) for number in range(20)), candidate(99, 8, games=10_000)]
    for seed in range(50):
        pair = choose_pair(bots, strangers, Random(seed))
        assert pair is not None
        assert 99 in pair


def test_one_stranger_among_a_thousand_of_one_owner_is_found_where_guessing_fails() -> None:
    """A guess finds the pair once in a million times: the draw over all must take over, and stop when none is left."""
    bots = [*(candidate(number, 7) for number in range(1000)), candidate(1001, 8)]
    assert BLIND_TRIES < 1000
    for seed in range(5):
        pair = choose_pair(bots, strangers, Random(seed))
        assert pair is not None
        assert 1001 in pair
    assert choose_pair(bots[:-1], strangers, Random(1)) is None


def test_far_opponents_are_drawn_in_the_stated_proportion_too() -> None:
    """400 Elo apart E = 10/11, so 4E(1-E) = 40/121; 410 apart E = 0.913726 and 4E(1-E) = 0.315324. To the power of 16
    that is about 1e-8: guesses find neither, and the two stand as (0.330579/0.315324)^16 = 2.130 to 1."""
    bots = [candidate(1, 7), candidate(2, 8, rating=1900), candidate(3, 8, rating=1910)]
    rng = Random(11)
    seconds = Counter(pair[1] for _ in range(3000) if (pair := choose_pair(bots, strangers, rng)) and pair[0] == 1)
    assert seconds[2] / seconds[3] == pytest.approx(2.130, rel=0.2)


class TestManyPairsAtOnce:
    def test_a_newcomer_is_drawn_first_until_its_placement_matches_are_queued(self) -> None:
        bots = [*(candidate(number) for number in range(200)), candidate(999, games=2)]
        draws = pairings(bots, strangers, Random(3), running={999: 1}, max_share=1.0)
        firsts = [next(draws)[0] for _ in range(60)]
        assert PLACEMENT_MATCHES == 6
        assert firsts[:3] == [999, 999, 999]
        assert firsts[3:].count(999) < 10

    def test_a_newcomer_at_its_share_lets_the_others_play(self) -> None:
        bots = [*(candidate(number) for number in range(30)), candidate(999, games=0)]
        draws = pairings(bots, strangers, Random(4))
        seats = Counter(number for _ in range(8) for number in next(draws))
        assert seats[999] == 2
        assert max(seats.values()) == 2

    def test_what_was_handed_out_counts_as_a_meeting(self) -> None:
        """Four bots, six pairs: with nothing remembered, sixty draws would leave the pairs less even than this."""
        bots = [candidate(number) for number in range(4)]
        draws = pairings(bots, strangers, Random(5))
        pairs = Counter(frozenset(next(draws)) for _ in range(600))
        assert len(pairs) == 6
        assert max(pairs.values()) - min(pairs.values()) < 25

    def test_it_ends_where_nobody_may_play(self) -> None:
        assert list(pairings([candidate(1, 7), candidate(2, 7)], strangers, Random(1))) == []
