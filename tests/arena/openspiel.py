"""OpenSpiel's gin rummy, driven with our decks and our actions.

Its cards are numbers in the suit order s, c, d, h; player 0 always begins, so seat 1 deals here. It deals ten cards to
player 0, then ten to player 1, and asks chance for every card; a knock is announced before the discard; melds of more
than five cards are laid as two. Where its rules are others than ours is said in `test_openspiel_differences.py`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pyspiel

from arena.actions import Discard, Draw
from arena.cards import DECK, Card, mask_of
from arena.hand import Hand
from arena.legal import Phase
from arena.melds import Meld
from arena.rules import CLASSIC

UPCARD, STOCK, PASS, KNOCK, FIRST_MELD = 52, 53, 54, 55, 56
SEATS = (0, 1)

game = pyspiel.load_game("gin_rummy")
utils = pyspiel.gin_rummy.GinRummyUtils(13, 4, 10)
_start = game.new_initial_state()  # a new one takes a hundred times as long as a copy

THEIRS: tuple[int, ...] = tuple(utils.card_int(str(card)) for card in DECK)
"""OpenSpiel's number of each card, by ours."""
OURS = {theirs: card for card, theirs in zip(DECK, THEIRS, strict=True)}
_MELDS = {frozenset(cards): FIRST_MELD + number for number, cards in utils.int_to_meld.items()}


def theirs(cards: Any) -> list[int]:
    return [THEIRS[card] for card in cards]


class Twin:
    """A hand of ours and a state of theirs, kept in step."""

    def __init__(self, deck: tuple[Card, ...]) -> None:
        self.deck = deck
        self.hand = Hand(CLASSIC, deck, dealer=1)
        self.state = _start.clone()
        for card in (*deck[0:20:2], *deck[1:20:2], deck[20]):
            self.state.apply_action(THEIRS[card])
        self._next = 21

    def apply(self, action: Draw | Discard) -> None:
        """Play an action in both."""
        match action:
            case Draw.UPCARD:
                self.state.apply_action(UPCARD)
            case Draw.PASS:
                self.state.apply_action(PASS)
            case Draw.STOCK:
                self.state.apply_action(STOCK)
                self.state.apply_action(THEIRS[self.deck[self._next]])
                self._next += 1
            case Discard(card, knock):
                if knock:
                    self.state.apply_action(KNOCK)
                self.state.apply_action(THEIRS[card])
        self.hand.apply(action)

    def lay_out(self, melds: tuple[Meld, ...]) -> None:
        """In theirs: the player to act lays these melds, then says that it is done."""
        for meld in melds:
            for part in _parts(theirs(meld.cards)):
                self.state.apply_action(_MELDS[frozenset(part)])
        self.state.apply_action(PASS)

    def lay_off(self, cards: list[Card]) -> bool:
        """In theirs: the player to act lays these cards off in order; whether every one was legal."""
        for card in cards:
            if THEIRS[card] not in self.state.legal_actions():
                return False
            self.state.apply_action(THEIRS[card])
        self.state.apply_action(PASS)
        return True

    def returns(self) -> tuple[int, int]:
        assert self.state.is_terminal()
        first, second = self.state.returns()
        return int(first), int(second)

    def compare(self) -> None:
        """Hold the cards, the pile, the stock and the seat to act against each other."""
        hand, state = self.hand, self.state
        hands = state.hands()
        for seat in SEATS:
            assert mask_of(OURS[card] for card in hands[seat]) == hand.mask(seat)
        upcard = state.upcard()
        assert state.discard_pile() + ([] if upcard is None else [upcard]) == theirs(hand.discard_pile)
        if hand.phase is not Phase.OVER:
            assert state.current_player() == hand.turn
        assert state.stock_size() == hand.stock_size


def _parts(run: list[int]) -> list[list[int]]:
    """A meld in parts of three to five cards."""
    size = len(run)
    cuts = [0, size] if size <= 5 else [0, size // 2, size] if size <= 10 else [0, 3, 7, size]
    return [run[start:end] for start, end in pairwise(cuts)]
