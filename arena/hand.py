"""One deal as a state machine: it plays the legal action and refuses every other, naming the rule."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from arena.actions import (
    BEST_ARRANGE,
    BEST_DEFEND,
    BIG_GIN,
    DISCARDS,
    KNOCKS,
    Action,
    Arrange,
    BigGin,
    BrokenRule,
    Defend,
    Discard,
    Draw,
    IllegalAction,
)
from arena.cards import DECK_MASK, Card, cards_of, format_cards, mask_of
from arena.deadwood import deadwood_after_discard, least_deadwood
from arena.events import HandEnding
from arena.layoffs import Defence, LayOffError, best_defence, best_layoffs, check_defence, knocker_arrangement
from arena.melds import arrange, best_arrangement
from arena.rules import Opening, StockEnd
from arena.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arena.melds import Arrangement
    from arena.rules import Rules


class Phase(Enum):
    """What the hand waits for."""

    OFFER = "offer"
    """The first upcard is offered: take it or pass."""
    DRAW = "draw"
    """A turn begins: the upcard or the stock."""
    DISCARD = "discard"
    """The seat holds eleven cards."""
    ARRANGE = "arrange"
    """The knocker shows its melds."""
    DEFEND = "defend"
    """The defender arranges its hand and lays off."""
    OVER = "over"
    """The hand has a result."""


# Class attributes of an Enum are slow to read; the state machine reads them at every step.
_OFFER, _DRAW, _DISCARD = Phase.OFFER, Phase.DRAW, Phase.DISCARD
_ARRANGE, _DEFEND, _OVER = Phase.ARRANGE, Phase.DEFEND, Phase.OVER
_UPCARD, _STOCK, _PASS = Draw.UPCARD, Draw.STOCK, Draw.PASS
_BITS = tuple(1 << i for i in range(52))
_SPADES = 2
_WAITS = {
    _OFFER: "the upcard to be taken or passed (Draw)",
    _DRAW: "a draw (Draw)",
    _DISCARD: "a discard (Discard)",
    _ARRANGE: "the knocker's melds (Arrange)",
    _DEFEND: "the defender's melds and layoffs (Defend)",
}


class HandResult(Value):
    """How a hand ended and what it scored."""

    ending: HandEnding
    winner: int | None
    """The seat that scores; None when the hand is void."""
    points: int
    """What the winner scores, bonuses of the hand included."""
    hands: tuple[tuple[Card, ...], tuple[Card, ...]]
    """The final cards by seat, layoffs still with the defender."""
    knocker: int | None = None
    knocker_arrangement: Arrangement | None = None
    defence: Defence | None = None
    """The defender's arrangement; without layoffs after gin. None when the hand is void."""


def legal_draws(phase: Phase, *, must_draw_stock: bool) -> tuple[Draw, ...]:
    """Return the draws open in a phase; none where the hand does not wait for one."""
    if phase is _DRAW:
        return (_STOCK,) if must_draw_stock else (_UPCARD, _STOCK)
    return (_UPCARD, _PASS) if phase is _OFFER else ()


def legal_discards(mask: int, taken: Card | None, rules: Rules) -> tuple[Card, ...]:
    """Return the cards of an eleven-card hand that may be discarded, ascending."""
    if taken is not None and not rules.may_discard_taken:
        mask &= ~(1 << taken)
    return cards_of(mask)


def legal_knocks(mask: int, taken: Card | None, rules: Rules, limit: int) -> dict[Card, int]:
    """Return the discards of an eleven-card hand that allow a knock, ascending, with the deadwood each leaves."""
    if least_deadwood(mask) > limit + 10:  # a discard takes at most ten points away
        return {}
    least = deadwood_after_discard(mask)
    return {card: least[card] for card in legal_discards(mask, taken, rules) if least[card] <= limit}


