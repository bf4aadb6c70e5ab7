"""The position of a hand in small numbers, and the moves that change it: the inner loop of the engine.

`arena.hand.Hand` is this with names; bots that play hands out by the thousand use it directly. Cards are their ids, and
a move is a number: 0 to 51 discards the card of that id, `KNOCK` more knocks with it, and `UPCARD`, `STOCK`, `PASS` and
`BIG_GIN` are what their names say. A position ends with a knock, with big gin or void; what is laid out and scored
then is the showdown's.
"""

from __future__ import annotations

from bisect import insort
from typing import TYPE_CHECKING

from arena.actions import BrokenRule, IllegalAction
from arena.cards import DECK, cards_of, format_cards
from arena.deadwood import DEAD, POINTS, best_discard, deadwood_without, least_deadwood, mask_of_suits, suits_of
from arena.events import HandEnding
from arena.legal import Phase, wrong_phase
from arena.rules import Opening, StockEnd

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arena.rules import Rules

KNOCK = 52
UPCARD, STOCK, PASS, BIG_GIN = range(2 * KNOCK, 2 * KNOCK + 4)

_OFFER, _DRAW, _DISCARD = Phase.OFFER, Phase.DRAW, Phase.DISCARD
_ARRANGE, _OVER = Phase.ARRANGE, Phase.OVER
_ANSWERS: Sequence[int] = (UPCARD, PASS)
_ANY_DRAW: Sequence[int] = (UPCARD, STOCK)
_ONLY_STOCK: Sequence[int] = (STOCK,)
_BITS = tuple([1 << card for card in range(52)])
_EVERY_CARD = bytes(range(52))
_SUIT = tuple(card.suit for card in DECK)
_RANK = tuple(1 << card.rank - 1 for card in DECK)
"""The bit of each card among the thirteen of its suit."""


