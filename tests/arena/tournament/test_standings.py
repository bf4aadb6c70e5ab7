"""Points and tie-breaks, against sums made by hand. Points are given in quarters (q): a won match is 4."""

from __future__ import annotations

from fractions import Fraction

import pytest

from arena.tournament import Outcome, Pairing, Result, RoundRobin, Standing, Status, TieBreak, Tournament
from arena.tournament.standings import points_standings


def table(
    games: list[tuple[int, int, int, int]], count: int, *, byes: dict[int, int] | None = None
) -> tuple[Standing, ...]:
    """The standings of entrants 1 to `count` after pairings of one match, (first, second, q, other's q)."""
    pairings = [
        Pairing(
            round=1,
            first=first,
            second=second,
            matches=1,
            results=(Result(1, first, second, 1, (a, b)),),
            quarters=(a, b),
            points=(0, 0),
            outcome=Outcome.LEVEL if a == b else Outcome.SCORE,
            winner=None if a == b else first if a > b else second,
        )
        for first, second, a, b in games
    ]
    return points_standings(range(1, count + 1), pairings, matches=1, byes=byes or {}, statuses={}, last=())


def order(standings: tuple[Standing, ...]) -> list[tuple[int, TieBreak | None]]:
    return [(line.entrant, line.decided_by) for line in standings]


def quarters(value: int) -> Fraction:
    return Fraction(value, 4)


def test_points_come_first() -> None:
    """1: 4+1 = 5q; 2: 0+3 = 3q; 3: 3+1 = 4q."""
    standings = table([(1, 2, 4, 0), (1, 3, 1, 3), (2, 3, 3, 1)], 3)
    assert [(line.entrant, line.points) for line in standings] == [
        (1, quarters(5)),
        (3, quarters(4)),
        (2, quarters(3)),
    ]
    assert [(line.won, line.level, line.lost, line.played) for line in standings] == [
        (1, 0, 1, 2),
        (1, 0, 1, 2),
        (1, 0, 1, 2),
    ]
    assert [line.decided_by for line in standings] == [None, None, None]


def test_head_to_head_decides_when_all_who_are_tied_have_met() -> None:
    """1 v 2 is 1:3, 1 v 3 is 4:0, 2 v 4 is 2:2, 3 v 4 is 1:3: so 1, 2 and 4 have 5q, and 3 has 1q.

    Of the three, 1 and 4 have not met: head-to-head does not count. Once 1 v 4 is 2:2 as well and 2 v 3 is 2:2,
    all have met: 1 has 7q (1+4+2), 2 has 7q (3+2+2), 4 has 7q (2+3+2), 3 has 3q (0+1+2). Against each other
    1 has 1+2 = 3q, 2 has 3+2 = 5q, 4 has 2+2 = 4q.
    """
    games = [(1, 2, 1, 3), (1, 3, 4, 0), (2, 4, 2, 2), (3, 4, 1, 3)]
    assert all(TieBreak.HEAD_TO_HEAD not in line.tiebreaks for line in table(games, 4)[:3])
    standings = table([*games, (1, 4, 2, 2), (2, 3, 2, 2)], 4)
    assert order(standings) == [
        (2, None),
        (4, TieBreak.HEAD_TO_HEAD),
        (1, TieBreak.HEAD_TO_HEAD),
        (3, None),
    ]
    assert [line.points for line in standings] == [quarters(7)] * 3 + [quarters(3)]
    assert [line.tiebreaks[TieBreak.HEAD_TO_HEAD] for line in standings[:3]] == [quarters(5), quarters(4), quarters(3)]
    assert TieBreak.HEAD_TO_HEAD not in standings[3].tiebreaks


def test_buchholz_cut_1_decides_when_not_all_have_met() -> None:
    """1, 2 and 3 have 4q; 4 has 4+1 = 5q; 5 has 0q; 6 has 4+3 = 7q. 1 and 2 have not met.

    The opponents of 1 are 3 (4q) and 4 (5q), without the fewer 5q; of 2, 5 (0q) and 6 (7q), 7q;
    of 3, 1 (4q) and 5 (0q), 4q.
    """
    standings = table([(1, 3, 4, 0), (1, 4, 0, 4), (2, 5, 4, 0), (2, 6, 0, 4), (3, 5, 4, 0), (4, 6, 1, 3)], 6)
    assert order(standings) == [
        (6, None),
        (4, None),
        (2, None),
        (1, TieBreak.BUCHHOLZ_CUT_1),
        (3, TieBreak.BUCHHOLZ_CUT_1),
        (5, None),
    ]
    assert [line.tiebreaks[TieBreak.BUCHHOLZ_CUT_1] for line in standings[2:5]] == list(map(quarters, (7, 5, 4)))


