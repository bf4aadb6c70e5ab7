"""One deal as a state machine: it plays the legal action and refuses every other, naming the rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from arena.actions import (
    BEST_ARRANGE,
    BEST_DEFEND,
    Action,
    Arrange,
    BigGin,
    BrokenRule,
    Defend,
    Discard,
    Draw,
    IllegalAction,
)
from arena.cards import DECK, Card, cards_of, format_cards
from arena.deadwood import least_deadwood
from arena.events import HandEnding
from arena.legal import Phase, legal_discard_actions, legal_draws
from arena.melds import best_arrangement
from arena.rules import Opening, StockEnd
from arena.showdown import HandResult, answered, defended, shown, unanswered, void

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arena.melds import Arrangement
    from arena.rules import Rules

# Class attributes of an Enum are slow to read; the state machine reads them at every step.
_OFFER, _DRAW, _DISCARD = Phase.OFFER, Phase.DRAW, Phase.DISCARD
_ARRANGE, _DEFEND, _OVER = Phase.ARRANGE, Phase.DEFEND, Phase.OVER
_UPCARD, _STOCK, _PASS = Draw.UPCARD, Draw.STOCK, Draw.PASS
_BITS = tuple(1 << i for i in range(52))
_WHOLE_DECK = frozenset(DECK)
_WAITS = {
    _OFFER: "the upcard to be taken or passed (Draw)",
    _DRAW: "a draw (Draw)",
    _DISCARD: "a discard (Discard)",
    _ARRANGE: "the knocker's melds (Arrange)",
    _DEFEND: "the defender's melds and layoffs (Defend)",
}


class Step(NamedTuple):
    """One action as it happened."""

    seat: int
    action: Action
    card: Card | None = None
    """The card drawn."""
    reshuffled: int = 0
    """The size of the stock after a reshuffle that followed the action; 0 without one."""


class Hand:
    """One deal between seats 0 and 1.

    `deck` is dealt from its front: ten cards each alternately, the non-dealer first, then the upcard; the rest is the
    stock. `apply` moves the hand on; once `phase` is `Phase.OVER` there is a `result`.
    """

    __slots__ = (
        "_deck",
        "_hands",
        "_known",
        "_log",
        "_pile",
        "_stock",
        "dealer",
        "drawn",
        "first_upcard",
        "knock_limit",
        "knocker_arrangement",
        "must_draw_stock",
        "phase",
        "result",
        "rules",
        "taken",
        "turn",
        "turns",
    )

    def __init__(self, rules: Rules, deck: Iterable[Card], dealer: int) -> None:
        """Deal. Raises ValueError when the deck is not the 52 cards or the dealer no seat."""
        cards = tuple(deck)
        if len(cards) != 52 or set(cards) != _WHOLE_DECK:
            raise ValueError("A deck is the 52 cards, each once.")
        if dealer not in (0, 1):
            raise ValueError(f"The dealer is seat 0 or 1, not {dealer!r}.")
        upcard = cards[20]
        self.first_upcard = upcard
        self.rules = rules
        self.dealer = dealer
        self.turn = 1 - dealer
        """The seat to act; the last to act once the hand is over."""
        self.turns = 0
        """Completed turns."""
        self.knock_limit = rules.limit_for(upcard)
        self.must_draw_stock = False
        """Both passed the first upcard, so this draw is from the stock."""
        self.drawn: Card | None = None
        """The card the seat to act drew this turn, from the stock or the pile."""
        self.taken: Card | None = None
        """That card if it came from the discard pile."""
        self.knocker_arrangement: Arrangement | None = None
        """What the knocker showed, once it did."""
        self.result: HandResult | None = None
        self.phase = _OFFER if rules.opening is Opening.OFFER else _DRAW
        self._deck = cards
        self._stock = list(cards[:20:-1])
        """The next card last."""
        self._pile = [upcard]
        self._hands = [self._dealt_mask(0), self._dealt_mask(1)]
        self._known = [0, 0]
        self._log: list[tuple[int, Action, Card | None, int]] = []
        """The fields of the steps; a plain tuple is made in a seventh of a named one's time."""

    def _dealt_mask(self, seat: int) -> int:
        return sum([_BITS[card] for card in self._deck[seat == self.dealer : 20 : 2]])

    @property
    def steps(self) -> tuple[Step, ...]:
        """Everything that happened, hidden cards included."""
        return self.steps_from(0)

    def steps_from(self, position: int) -> tuple[Step, ...]:
        """Return the steps from that position (from 0) on."""
        return tuple([Step._make(fields) for fields in self._log[position:]])

    def cards(self, seat: int) -> tuple[Card, ...]:
        """Return the seat's cards in ascending order."""
        return cards_of(self._hands[seat])

    def dealt(self, seat: int) -> tuple[Card, ...]:
        """Return the ten cards the seat was dealt, ascending."""
        return cards_of(self._dealt_mask(seat))

    def mask(self, seat: int) -> int:
        """Return the seat's cards as a 52-bit mask."""
        return self._hands[seat]

    def known_mask(self, seat: int) -> int:
        """Return the cards the other seat knows this seat to hold, as a 52-bit mask.

        They are those taken from the discard pile and kept; all of the knocker's once it has shown them.
        """
        if self.phase is _DEFEND and seat != self.turn:
            return self._hands[seat]
        return self._known[seat]

    @property
    def stock(self) -> tuple[Card, ...]:
        """The stock, the next card first."""
        return tuple(reversed(self._stock))

    @property
    def stock_size(self) -> int:
        """The number of cards in the stock."""
        return len(self._stock)

    @property
    def discard_pile(self) -> tuple[Card, ...]:
        """The discard pile, bottom first."""
        return tuple(self._pile)

    @property
    def upcard(self) -> Card | None:
        """The top of the discard pile; None while it is empty."""
        return self._pile[-1] if self._pile else None

    def legal_actions(self) -> tuple[Action, ...]:
        """Return what the seat to act may do; at the showdown only the choice that leaves it to the arena."""
        phase = self.phase
        if phase is _DISCARD:
            return legal_discard_actions(self._hands[self.turn], self.taken, self.rules, self.knock_limit)
        if phase is _ARRANGE:
            return (BEST_ARRANGE,)
        if phase is _DEFEND:
            return (BEST_DEFEND,)
        return legal_draws(phase, must_draw_stock=self.must_draw_stock)

    def apply(self, action: Action) -> None:
        """Play the action for the seat to act.

        Raises IllegalAction, naming the rule, and leaves the hand as it was.
        """
        phase = self.phase
        if phase is _DISCARD and isinstance(action, Discard):
            self._discard(action)
        elif (phase is _DRAW or phase is _OFFER) and isinstance(action, Draw):
            self._draw(action)
        elif phase is _DISCARD and isinstance(action, BigGin):
            self._big_gin(action)
        elif phase is _ARRANGE and isinstance(action, Arrange):
            self._arrange(action)
        elif phase is _DEFEND and isinstance(action, Defend):
            self._defend(action)
        elif phase is _OVER:
            raise IllegalAction(BrokenRule.OVER, "The hand is over.")
        else:
            raise IllegalAction(
                BrokenRule.PHASE, f"{type(action).__name__} is not an answer here: the hand waits for {_WAITS[phase]}."
            )

    def _draw(self, draw: Draw) -> None:
        seat = self.turn
        if draw is _STOCK:
            if self.phase is _OFFER:
                raise IllegalAction(
                    BrokenRule.STOCK, "The offer of the first upcard is answered by taking it or passing."
                )
            card = self._stock.pop()
        elif draw is _UPCARD:
            if self.must_draw_stock:
                raise IllegalAction(BrokenRule.STOCK, "Both seats passed the first upcard: draw from the stock.")
            card = self.taken = self._pile.pop()
            self._known[seat] |= _BITS[card]
        else:
            self._pass(seat)
            return
        self._hands[seat] |= _BITS[card]
        self.drawn = card
        self.must_draw_stock = False
        self.phase = _DISCARD
        self._log.append((seat, draw, card, 0))

    def _pass(self, seat: int) -> None:
        if self.phase is not _OFFER:
            raise IllegalAction(BrokenRule.PASS, "Only the offer of the first upcard may be passed: draw a card.")
        if seat == self.dealer:
            self.phase = _DRAW
            self.must_draw_stock = True
        self.turn = 1 - seat
        self._log.append((seat, _PASS, None, 0))

    def _discard(self, action: Discard) -> None:
        seat, card, rules = self.turn, action.card, self.rules
        hand = self._hands[seat]
        if not 0 <= card < 52 or not hand & _BITS[card]:
            raise IllegalAction(BrokenRule.HOLDING, f"{card} is not in the hand {format_cards(cards_of(hand))}.")
        if card == self.taken and not rules.may_discard_taken:
            raise IllegalAction(
                BrokenRule.TAKEN, f"{card} was taken from the discard pile and may not be discarded in the same turn."
            )
        hand ^= _BITS[card]
        if action.knock:
            if (points := least_deadwood(hand)) > self.knock_limit:
                raise IllegalAction(
                    BrokenRule.KNOCK,
                    f"A knock needs at most {self.knock_limit} deadwood; discarding {card} leaves {points}.",
                )
            self.phase = _ARRANGE
        else:
            self.phase = _DRAW
            self.turn = 1 - seat
        self._hands[seat] = hand
        self._known[seat] &= hand
        self._pile.append(DECK[card])
        self.drawn = self.taken = None
        self.turns += 1
        self._log.append((seat, action, None, 0))
        if self.phase is _DRAW and (len(self._stock) <= rules.stock_floor or self.turns >= rules.turn_cap):
            self._run_out(seat)

    def _run_out(self, seat: int) -> None:
        """Stock or turns have run out with a turn completed without a knock."""
        rules = self.rules
        if self.turns >= rules.turn_cap:
            self.turn = seat
            self._finish(void(HandEnding.VOID_TURNS, self._final_hands()))
        elif rules.stock_end is StockEnd.VOID:
            self.turn = seat
            self._finish(void(HandEnding.VOID_STOCK, self._final_hands()))
        else:
            self._reshuffle()

    def _reshuffle(self) -> None:
        """Put the pile under its top card, shuffled, under the stock.

        The order follows from the deck and the turn, so a replay of the hand finds the same one.
        """
        from arena.decks import shuffled  # hashing is slow to import, and a bot's process has no other use for it

        *below, top = self._pile
        under = shuffled(below, bytes(self._deck) + self.turns.to_bytes(2, "big"))
        self._stock = [*reversed(under), *self._stock]
        self._pile = [top]
        self._log[-1] = (*self._log[-1][:3], self.stock_size)

    def _big_gin(self, action: BigGin) -> None:
        rules, hand = self.rules, self._hands[self.turn]
        if rules.big_gin_bonus is None:
            raise IllegalAction(BrokenRule.BIG_GIN, f"The rule set {rules.name} has no big gin: discard and knock.")
        if points := least_deadwood(hand):
            raise IllegalAction(BrokenRule.BIG_GIN, f"Big gin needs eleven melded cards; this hand leaves {points}.")
        self._log.append((self.turn, action, None, 0))
        self.turns += 1
        self.knocker_arrangement = laid_out = best_arrangement(cards_of(hand))
        self._finish(unanswered(rules, self.first_upcard, self._final_hands(), self.turn, laid_out, big=True))

    def _arrange(self, action: Arrange) -> None:
        seat, hands = self.turn, self._final_hands()
        laid_out = shown(action, hands[seat], hands[1 - seat], self.knock_limit)
        self._log.append((seat, action, None, 0))
        self.knocker_arrangement = laid_out
        if laid_out.points == 0:
            self._finish(unanswered(self.rules, self.first_upcard, hands, seat, laid_out, big=False))
        else:
            self.turn = 1 - seat
            self.phase = _DEFEND

    def _defend(self, action: Defend) -> None:
        laid_out = self.knocker_arrangement
        assert laid_out is not None
        seat, hands = self.turn, self._final_hands()
        defence = defended(action, laid_out, hands[seat])
        self._log.append((seat, action, None, 0))
        self._finish(answered(self.rules, self.first_upcard, hands, 1 - seat, laid_out, defence))

    def _final_hands(self) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
        return cards_of(self._hands[0]), cards_of(self._hands[1])

    def _finish(self, result: HandResult) -> None:
        self.phase = _OVER
        self.result = result