class Position:
    """Who holds what and who is to move, from the deal to the end of play."""

    __slots__ = (
        "_plain",
        "dealer",
        "deck",
        "drawn",
        "ending",
        "held",
        "knock_limit",
        "must_draw_stock",
        "phase",
        "pile",
        "reshuffled",
        "rules",
        "seen",
        "stock",
        "suits",
        "taken",
        "turn",
        "turns",
    )

    def __init__(self, rules: Rules, deck: Iterable[int], dealer: int) -> None:
        """Deal: ten cards each alternately, the non-dealer first, then the upcard; the rest is the stock.

        Raises ValueError when the deck is not the 52 cards or the dealer no seat.
        """
        deck = bytes(deck)
        if len(deck) != 52 or _EVERY_CARD.translate(None, deck):  # what is left is not in the deck
            raise ValueError("A deck is the 52 cards, each once.")
        if dealer not in (0, 1):
            raise ValueError(f"The dealer is seat 0 or 1, not {dealer!r}.")
        self.rules = rules
        self.deck = deck
        """The cards as they were dealt."""
        self.dealer = dealer
        self.turn = 1 - dealer
        """The seat to move; the last to move once play is over."""
        self.turns = 0
        """Completed turns."""
        offered = rules.opening is Opening.OFFER
        self.phase = _OFFER if offered else _DRAW
        self._plain: Sequence[int] = _ANSWERS if offered else _ANY_DRAW
        """The legal moves but for knocks and big gin, which take longer to find."""
        self.knock_limit = rules.limit_for(DECK[deck[20]])
        self.must_draw_stock = False
        """Both passed the first upcard, so this draw is from the stock."""
        self.drawn: int | None = None
        """The card the seat to move drew this turn, from the stock or the pile."""
        self.taken: int | None = None
        """That card if it came from the discard pile."""
        self.pile = [deck[20]]
        """The discard pile, bottom first."""
        self.stock = list(deck[:20:-1])
        """The stock, the next card last."""
        first, second = sorted(deck[0:20:2]), sorted(deck[1:20:2])
        self.held = [first, second] if dealer == 1 else [second, first]
        """The cards of each seat, ascending."""
        self.suits = [_suits(held) for held in self.held]
        """The same as thirteen bits for each suit."""
        self.seen = [0, 0]
        """By seat, the cards it took from the pile in the sight of the other, as a 52-bit mask."""
        self.reshuffled = False
        """Whether the last move ended with a reshuffle."""
        self.ending: HandEnding | None = None
        """Why the hand is void, once it is."""

    def mask(self, seat: int) -> int:
        """Return the seat's cards as a 52-bit mask."""
        return mask_of_suits(self.suits[seat])

    def known_mask(self, seat: int) -> int:
        """Return the cards the seat took from the pile and kept, as a 52-bit mask."""
        return self.seen[seat] & self.mask(seat)

    def moves(self) -> Sequence[int]:
        """Return the legal moves: draws, or discards ascending, then knocks, then big gin; none once play is over."""
        if self.phase is _DISCARD:
            clubs, hearts, spades, diamonds = self.suits[self.turn]
            ranks = clubs & hearts & (spades | diamonds) | spades & diamonds & (clubs | hearts)
            # What the runs leave, less all cards that can be in sets, is never more than the least deadwood, and a
            # discard takes at most ten points away: most hands need no closer look. First every such rank counts four
            # times, then the fourth cards that are not there are put back.
            bound = DEAD[clubs] + DEAD[hearts] + DEAD[spades] + DEAD[diamonds] - 4 * POINTS[ranks]
            near = self.knock_limit + 10
            if bound <= near and bound + POINTS[ranks ^ (clubs & hearts & spades & diamonds)] <= near:
                return [*self._plain, *self._knocks()]
        return self._plain

    def _knocks(self) -> list[int]:
        mask, limit = self.mask(self.turn), self.knock_limit
        if best_discard(self.suits[self.turn])[0] > limit:
            return []
        after = deadwood_without(mask)
        knocks = [KNOCK + card for card in self._plain if after[DECK[card]] <= limit]
        if self.rules.big_gin_bonus is not None and not least_deadwood(mask):
            knocks.append(BIG_GIN)
        return knocks

    def play(self, move: int) -> None:
        """Make the move. Raises IllegalAction, naming the rule, and leaves the position as it was."""
        if move not in self._plain and (refusal := self._refusal(move)):  # a knock may still be legal
            raise refusal
        seat, rules = self.turn, self.rules
        held = self.held[seat]
        if move < UPCARD:
            card = move if move < KNOCK else move - KNOCK
            held.remove(card)
            self.suits[seat][_SUIT[card]] ^= _RANK[card]
            self.pile.append(card)
            self.drawn = self.taken = None
            self.turns += 1
            if move >= KNOCK:
                self._end(_ARRANGE)
            elif len(self.stock) <= rules.stock_floor or self.turns >= rules.turn_cap:
                self._run_out()
            else:
                self.turn = 1 - seat
                self.phase = _DRAW
                self._plain = _ANY_DRAW
        elif move <= STOCK:
            if move == STOCK:
                self.drawn = card = self.stock.pop()
                insort(held, card)
                self._plain = held[:]
            else:
                self.drawn = self.taken = card = self.pile.pop()
                self.seen[seat] |= _BITS[card]
                others = held[:]
                insort(held, card)
                self._plain = held[:] if rules.may_discard_taken else others
            self.suits[seat][_SUIT[card]] |= _RANK[card]
            self.phase = _DISCARD
            self.must_draw_stock = self.reshuffled = False
        elif move == PASS:
            self.turn = 1 - seat
            if seat == self.dealer:
                self.phase = _DRAW
                self.must_draw_stock = True
                self._plain = _ONLY_STOCK
        else:
            self.turns += 1
            self._end(_ARRANGE)

    def _end(self, phase: Phase) -> None:
        self.phase = phase
        self._plain = ()

    def _run_out(self) -> None:
        """Stock or turns have run out with a turn completed without a knock."""
        if self.turns >= self.rules.turn_cap:
            self.ending = HandEnding.VOID_TURNS
            self._end(_OVER)
        elif self.rules.stock_end is StockEnd.VOID:
            self.ending = HandEnding.VOID_STOCK
            self._end(_OVER)
        else:
            self._reshuffle()
            self.turn = 1 - self.turn
            self.phase = _DRAW
            self._plain = _ANY_DRAW

    def _reshuffle(self) -> None:
        """Put the pile under its top card, shuffled, under the stock.

        The order follows from the deck and the turn, so a replay of the hand finds the same one.
        """
        from arena.decks import shuffled  # hashing is slow to import, and a bot's process has no other use for it

        *below, top = self.pile
        under = shuffled(below, self.deck + self.turns.to_bytes(2, "big"))
        self.stock = [*reversed(under), *self.stock]
        self.pile = [top]
        self.seen = [self.known_mask(0), self.known_mask(1)]
        self.reshuffled = True

    def _refusal(self, move: int) -> IllegalAction | None:
        """Name the rule that a move breaks, if it breaks one."""
        phase = self.phase
        if 0 <= move < UPCARD:
            return self._discard_refusal(move) if phase is _DISCARD else wrong_phase("Discard", phase)
        if move == BIG_GIN:
            return self._big_gin_refusal() if phase is _DISCARD else wrong_phase("BigGin", phase)
        if not UPCARD <= move <= PASS:
            raise ValueError(f"A move is a number from 0 to {BIG_GIN}, not {move!r}.")
        if move == PASS and phase is _DRAW:
            return IllegalAction(BrokenRule.PASS, "Only the offer of the first upcard may be passed: draw a card.")
        if move == STOCK and phase is _OFFER:
            sentence = "The offer of the first upcard is answered by taking it or passing."
            return IllegalAction(BrokenRule.STOCK, sentence)
        if move == UPCARD and phase is _DRAW:
            return IllegalAction(BrokenRule.STOCK, "Both seats passed the first upcard: draw from the stock.")
        return wrong_phase("Draw", phase)

    def _discard_refusal(self, move: int) -> IllegalAction | None:
        card = DECK[move % KNOCK]
        mask = self.mask(self.turn)
        if not mask & card.mask:
            return IllegalAction(BrokenRule.HOLDING, f"{card} is not in the hand {format_cards(cards_of(mask))}.")
        if card == self.taken and not self.rules.may_discard_taken:
            sentence = f"{card} was taken from the discard pile and may not be discarded in the same turn."
            return IllegalAction(BrokenRule.TAKEN, sentence)
        points = least_deadwood(mask ^ card.mask)
        if points <= self.knock_limit:
            return None
        sentence = f"A knock needs at most {self.knock_limit} deadwood; discarding {card} leaves {points}."
        return IllegalAction(BrokenRule.KNOCK, sentence)

    def _big_gin_refusal(self) -> IllegalAction | None:
        if self.rules.big_gin_bonus is None:
            sentence = f"The rule set {self.rules.name} has no big gin: discard and knock."
            return IllegalAction(BrokenRule.BIG_GIN, sentence)
        points = least_deadwood(self.mask(self.turn))
        if points == 0:
            return None
        sentence = f"Big gin needs eleven melded cards; this hand leaves {points}."
        return IllegalAction(BrokenRule.BIG_GIN, sentence)


def _suits(cards: Iterable[int]) -> list[int]:
    return list(suits_of(sum(map(_BITS.__getitem__, cards))))