def test_sonneborn_berger_then_the_seed_decide() -> None:
    """1, 2, 3 and 6 have 5q, 4 has 4q, 5 none. 1 and 2 have not met, and Buchholz cut-1 is 5q for all four.

    Sonneborn-Berger, the opponent's points times the share of the match:
    1: 4q*4/4 + 5q*1/4 = 21/4 q; 2: 0q*4/4 + 5q*1/4 = 5/4 q; 3: 5q*2/4 + 5q*3/4 = 25/4 q; 6: the same as 3.
    """
    standings = table([(1, 4, 4, 0), (2, 5, 4, 0), (3, 6, 2, 2), (1, 3, 1, 3), (2, 6, 1, 3), (4, 5, 4, 0)], 6)
    assert {line.tiebreaks[TieBreak.BUCHHOLZ_CUT_1] for line in standings[:4]} == {quarters(5)}
    assert order(standings) == [
        (3, None),
        (6, TieBreak.SEED),
        (1, TieBreak.SONNEBORN_BERGER),
        (2, TieBreak.SONNEBORN_BERGER),
        (4, None),
        (5, None),
    ]
    assert [line.tiebreaks[TieBreak.SONNEBORN_BERGER] for line in standings[:4]] == [
        Fraction(25, 16),
        Fraction(25, 16),
        Fraction(21, 16),
        Fraction(5, 16),
    ]


def test_three_that_beat_each_other_in_a_circle_stand_by_their_seeds() -> None:
    """1 beats 2, 2 beats 3, 3 beats 1, and all beat 4: 8q each, 4q among each other, and the same opponents."""
    games = [(1, 2, 4, 0), (2, 3, 4, 0), (3, 1, 4, 0), (1, 4, 4, 0), (2, 4, 4, 0), (3, 4, 4, 0)]
    assert order(table(games, 4)) == [(1, None), (2, TieBreak.SEED), (3, TieBreak.SEED), (4, None)]


def test_a_bye_counts_as_an_opponent_with_ones_own_points_for_buchholz_and_nothing_for_sonneborn_berger() -> None:
    """Round 1: 1 v 2 is 4:0, 3 rests. Round 2: 1 v 3 is 3:1, 2 rests. 1 has 7q, 2 has 0+4 = 4q, 3 has 4+1 = 5q.

    Buchholz of 3: itself (5q) for the bye and 1 (7q), without the fewer: 7q. Sonneborn-Berger: 7q*1/4.
    """
    standings = table([(1, 2, 4, 0), (1, 3, 3, 1)], 3, byes={2: 1, 3: 1})
    third = next(line for line in standings if line.entrant == 3)
    assert [line.entrant for line in standings] == [1, 3, 2]
    assert (third.points, third.byes, third.played) == (quarters(5), 1, 1)
    assert third.tiebreaks[TieBreak.BUCHHOLZ_CUT_1] == quarters(7)
    assert third.tiebreaks[TieBreak.SONNEBORN_BERGER] == Fraction(7, 16)


def test_several_matches_of_a_pairing_are_one_opponent() -> None:
    """Three matches, 4:0, 1:3 and 2:2, are 7q to 5q; Sonneborn-Berger of 1 is 5q * 7/12 = 35/48."""
    results = tuple(Result(1, 1, 2, number, score) for number, score in enumerate([(4, 0), (1, 3), (2, 2)], start=1))
    first, second = Tournament(RoundRobin(matches=3), (1, 2), results).standings
    assert (first.entrant, first.points, first.played, first.won) == (1, quarters(7), 3, 1)
    assert first.tiebreaks[TieBreak.SONNEBORN_BERGER] == Fraction(35, 48)
    assert (second.points, second.lost, second.status) == (quarters(5), 1, Status.PLAYING)


@pytest.mark.parametrize("kind", TieBreak)
def test_every_tie_break_says_what_it_measures(kind: TieBreak) -> None:
    assert kind.words.endswith(".")


def test_a_bot_that_fails_in_every_match_is_last_and_one_match_of_two_that_fail_gives_nothing() -> None:
    results = (Result(1, 1, 2, 1, (0, 0)), Result(2, 1, 3, 1, (4, 0)), Result(3, 2, 3, 1, (0, 4)))
    tournament = Tournament(RoundRobin(), (1, 2, 3))
    by_pair = {frozenset((result.first, result.second)): result for result in results}
    for one in tournament.rounds:
        (pairing,) = one.pairings
        found = by_pair[frozenset((pairing.first, pairing.second))]
        tournament = tournament.with_results(Result(one.number, found.first, found.second, 1, found.quarters))
    assert tournament.is_over
    assert [(line.entrant, int(line.points), line.level, line.lost) for line in tournament.standings] == [
        (1, 1, 1, 0),
        (3, 1, 0, 1),
        (2, 0, 1, 1),
    ]
