from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournament import (
    DoubleElimination,
    GroupsThenKnockout,
    Outcome,
    RoundRobin,
    SingleElimination,
    Status,
    Swiss,
    Tournament,
    Withdrawal,
)
from tests.arena.tournament.play import FORMATS, better_seed_wins, by_chance, entrants, pairings, play_out, scored


@given(st.sampled_from(sorted(FORMATS)), st.integers(2, 11), st.randoms(use_true_random=False))
def test_whoever_leaves_whenever_it_goes_on_to_its_end_and_nothing_played_is_lost(
    name: str, size: int, rng: Random
) -> None:
    tournament = Tournament(FORMATS[name], entrants(size))
    score = by_chance(rng)
    gone: set[int] = set()
    steps = 0
    while not tournament.is_over or (len(gone) < size and rng.random() < 0.5):
        steps += 1
        assert steps < 1000
        if rng.random() < 0.15 and len(gone) < size:
            leaving = rng.choice([one for one in tournament.entrants if one not in gone])
            gone.add(leaving)
            withdrawal = tournament.withdrawal(leaving, disqualified=rng.random() < 0.3)
            tournament = tournament.with_withdrawal(withdrawal)
        elif tournament.playable:
            match = rng.choice(tournament.playable)
            assert not {match.first, match.second} & gone
            tournament = tournament.with_results(score(match))
        assert not tournament.unused
    assert not tournament.playable
    barred = {one.entrant for one in tournament.withdrawals if one.disqualified}
    assert tournament.champion not in barred
    if tournament.bracket is not None and not barred:
        assert tournament.champion is not None
    behind = [line.entrant in barred for line in tournament.standings]
    if name != "round robin" and name != "double round robin":
        assert behind == sorted(behind)


def all_against(leaver: int, count: int, played: int) -> Tournament:
    """A round robin that one leaves after so many matches, the better seed having won all of them."""
    tournament = Tournament(RoundRobin(), entrants(count))
    own = [pairing for pairing in pairings(tournament) if leaver in (pairing.first, pairing.second)]
    results = [better_seed_wins(match) for pairing in own[:played] for match in pairing.missing]
    return tournament.with_results(*results).with_withdrawal(Withdrawal(leaver, after_round=played))


def test_who_leaves_a_round_robin_before_half_is_struck_from_it() -> None:
    """One of four pairings is less than half."""
    tournament = all_against(1001, 5, played=1)
    own = [pairing for pairing in pairings(tournament) if 1001 in (pairing.first, pairing.second)]
    assert {pairing.outcome for pairing in own} == {Outcome.VOID}
    last = tournament.standings[-1]
    assert (last.entrant, int(last.points), last.played, last.status) == (1001, 0, 0, Status.WITHDRAWN)
    over = play_out(tournament, better_seed_wins)
    assert (over.champion, int(over.standings[0].points)) == (1002, 3)


def test_who_leaves_a_round_robin_after_half_loses_the_rest() -> None:
    """Two of four pairings are half: the two wins stay, and the others win without playing."""
    tournament = play_out(all_against(1001, 5, played=2), better_seed_wins)
    own = [pairing for pairing in pairings(tournament) if 1001 in (pairing.first, pairing.second)]
    assert Counter(pairing.outcome for pairing in own) == {Outcome.SCORE: 2, Outcome.WALKOVER: 2}
    points = {line.entrant: line.points for line in tournament.standings}
    assert points[1001] == 2
    assert sum(points.values()) == 10


def test_of_two_who_left_the_first_to_leave_loses() -> None:
    left = (Withdrawal(1003, 1), Withdrawal(1001, 1))
    pairing = Tournament(Swiss(rounds=1), entrants(4), withdrawals=left).rounds[0].pairings[0]
    assert (pairing.outcome, pairing.winner, pairing.quarters) == (Outcome.WALKOVER, 1001, (4, 0))
    pairing = Tournament(Swiss(rounds=1), entrants(4), withdrawals=left[::-1]).rounds[0].pairings[0]
    assert (pairing.outcome, pairing.winner, pairing.quarters) == (Outcome.WALKOVER, 1003, (0, 4))


def test_a_swiss_keeps_results_and_pairs_no_more() -> None:
    tournament = Tournament(Swiss(rounds=4), entrants(8))
    tournament = tournament.with_results(*map(better_seed_wins, tournament.playable))
    second = tournament.playable
    tournament = tournament.with_results(better_seed_wins(second[0]))
    tournament = tournament.with_withdrawal(tournament.withdrawal(second[-1].first))
    pairing = tournament.rounds[1].pairings[-1]
    assert (pairing.outcome, pairing.winner, pairing.quarters) == (Outcome.WALKOVER, second[-1].second, (0, 4))
    over = play_out(tournament, better_seed_wins)
    leaver = second[-1].first
    assert over.rounds[:1] == tournament.rounds[:1]
    for one in over.rounds[2:]:
        assert leaver not in {side for paired in one.pairings for side in (paired.first, paired.second)} | set(one.byes)
        assert len(one.byes) == 1
    line = next(line for line in over.standings if line.entrant == leaver)
    assert (line.status, line.played) == (Status.WITHDRAWN, 1)


