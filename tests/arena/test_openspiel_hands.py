"""Whole hands against OpenSpiel's engine, action by action; in chunks, for parallel runs.

Where OpenSpiel's rules are others than ours the walk turns aside; `test_openspiel_differences.py` has each of them.
"""

import random
from collections import Counter

import pytest

from arena.actions import BEST_ARRANGE, BEST_DEFEND, Action, Discard, Draw
from arena.cards import DECK
from arena.deadwood import deadwood_after_discard
from arena.events import HandEnding
from arena.hand import Hand
from arena.legal import Phase
from tests.arena import tables
from tests.arena.openspiel import KNOCK, PASS, STOCK, THEIRS, UPCARD, Twin, theirs, utils

pytestmark = pytest.mark.slow
CHUNKS = 4
DRAWS = {Draw.UPCARD: UPCARD, Draw.STOCK: STOCK, Draw.PASS: PASS}


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_legal_actions_state_and_score_of_8000_hands(chunk: int) -> None:
    met: Counter[str] = Counter()
    for number in range(8_000 // CHUNKS):
        met[play(random.Random(f"{chunk} {number}"))] += 1
    # The walk reached every ending, and seldom had to turn aside.
    assert {"gin", "knock", "undercut", "void-stock"} <= set(met)
    turned_aside = met["one arrangement of eleven"] + met["chain of layoffs"] + met["fifty upcards"]
    assert turned_aside < sum(met.values()) / 20


def play(rng: random.Random) -> str:
    """Play a hand in both engines; return how it ended, or which difference ended the comparison."""
    twin = Twin(tuple(rng.sample(DECK, 52)))
    hand, sensible = twin.hand, rng.random() < 0.97
    while hand.phase in (Phase.OFFER, Phase.DRAW, Phase.DISCARD):
        if twin.state.is_terminal():
            assert twin.returns() == (0, 0)
            return "fifty upcards"
        twin.compare()
        actions = hand.legal_actions()
        check_legal(twin, actions)
        action = choose(rng, hand, actions, sensible)
        if isinstance(action, Discard) and action.knock and KNOCK not in twin.state.legal_actions():
            return "one arrangement of eleven"
        twin.apply(action)
    if hand.result is not None:  # at their wall the next player passes
        twin.state.apply_action(PASS)
        twin.compare()
        assert twin.returns() == (0, 0)
        return str(tables.result(hand).ending)
    return showdown(twin)


def check_legal(twin: Twin, actions: tuple[Action, ...]) -> None:
    hand, state = twin.hand, twin.state
    legal = state.legal_actions()
    if hand.phase is not Phase.DISCARD:
        assert sorted(DRAWS[action] for action in actions if isinstance(action, Draw)) == legal
        return
    discards = [action for action in actions if isinstance(action, Discard)]
    plain = [THEIRS[action.card] for action in discards if not action.knock]
    knocks = [THEIRS[action.card] for action in discards if action.knock]
    assert len(plain) + len(knocks) == len(actions)
    taken = [] if hand.taken is None else [THEIRS[hand.taken]]
    assert sorted(plain + taken) == [action for action in legal if action != KNOCK]
    # What they take for the deadwood after a discard is at most ten above the least that one can leave.
    near = state.deadwood()[hand.turn] <= hand.knock_limit + 10
    knocking = utils.legal_discards(theirs(hand.cards(hand.turn)), hand.knock_limit) if near else []
    assert sorted(knocks) == sorted(set(knocking) - set(taken))
    if KNOCK in legal:
        assert knocking


def choose(rng: random.Random, hand: Hand, actions: tuple[Action, ...], sensible: bool) -> Draw | Discard:
    """Any legal action; a sensible player mostly knocks when it can, and else keeps its deadwood low."""
    discards = [action for action in actions if isinstance(action, Discard)]
    knocks = [action for action in discards if action.knock]
    if not discards or not sensible:
        return rng.choice([action for action in actions if isinstance(action, Draw | Discard)])
    after = deadwood_after_discard(hand.mask(hand.turn))
    if not knocks or rng.random() < 0.1:
        knocks = [action for action in discards if not action.knock]
    least = min(after[action.card] for action in knocks)
    return rng.choice([action for action in knocks if after[action.card] == least])


def showdown(twin: Twin) -> str:
    hand = twin.hand
    knocker = hand.turn
    hand.apply(BEST_ARRANGE)
    twin.lay_out(tables.shown(hand).melds)
    if hand.phase is Phase.DEFEND:
        hand.apply(BEST_DEFEND)
        defence = tables.defence(hand)
        if not twin.lay_off([layoff.card for layoff in defence.layoffs]):
            return "chain of layoffs"
    twin.lay_out(tables.defence(hand).arrangement.melds)
    result = tables.result(hand)
    points = result.points if result.winner == 0 else -result.points
    left = tables.defence(hand).points
    if result.ending is HandEnding.UNDERCUT and left == tables.shown(hand).points:
        assert twin.returns() == (0, 0)  # a tie
        assert (result.winner, result.points) == (1 - knocker, 25)
    else:
        assert twin.returns() == (points, -points)
    return str(result.ending)
