"""Hands set up card by card, for tests that need a particular table."""

from __future__ import annotations

from arena.actions import Discard, Draw
from arena.cards import DECK, Card, parse_cards
from arena.hand import Hand
from arena.layoffs import Defence
from arena.melds import Arrangement
from arena.rules import CLASSIC, Rules
from arena.showdown import HandResult


def stacked_deck(first: str, second: str, upcard: str = "", stock: str = "") -> tuple[Card, ...]:
    """A deck that deals these hands to the non-dealer and the dealer; what is not said comes in the order of ids."""
    hands = parse_cards(first), parse_cards(second)
    said = {*hands[0], *hands[1], *parse_cards(upcard), *parse_cards(stock)}
    rest = [card for card in DECK if card not in said]
    dealt = [hand[i] if i < len(hand) else rest.pop(0) for i in range(10) for hand in hands]
    top = parse_cards(upcard) or (rest.pop(),)
    return (*dealt, *top, *parse_cards(stock), *rest)


def stacked_hand(
    first: str, second: str = "", upcard: str = "", stock: str = "", rules: Rules = CLASSIC, dealer: int = 1
) -> Hand:
    return Hand(rules, stacked_deck(first, second, upcard, stock), dealer)


def after_passes(first: str, second: str = "", drawn: str = "", rules: Rules = CLASSIC, upcard: str = "") -> Hand:
    """Seat 0 holds `first` and drew `drawn` from the stock, both seats having passed; seat 1 deals."""
    hand = stacked_hand(first, second, upcard, drawn, rules)
    for draw in (Draw.PASS, Draw.PASS, Draw.STOCK):
        hand.apply(draw)
    return hand


def knocks(hand: Hand) -> list[Discard]:
    return [action for action in hand.legal_actions() if isinstance(action, Discard) and action.knock]


def drawn(hand: Hand) -> Card:
    assert hand.drawn is not None
    return hand.drawn


def shown(hand: Hand) -> Arrangement:
    assert hand.knocker_arrangement is not None
    return hand.knocker_arrangement


def result(hand: Hand) -> HandResult:
    assert hand.result is not None
    return hand.result


def defence(hand: HandResult | Hand) -> Defence:
    ended = hand if isinstance(hand, HandResult) else result(hand)
    assert ended.defence is not None
    return ended.defence