def legal_discard_actions(mask: int, taken: Card | None, rules: Rules, limit: int) -> tuple[Action, ...]:
    """Return every action open to an eleven-card hand: the discards, the knocks, big gin."""
    actions: list[Action] = [DISCARDS[card] for card in legal_discards(mask, taken, rules)]
    actions += [KNOCKS[card] for card in legal_knocks(mask, taken, rules, limit)]
    if rules.big_gin_bonus is not None and not least_deadwood(mask):
        actions.append(BIG_GIN)
    return tuple(actions)


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
        "_dealt",
        "_deck",
        "_hands",
        "_known",
        "_next",
        "_pile",
        "dealer",
        "drawn",
        "first_upcard",
        "knock_limit",
        "knocker_arrangement",
        "must_draw_stock",
        "phase",
        "result",
        "rules",
        "steps",
        "taken",
        "turn",
        "turns",
    )

    def __init__(self, rules: Rules, deck: Iterable[Card], dealer: int) -> None:
        """Deal. Raises ValueError when the deck is not the 52 cards or the dealer no seat."""
        cards = tuple(deck)
        if len(cards) != 52 or mask_of(cards) != DECK_MASK:
            raise ValueError("A deck is the 52 cards, each once.")
        if dealer not in (0, 1):
            raise ValueError(f"The dealer is seat 0 or 1, not {dealer!r}.")
        first, second = mask_of(cards[0:20:2]), mask_of(cards[1:20:2])
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
        self.steps: list[Step] = []
        """Everything that happened, hidden cards included."""
        self.phase = _OFFER if rules.opening is Opening.OFFER else _DRAW
        self._deck = cards
        self._next = 21
        self._pile = [upcard]
        self._hands = [second, first] if dealer == 0 else [first, second]
        self._dealt = tuple(self._hands)
        self._known = [0, 0]

    def cards(self, seat: int) -> tuple[Card, ...]:
        """Return the seat's cards in ascending order."""
        return cards_of(self._hands[seat])

    def dealt(self, seat: int) -> tuple[Card, ...]:
        """Return the ten cards the seat was dealt, ascending."""
        return cards_of(self._dealt[seat])

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
        return self._deck[self._next :]

    @property
    def stock_size(self) -> int:
        """The number of cards in the stock."""
        return len(self._deck) - self._next

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
        if draw is _PASS:
            self._pass(seat)
            return
        if draw is _STOCK:
            if self.phase is _OFFER:
                raise IllegalAction(
                    BrokenRule.STOCK, "The offer of the first upcard is answered by taking it or passing."
                )
            card = self._deck[self._next]
            self._next += 1
            self.taken = None
        else:
            if self.must_draw_stock:
                raise IllegalAction(BrokenRule.STOCK, "Both seats passed the first upcard: draw from the stock.")
            card = self._pile.pop()
            self.taken = card
            self._known[seat] |= _BITS[card]
        self._hands[seat] |= _BITS[card]
        self.drawn = card
        self.must_draw_stock = False
        self.phase = _DISCARD
        self.steps.append(Step(seat, draw, card))

    def _pass(self, seat: int) -> None:
        if self.phase is not _OFFER:
            raise IllegalAction(BrokenRule.PASS, "Only the offer of the first upcard may be passed: draw a card.")
        if seat == self.dealer:
            self.phase = _DRAW
            self.must_draw_stock = True
        self.turn = 1 - seat
        self.steps.append(Step(seat, _PASS))

    def _discard(self, action: Discard) -> None:
        seat, card = self.turn, action.card
        hand = self._hands[seat]
        if not 0 <= card < 52 or not hand & _BITS[card]:
            raise IllegalAction(BrokenRule.HOLDING, f"{card} is not in the hand {format_cards(cards_of(hand))}.")
        if card == self.taken and not self.rules.may_discard_taken:
            raise IllegalAction(
                BrokenRule.TAKEN, f"{card} was taken from the discard pile and may not be discarded in the same turn."
            )
        hand ^= _BITS[card]
        if action.knock and (points := least_deadwood(hand)) > self.knock_limit:
            raise IllegalAction(
                BrokenRule.KNOCK,
                f"A knock needs at most {self.knock_limit} deadwood; discarding {card} leaves {points}.",
            )
        self._hands[seat] = hand
        self._known[seat] &= ~_BITS[card]
        self._pile.append(DISCARDS[card].card)
        self.drawn = self.taken = None
        self.turns += 1
        self.steps.append(Step(seat, action))
        if action.knock:
            self.phase = _ARRANGE
            return
        self._end_turn(seat)

    def _end_turn(self, seat: int) -> None:
        """The rules say what follows a completed turn without a knock."""
        rules = self.rules
        if self.turns >= rules.turn_cap:
            self._finish(HandEnding.VOID_TURNS)
            return
        if len(self._deck) - self._next <= rules.stock_floor:
            if rules.stock_end is StockEnd.VOID:
                self._finish(HandEnding.VOID_STOCK)
                return
            self._reshuffle()
        self.turn = 1 - seat
        self.phase = _DRAW

    def _reshuffle(self) -> None:
        """Put the pile under its top card, shuffled, under the stock.

        The order follows from the deck and the turn, so a replay of the hand finds the same one.
        """
        from arena.decks import shuffled  # hashing is slow to import, and a bot's process has no other use for it

        *below, top = self._pile
        seed = bytes(self._deck) + self.turns.to_bytes(2, "big")
        self._deck = (*self._deck[self._next :], *shuffled(below, seed))
        self._next = 0
        self._pile = [top]
        self.steps[-1] = self.steps[-1]._replace(reshuffled=self.stock_size)

    def _big_gin(self, action: BigGin) -> None:
        rules, hand = self.rules, self._hands[self.turn]
        if rules.big_gin_bonus is None:
            raise IllegalAction(BrokenRule.BIG_GIN, f"The rule set {rules.name} has no big gin: discard and knock.")
        if points := least_deadwood(hand):
            raise IllegalAction(BrokenRule.BIG_GIN, f"Big gin needs eleven melded cards; this hand leaves {points}.")
        self.steps.append(Step(self.turn, action))
        self.turns += 1
        self.knocker_arrangement = best_arrangement(cards_of(hand))
        self._finish_unanswered(HandEnding.BIG_GIN, rules.big_gin_bonus)

    def _arrange(self, action: Arrange) -> None:
        seat = self.turn
        if action.melds is None:
            shown = knocker_arrangement(self.cards(seat), self.cards(1 - seat))
        else:
            try:
                shown = arrange(self.cards(seat), action.melds)
            except ValueError as error:
                raise IllegalAction(BrokenRule.MELD, str(error)) from None
            if shown.points > self.knock_limit:
                raise IllegalAction(
                    BrokenRule.KNOCK,
                    f"A knock needs at most {self.knock_limit} deadwood; these melds leave {shown.points}.",
                )
        self.steps.append(Step(seat, action))
        self.knocker_arrangement = shown
        if shown.points == 0:
            self._finish_unanswered(HandEnding.GIN, self.rules.gin_bonus)
        else:
            self.turn = 1 - seat
            self.phase = _DEFEND

    def _defend(self, action: Defend) -> None:
        shown = self.knocker_arrangement
        assert shown is not None
        knocker, seat = 1 - self.turn, self.turn
        cards = self.cards(seat)
        try:
            if action.layoffs is not None:
                defence = check_defence(shown.melds, cards, action.melds, action.layoffs)
            elif action.melds is not None:
                layoffs = best_layoffs(shown.melds, cards, action.melds)
                defence = check_defence(shown.melds, cards, action.melds, layoffs)
            else:
                defence = best_defence(shown.melds, cards)
        except LayOffError as error:
            raise IllegalAction(BrokenRule.LAYOFF, str(error)) from None
        except ValueError as error:
            raise IllegalAction(BrokenRule.MELD, str(error)) from None
        self.steps.append(Step(seat, action))
        difference = defence.points - shown.points
        if difference > 0:
            self._finish(HandEnding.KNOCK, winner=knocker, points=difference, knocker=knocker, defence=defence)
        else:
            points = self.rules.undercut_bonus - difference
            self._finish(HandEnding.UNDERCUT, winner=seat, points=points, knocker=knocker, defence=defence)

    def _finish_unanswered(self, ending: HandEnding, bonus: int) -> None:
        """End with a knocker without deadwood: the defender lays nothing off."""
        knocker = self.turn
        defence = Defence(best_arrangement(self.cards(1 - knocker)), ())
        self._finish(ending, winner=knocker, points=defence.points + bonus, knocker=knocker, defence=defence)

    def _finish(
        self,
        ending: HandEnding,
        *,
        winner: int | None = None,
        points: int = 0,
        knocker: int | None = None,
        defence: Defence | None = None,
    ) -> None:
        if self.rules.spades_double and self.first_upcard.suit == _SPADES:
            points *= 2
        self.phase = _OVER
        self.result = HandResult(
            ending, winner, points, (self.cards(0), self.cards(1)), knocker, self.knocker_arrangement, defence
        )
