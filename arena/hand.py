"""One deal as a state machine: it plays the legal action and refuses every other, naming the rule."""

from __future__ import annotations

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
from arena.cards import DECK, Card
from arena.legal import Phase, wrong_phase
from arena.melds import best_arrangement
from arena.position import BIG_GIN as BIG_GIN_MOVE
from arena.position import KNOCK, PASS, STOCK, UPCARD, Position
from arena.showdown import HandResult, answered, defended, shown, unanswered, void

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arena.melds import Arrangement
    from arena.rules import Rules

_ACTIONS: tuple[Action, ...] = (*DISCARDS, *KNOCKS, Draw.UPCARD, Draw.STOCK, Draw.PASS, BIG_GIN)
"""The action of each move of a position."""
_card = DECK.__getitem__
_UPCARD, _STOCK = Draw.UPCARD, Draw.STOCK  # class attributes of an Enum are slow to read
_DISCARD, _ARRANGE, _DEFEND = Phase.DISCARD, Phase.ARRANGE, Phase.DEFEND
_DRAWS: dict[Sequence[int], tuple[Action, ...]] = {
    moves: tuple(_ACTIONS[move] for move in moves) for moves in ((), (UPCARD, PASS), (UPCARD, STOCK), (STOCK,))
}
"""The actions of every choice of draws; none once the hand is over."""


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

    __slots__ = ("first_upcard", "knocker_arrangement", "log", "position", "result", "rules")

    def __init__(self, rules: Rules, deck: Iterable[Card], dealer: int) -> None:
        """Deal. Raises ValueError when the deck is not the 52 cards or the dealer no seat."""
        self.position = position = Position(rules, deck, dealer)
        """The hand in small numbers; only `apply` may change it."""
        self.rules = rules
        self.first_upcard = DECK[position.pile[0]]
        self.knocker_arrangement: Arrangement | None = None
        """What the knocker showed, once it did."""
        self.result: HandResult | None = None
        self.log: list[tuple[int, Action, Card | None, int]] = []
        """The fields of `steps`: a plain tuple is made in a seventh of a named one's time."""

    @property
    def steps(self) -> tuple[Step, ...]:
        """Everything that happened, hidden cards included."""
        return tuple([Step._make(fields) for fields in self.log])

    @property
    def phase(self) -> Phase:
        """What the hand waits for."""
        return self.position.phase

    @property
    def turn(self) -> int:
        """The seat to act; the last to act once the hand is over."""
        return self.position.turn

    @property
    def turns(self) -> int:
        """Completed turns."""
        return self.position.turns

    @property
    def dealer(self) -> int:
        """The seat that dealt."""
        return self.position.dealer

    @property
    def knock_limit(self) -> int:
        """Most deadwood a knock may leave in this hand."""
        return self.position.knock_limit

    @property
    def must_draw_stock(self) -> bool:
        """Whether both passed the first upcard, so that this draw is from the stock."""
        return self.position.must_draw_stock

    @property
    def drawn(self) -> Card | None:
        """The card the seat to act drew this turn, from the stock or the pile."""
        drawn = self.position.drawn
        return None if drawn is None else DECK[drawn]

    @property
    def taken(self) -> Card | None:
        """That card if it came from the discard pile."""
        taken = self.position.taken
        return None if taken is None else DECK[taken]

    def cards(self, seat: int) -> tuple[Card, ...]:
        """Return the seat's cards in ascending order."""
        return tuple(map(_card, self.position.held[seat]))

    def dealt(self, seat: int) -> tuple[Card, ...]:
        """Return the ten cards the seat was dealt, ascending."""
        return tuple([DECK[card] for card in sorted(self.position.deck[seat == self.dealer : 20 : 2])])

    def mask(self, seat: int) -> int:
        """Return the seat's cards as a 52-bit mask."""
        return self.position.mask(seat)

    def known_mask(self, seat: int) -> int:
        """Return the cards the other seat knows this seat to hold, as a 52-bit mask.

        They are those taken from the discard pile and kept; all of the knocker's once it has shown them.
        """
        position = self.position
        if position.phase is _DEFEND and seat != position.turn:
            return position.mask(seat)
        return position.known_mask(seat)

    @property
    def stock(self) -> tuple[Card, ...]:
        """The stock, the next card first."""
        return tuple([DECK[card] for card in reversed(self.position.stock)])

    @property
    def stock_size(self) -> int:
        """The number of cards in the stock."""
        return len(self.position.stock)

    @property
    def discard_pile(self) -> tuple[Card, ...]:
        """The discard pile, bottom first."""
        return tuple(map(_card, self.position.pile))

    @property
    def upcard(self) -> Card | None:
        """The top of the discard pile; None while it is empty."""
        pile = self.position.pile
        return DECK[pile[-1]] if pile else None

    def legal_actions(self) -> tuple[Action, ...]:
        """Return what the seat to act may do; at the showdown only the choice that leaves it to the arena."""
        position = self.position
        phase = position.phase
        if phase is _DISCARD:
            return tuple([_ACTIONS[move] for move in position.moves()])
        if phase is _ARRANGE:
            return (BEST_ARRANGE,)
        if phase is _DEFEND:
            return (BEST_DEFEND,)
        return _DRAWS[position.moves()]

    def apply(self, action: Action) -> None:
        """Play the action for the seat to act.

        Raises IllegalAction, naming the rule, and leaves the hand as it was.
        """
        position = self.position
        seat = position.turn
        card: Card | None = None
        if isinstance(action, Discard):
            position.play(_discard_move(action))
        elif isinstance(action, Draw):
            position.play(UPCARD if action is _UPCARD else STOCK if action is _STOCK else PASS)
            card = None if position.drawn is None else DECK[position.drawn]
        elif isinstance(action, Arrange):
            self._arrange(action)
        elif isinstance(action, Defend):
            self._defend(action)
        elif isinstance(action, BigGin):
            position.play(BIG_GIN_MOVE)
            self._big_gin()
        else:
            raise wrong_phase(type(action).__name__, position.phase)
        self.log.append((seat, action, card, len(position.stock) if position.reshuffled else 0))
        if position.ending is not None:
            self.result = void(position.ending, self._final_hands())

    def _big_gin(self) -> None:
        knocker, hands = self.turn, self._final_hands()
        self.knocker_arrangement = laid_out = best_arrangement(hands[knocker])
        self._finish(unanswered(self.rules, self.first_upcard, hands, knocker, laid_out, big=True))

    def _arrange(self, action: Arrange) -> None:
        position = self.position
        if position.phase is not _ARRANGE:
            raise wrong_phase("Arrange", position.phase)
        knocker, hands = position.turn, self._final_hands()
        laid_out = shown(action, hands[knocker], hands[1 - knocker], position.knock_limit)
        self.knocker_arrangement = laid_out
        if laid_out.points == 0:
            self._finish(unanswered(self.rules, self.first_upcard, hands, knocker, laid_out, big=False))
        else:
            position.turn = 1 - knocker
            position.phase = _DEFEND

    def _defend(self, action: Defend) -> None:
        position, laid_out = self.position, self.knocker_arrangement
        if position.phase is not _DEFEND or laid_out is None:
            raise wrong_phase("Defend", position.phase)
        seat, hands = position.turn, self._final_hands()
        defence = defended(action, laid_out, hands[seat])
        self._finish(answered(self.rules, self.first_upcard, hands, 1 - seat, laid_out, defence))

    def _final_hands(self) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
        return self.cards(0), self.cards(1)

    def _finish(self, result: HandResult) -> None:
        self.position.phase = Phase.OVER
        self.result = result


def _discard_move(action: Discard) -> int:
    card = action.card
    if not 0 <= card < 52:
        raise IllegalAction(BrokenRule.HOLDING, f"{card} is not in the hand.")
    return card + KNOCK if action.knock else card + 0  # a plain number, as all moves are
