from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.elo import START_MILLI, GameScore, expected_score, k_factor, quarters, rate

ratings = st.integers(-2_000_000, 5_000_000)
matches = st.integers(0, 100_000)
scores = st.integers(0, 4)


def game(winner: int | None, a: int, b: int, *forfeits: int) -> GameScore:
    return GameScore(winner, (a, b), frozenset(forfeits))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        pytest.param(game(0, 100, 20), game(0, 105, 99), 4, id="both won"),
        pytest.param(game(1, 20, 100), game(1, 99, 105), 0, id="both lost"),
        pytest.param(game(0, 100, 20), game(1, 90, 110), 3, id="one each, more points (190 to 130)"),
        pytest.param(game(0, 100, 50), game(1, 60, 110), 2, id="one each, equal points (160 to 160)"),
        pytest.param(game(0, 100, 80), game(1, 0, 110), 1, id="one each, fewer points (100 to 190)"),
        pytest.param(game(0, 100, 0), game(None, 50, 50), 3, id="a win and a draw"),
        pytest.param(game(None, 50, 50), game(1, 99, 120), 1, id="a draw and a loss, whatever the points"),
        pytest.param(game(None, 50, 50), game(None, 70, 70), 2, id="two draws, equal points"),
        pytest.param(game(None, 0, 0), game(0, 100, 0), 3, id="a draw and a win"),
        pytest.param(game(0, 100, 0), game(1, 90, 10, 0), 1, id="one each, the failing side has fewer points"),
        pytest.param(game(0, 10, 90, 1), game(1, 0, 100), 3, id="one each, the other side failed"),
        pytest.param(game(0, 10, 20, 1), game(1, 0, 5, 0), 1, id="each failed once: points decide (10 to 25)"),
        pytest.param(game(None, 0, 0, 0, 1), game(None, 0, 0, 0, 1), 2, id="both fail in both"),
        pytest.param(game(1, 0, 0, 0), game(1, 0, 0, 0), 0, id="failed twice"),
    ],
)
def test_quarters(first: GameScore, second: GameScore, expected: int) -> None:
    assert quarters([first, second]) == expected
    assert quarters([second, first]) == expected


def test_quarters_of_the_other_side_are_the_rest() -> None:
    def mirrored(score: GameScore) -> GameScore:
        winner = None if score.winner is None else 1 - score.winner
        return GameScore(winner, (score.points[1], score.points[0]), frozenset(1 - side for side in score.forfeits))

    results = [game(w, a, b) for w in (0, 1, None) for a in (0, 40, 100) for b in (0, 40, 100)]
    for first in results:
        for second in results:
            assert quarters([first, second]) + quarters([mirrored(first), mirrored(second)]) == 4


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_pair_has_two_games(count: int) -> None:
    with pytest.raises(ValueError, match="A pair has two games"):
        quarters([game(0, 100, 0)] * count)


@pytest.mark.parametrize(
    ("played", "expected"),
    [(0, 150), (6, 75), (12, 50), (18, 37.5), (54, 15), (219, 4), (220, 4), (10_000, 4)],
)
def test_k_factor(played: int, expected: float) -> None:
    """150/(1+n/6): n=6 halves it, n=12 leaves a third, n=18 a quarter, n=54 a tenth; 4 is the floor from n=219."""
    assert k_factor(played) == pytest.approx(expected)


def test_k_factor_refuses_a_negative_number() -> None:
    with pytest.raises(ValueError, match="not negative"):
        k_factor(-1)


@pytest.mark.parametrize(
    ("difference", "expected"), [(0, 1 / 2), (400, 10 / 11), (-400, 1 / 11), (800, 100 / 101), (1200, 1000 / 1001)]
)
def test_expected_score(difference: int, expected: float) -> None:
    assert expected_score(START_MILLI + 1000 * difference, START_MILLI) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("a", "na", "b", "nb", "score", "expected"),
    [
        # Equal newcomers, E = 1/2, K = 150: a won pair moves both by 75 points, three quarters by 37.5.
        (1_500_000, 0, 1_500_000, 0, 4, (75_000, -75_000)),
        (1_500_000, 0, 1_500_000, 0, 3, (37_500, -37_500)),
        (1_500_000, 0, 1_500_000, 0, 2, (0, 0)),
        # A is 400 better, E = 10/11. K(6) = 75, K(12) = 50. A wins: 75/11 = 6.818, -50/11 = -4.545.
        (1_900_000, 6, 1_500_000, 12, 4, (6_818, -4_545)),
        # The same with A losing: -75*10/11 = -68.182, +50*10/11 = 45.455.
        (1_900_000, 6, 1_500_000, 12, 0, (-68_182, 45_455)),
        # A quarter each way: S - E = 1/4 - 1/2, K(0) = 150 and K(1000) = 4: -37.5 and +1.
        (1_500_000, 0, 1_500_000, 1000, 1, (-37_500, 1_000)),
        # 470 points ahead at the least K: 4/(1+10^1.175) = 4/15.962 = 0.2506 points, which whole points would lose.
        (1_970_000, 500, 1_500_000, 500, 4, (251, -251)),
    ],
)
def test_rate(a: int, na: int, b: int, nb: int, score: int, expected: tuple[int, int]) -> None:
    assert rate(a, na, b, nb, score) == expected


@pytest.mark.parametrize("score", [-1, 5])
def test_rate_refuses_a_score_out_of_range(score: int) -> None:
    with pytest.raises(ValueError, match="0 to 4 quarters"):
        rate(START_MILLI, 0, START_MILLI, 0, score)


@given(ratings, matches, ratings, matches, scores)
def test_rate_stays_within_k_and_balances(a: int, na: int, b: int, nb: int, score: int) -> None:
    da, db = rate(a, na, b, nb, score)
    assert isinstance(da, int)
    assert isinstance(db, int)
    assert abs(da) <= round(1000 * k_factor(na))
    assert abs(db) <= round(1000 * k_factor(nb))
    assert da / k_factor(na) + db / k_factor(nb) == pytest.approx(0, abs=0.5 / k_factor(na) + 0.5 / k_factor(nb))


@given(ratings, matches, ratings, matches, scores)
def test_rate_does_not_depend_on_who_is_named_first(a: int, na: int, b: int, nb: int, score: int) -> None:
    da, db = rate(a, na, b, nb, score)
    other_db, other_da = rate(b, nb, a, na, 4 - score)
    assert abs(da - other_da) <= 1
    assert abs(db - other_db) <= 1


@given(ratings, matches, ratings, matches)
def test_a_better_score_never_earns_less(a: int, na: int, b: int, nb: int) -> None:
    gains = [rate(a, na, b, nb, score) for score in range(5)]
    assert gains == sorted(gains, key=lambda pair: pair[0])
    assert gains == sorted(gains, key=lambda pair: -pair[1])
    assert gains[0][0] <= 0 <= gains[4][0]
