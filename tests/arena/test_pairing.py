from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from arena.pairing import Candidate, choose_pair, pair_key

START = 1_500_000


def candidate(
    number: int, owner: int | None = None, *, rating: int = 1500, games: int = 0, running: int = 0
) -> Candidate:
    return Candidate(number, owner, rating * 1000, games, running)


@pytest.mark.parametrize(
    "candidates",
    [
        pytest.param([], id="nobody"),
        pytest.param([candidate(1)], id="one bot"),
        pytest.param([candidate(number, 7) for number in range(5)], id="all of one owner"),
    ],
)
def test_nobody_to_pair(candidates: list[Candidate]) -> None:
    assert choose_pair(candidates, {}, Random(1)) is None


def test_house_bots_may_meet_each_other() -> None:
    pair = choose_pair([candidate(1), candidate(2)], {}, Random(1))
    assert pair is not None
    assert set(pair) == {1, 2}


def test_bots_of_one_owner_never_meet() -> None:
    bots = [candidate(1, 7), candidate(2, 7), candidate(3, 7), candidate(4, 8)]
    rng = Random(2)
    for _ in range(300):
        pair = choose_pair(bots, {}, rng)
        assert pair is not None
        assert 4 in pair
        assert pair[0] != pair[1]


def test_the_same_random_state_gives_the_same_pairs() -> None:
    bots = [candidate(number, number % 3, rating=1400 + 20 * number, games=number) for number in range(12)]
    first, second = Random(5), Random(5)
    assert [choose_pair(bots, {}, first) for _ in range(50)] == [choose_pair(bots, {}, second) for _ in range(50)]


def test_newcomers_are_drawn_sooner_in_the_stated_proportion() -> None:
    """A bot without matches weighs 1+4/1 = 5, one with 18 weighs 1+4/(1+3) = 2; only these two can be first."""
    bots = [candidate(1, games=0), candidate(2, games=18)]
    rng = Random(3)
    firsts = Counter(pair[0] for _ in range(4000) if (pair := choose_pair(bots, {}, rng)))
    assert firsts[1] / 4000 == pytest.approx(5 / 7, abs=0.03)


def test_opponents_are_drawn_by_closeness_in_the_stated_proportion() -> None:
    """100 Elo apart E = 0.640065, so the weight is (4*0.640065*0.359935)^16 = 0.921527^16 = 0.2706."""
    bots = [candidate(1, 7), candidate(2, 8), candidate(3, 8, rating=1600)]
    rng = Random(4)
    seconds = Counter(pair[1] for _ in range(12000) if (pair := choose_pair(bots, {}, rng)) and pair[0] == 1)
    assert seconds[3] / seconds[2] == pytest.approx(0.2706, abs=0.03)


def test_earlier_meetings_make_an_opponent_rarer_in_the_stated_proportion() -> None:
    bots = [candidate(1, 7), candidate(2, 8), candidate(3, 8)]
    rng = Random(6)
    meetings = {pair_key(2, 1): 3}
    seconds = Counter(pair[1] for _ in range(12000) if (pair := choose_pair(bots, meetings, rng)) and pair[0] == 1)
    assert seconds[2] / seconds[3] == pytest.approx(1 / 4, abs=0.03)


def test_a_far_opponent_is_still_an_opponent() -> None:
    bots = [candidate(1, rating=1500), candidate(2, rating=90_000)]
    pair = choose_pair(bots, {}, Random(1))
    assert pair is not None
    assert set(pair) == {1, 2}


def test_a_bot_at_its_share_of_the_running_matches_waits() -> None:
    """16 of 32 seats taken by bot 0: with one more match there are 17, of which a quarter rounds up to 5."""
    bots = [candidate(0, running=16), *(candidate(number, running=1) for number in range(1, 17))]
    rng = Random(8)
    for _ in range(200):
        pair = choose_pair(bots, {}, rng, max_share=0.25)
        assert pair is not None
        assert 0 not in pair


def test_the_share_is_a_parameter() -> None:
    """Of 5 matches 0.8 are 4: a bot with 3 may play, where a quarter (rounded up 2) would forbid it."""
    bots = [candidate(0, running=3), *(candidate(number, running=1) for number in range(1, 6))]
    met = {
        number for seed in range(200) if (pair := choose_pair(bots, {}, Random(seed), max_share=0.8)) for number in pair
    }
    assert 0 in met
    met = {
        number
        for seed in range(200)
        if (pair := choose_pair(bots, {}, Random(seed), max_share=0.25))
        for number in pair
    }
    assert 0 not in met


def test_a_ladder_of_two_keeps_playing_whatever_the_share() -> None:
    assert choose_pair([candidate(1, running=6), candidate(2, running=6)], {}, Random(1), max_share=0.1) is not None


def test_the_only_allowed_pair_is_always_found() -> None:
    bots = [*(candidate(number, 7) for number in range(20)), candidate(99, 8, games=10_000)]
    for seed in range(50):
        pair = choose_pair(bots, {}, Random(seed))
        assert pair is not None
        assert 99 in pair
