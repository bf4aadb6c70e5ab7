"""Decisions of a recorded game: found where the steps say they are, and counted against a slow, plain count."""

from functools import cache

import pytest

from arena import DECK, BigGin, Bot, Card, Discard, Draw, HandStarted, Phase, View, best_arrangement
from arena.actions import Action, Arrange
from arena.bots.sharp import Sharp
from arena.bots.simple import Simple
from arena.decisions import Decision, decision_at, discard_options, draw_options, in_words
from arena.local import LocalContestant
from arena.record import GameRecord
from arena.referee import play_match
from arena.rules import CLASSIC
from arena.steps import steps

SEED = b"the decisions of a replay".ljust(32)
CHOICES = (Phase.OFFER, Phase.DRAW, Phase.DISCARD)


def record(first: type[Bot] = Simple, second: type[Bot] = Sharp) -> GameRecord:
    return play_match(CLASSIC, SEED, LocalContestant(first), LocalContestant(second)).games[0]


@cache
def decisions() -> list[Decision]:
    """All of the game's."""
    game = record()
    found = [decision_at(game, step.number) for step in steps(game)]
    return [decision for decision in found if decision is not None]


def test_every_step_that_waits_for_a_choice_has_its_decision() -> None:
    game = record()
    found = list(steps(game))
    for step in found:
        decision = decision_at(game, step.number)
        assert (decision is not None) == (step.decision in CHOICES)
        if decision is None:
            continue
        view, seat = decision.view, step.turn
        assert (decision.number, view.seat, view.decision) == (step.number, seat, step.decision)
        assert seat is not None
        assert view.hand == step.seats[seat].cards
        assert view.known_opponent_cards == step.seats[1 - seat].known
        start = decision.events[0]
        assert isinstance(start, HandStarted)
        assert start.number == step.hand
        # what was chosen is what the next step shows
        after = found[step.number + 1]
        assert isinstance(decision.action, Draw) == (after.kind in ("draw", "pass"))
        if isinstance(decision.action, Discard):
            assert (decision.action.card, decision.action.knock) == (after.card, after.kind == "knock")
    assert decision_at(game, len(found)) is None


def deadwood(cards: set[Card]) -> int:
    return best_arrangement(cards).points


def count(hand: set[Card], view: View) -> tuple[int, list[Card], int, int]:
    """The unseen cards, the better ones, those that knock and those that make gin, by trying them all."""
    unseen = set(DECK) - set(view.hand) - set(view.discard_pile) - set(view.known_opponent_cards)
    after = {card: min(deadwood((hand | {card}) - {other}) for other in hand | {card}) for card in unseen}
    better = sorted(card for card, points in after.items() if points < deadwood(hand))
    knocks = sum(points <= view.knock_limit for points in after.values())
    return len(unseen), better, knocks, sum(points == 0 for points in after.values())


def test_the_draws_are_counted_exactly() -> None:
    drawing = [decision.view for decision in decisions() if decision.view.decision is not Phase.DISCARD]
    for view in drawing[::7]:
        options, hand = draw_options(view), set(view.hand)
        stock = options.stock
        assert (stock.unseen, list(stock.better), stock.knocks, stock.gins) == count(hand, view)
        assert stock.deadwood == deadwood(hand)
        assert stock.unseen == view.stock_size + 10 - len(view.known_opponent_cards)
        assert (options.upcard is not None) == (Draw.UPCARD in view.legal)
        if view.upcard is not None and options.upcard is not None:
            assert options.deadwood_taking == min(deadwood((hand | {view.upcard}) - {card}) for card in hand)


def test_the_discards_are_counted_exactly() -> None:
    discarding = [decision.view for decision in decisions() if decision.view.decision is Phase.DISCARD]
    for view in discarding[::25]:
        options = discard_options(view)
        assert sorted(option.card for option in options) == list(view.hand)
        left = [option.outlook.deadwood for option in options]
        assert left == sorted(left)
        for option in options:
            hand = set(view.hand) - {option.card}
            outlook = option.outlook
            assert outlook.deadwood == deadwood(hand)
            assert (outlook.unseen, list(outlook.better), outlook.knocks, outlook.gins) == count(hand, view)
            assert option.is_legal == (option.card in view.legal_discards)
            assert option.may_knock == (option.is_legal and outlook.deadwood <= view.knock_limit)


class Crasher(Simple):
    def choose_discard(self, view: View) -> Discard:
        raise LookupError("lost")


def test_a_forfeited_decision_is_there_without_an_action() -> None:
    game = record(Crasher, Simple)
    *_, before, fault = steps(game)
    assert fault.kind == "fault"
    decision = decision_at(game, before.number)
    assert decision is not None
    assert (decision.view.decision, decision.action) == (Phase.DISCARD, None)
    assert decision_at(game, fault.number) is None


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (Draw.UPCARD, "takes the upcard"),
        (Draw.STOCK, "draws from the stock"),
        (Draw.PASS, "leaves the upcard"),
        (Discard(Card.parse("Th")), "discards 10♥"),
        (Discard(Card.parse("2c"), knock=True), "knocks with 2♣"),
        (BigGin(), "declares big gin"),
    ],
)
def test_the_words(action: Action, words: str) -> None:
    assert in_words(action) == words


def test_a_showdown_has_no_words() -> None:
    with pytest.raises(ValueError, match="neither a draw nor a discard"):
        in_words(Arrange(None))