def test_a_round_of_a_swiss_that_has_not_begun_is_paired_anew() -> None:
    tournament = Tournament(Swiss(rounds=4), entrants(8))
    assert tournament.withdrawal(1001) == Withdrawal(1001, 0)
    assert tournament.withdrawal(1001, started=True) == Withdrawal(1001, 1)
    tournament = tournament.with_results(*map(better_seed_wins, tournament.playable))
    assert tournament.withdrawal(1001) == Withdrawal(1001, 1)
    paired = tournament.with_withdrawal(tournament.withdrawal(1001)).rounds[1]
    assert len(paired.pairings) == 3
    assert len(paired.byes) == 1
    assert not paired.is_complete


def test_a_swiss_ends_when_only_one_is_left() -> None:
    tournament = Tournament(Swiss(rounds=2), entrants(3))
    tournament = tournament.with_results(*map(better_seed_wins, tournament.playable))
    for leaver in (1001, 1002):
        tournament = tournament.with_withdrawal(Withdrawal(leaver, 1))
    assert tournament.is_over
    assert len(tournament.rounds) == 1


def test_a_knockout_gives_a_walkover() -> None:
    tournament = Tournament(SingleElimination(), entrants(4))
    tournament = tournament.with_results(scored(tournament.playable[0], 4))
    tournament = tournament.with_withdrawal(tournament.withdrawal(1001))
    (match,) = tournament.playable
    tournament = tournament.with_results(scored(match, 4))
    final = list(pairings(tournament))[-1]
    assert (final.outcome, tournament.champion) == (Outcome.WALKOVER, match.first)
    assert [line.rank for line in tournament.standings] == [1, 2, 3, 3]


def test_when_both_of_a_pairing_left_the_next_one_wins_without_playing() -> None:
    withdrawals = (Withdrawal(1001, 1), Withdrawal(1004, 1))
    tournament = play_out(Tournament(SingleElimination(), entrants(4), withdrawals=withdrawals), better_seed_wins)
    assert [(pairing.outcome, pairing.winner) for pairing in pairings(tournament)] == [
        (Outcome.WALKOVER, 1004),
        (Outcome.SCORE, 1002),
        (Outcome.WALKOVER, 1002),
    ]


def test_a_walkover_stays_when_its_winner_leaves_later() -> None:
    tournament = Tournament(SingleElimination(), entrants(4)).with_withdrawal(Withdrawal(1004, 1))
    tournament = tournament.with_results(better_seed_wins(tournament.playable[0]))
    (final,) = tournament.playable
    tournament = tournament.with_results(better_seed_wins(final)).with_withdrawal(Withdrawal(1001, 2))
    assert (tournament.champion, tournament.unused) == (1001, ())


def test_who_leaves_a_double_elimination_loses_twice_by_walkover() -> None:
    tournament = Tournament(DoubleElimination(), entrants(4)).with_withdrawal(Withdrawal(1001, 0))
    over = play_out(tournament, better_seed_wins)
    outcomes = [pairing.outcome for pairing in pairings(over) if 1001 in (pairing.first, pairing.second)]
    assert outcomes == [Outcome.WALKOVER, Outcome.WALKOVER]
    assert over.champion == 1002
    assert over.standings[-1].entrant == 1001


def test_a_disqualified_champion_leaves_the_title_to_the_next() -> None:
    for chosen in (SingleElimination(), RoundRobin(), Swiss(rounds=3), DoubleElimination(), GroupsThenKnockout()):
        over = play_out(Tournament(chosen, entrants(6)), better_seed_wins)
        assert over.champion == 1001
        left = over.with_withdrawal(over.withdrawal(1001))
        assert left.champion == 1001
        barred = over.with_withdrawal(over.withdrawal(1001, disqualified=True))
        assert barred.is_over
        assert barred.champion == 1002
        assert barred.standings[-1].entrant == 1001
        assert barred.results == over.results
        assert not barred.unused


def test_who_leaves_before_the_knockout_makes_room_for_the_next_of_its_group() -> None:
    tournament = Tournament(GroupsThenKnockout(), entrants(8))
    while tournament.bracket is None:
        tournament = tournament.with_results(*map(better_seed_wins, tournament.playable))
    assert set(tournament.bracket.seeds) == {1001, 1004, 1002, 1003}
    before = tournament.with_withdrawal(tournament.withdrawal(1001))
    assert before.bracket is not None
    assert set(before.bracket.seeds) == {1004, 1005, 1002, 1003}
    during = tournament.with_withdrawal(tournament.withdrawal(1001, started=True))
    assert during.bracket is not None
    assert during.bracket.seeds == tournament.bracket.seeds


def test_only_entrants_leave_and_only_once() -> None:
    with pytest.raises(ValueError, match="withdraws once"):
        Tournament(RoundRobin(), (1, 2), withdrawals=(Withdrawal(3, 0),))
    with pytest.raises(ValueError, match="withdraws once"):
        Tournament(RoundRobin(), (1, 2), withdrawals=(Withdrawal(1, 0), Withdrawal(1, 1)))
