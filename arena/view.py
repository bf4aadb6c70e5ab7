"""The one door: what a seat may see, as a view of now and as the events since it last looked.

Nothing about a hand reaches a player except through `view_of` and `EventStream`.
"""

from __future__ import annotations

from arena.actions import BEST_ARRANGE, BEST_DEFEND, KNOCKS, Action, BigGin, Defend, Discard, Draw
from arena.cards import DECK, Card, cards_of, format_cards, mask_of, parse_cards
from arena.deadwood import deadwood_without, least_deadwood, makes_meld
from arena.events import (
    DeclaredBigGin,
    Defended,
    Discarded,
    Drew,
    Event,
    HandEnded,
    HandStarted,
    Passed,
    Reshuffled,
    Shown,
)
from arena.legal import Phase, legal_discard_actions, legal_discards, legal_draws, legal_knocks
from arena.melds import Meld, best_arrangement
from arena.rules import Rules
from arena.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from arena.game import Game
    from arena.hand import Hand


_card = DECK.__getitem__
_DISCARD, _ARRANGE, _DEFEND, _OVER = Phase.DISCARD, Phase.ARRANGE, Phase.DEFEND, Phase.OVER
_UPCARD, _PASS = Draw.UPCARD, Draw.PASS  # class attributes of an Enum are slow to read


class View(Value, kw_only=True):
    """What one seat sees. Seats are 0 and 1; `seat` is the viewer's own."""

    seat: int
    rules: Rules
    decision: Phase | None
    """What this seat must decide now; None when it is not its turn."""
    hand: tuple[Card, ...]
    """The seat's own cards in ascending order: ten, or eleven between draw and discard."""
    upcard: Card | None
    """The top of the discard pile; None while it is empty."""
    discard_pile: tuple[Card, ...]
    """Bottom first."""
    known_opponent_cards: tuple[Card, ...]
    """Cards the other seat took from the pile and kept; at the showdown all that it showed. Ascending."""
    stock_size: int
    dealer: int
    scores: tuple[int, int]
    """Before this hand, by seat."""
    hand_number: int
    """1 for the first hand of the game."""
    turns: int
    """Completed turns of this hand."""
    knock_limit: int
    """Most deadwood a knock may leave in this hand."""
    must_draw_stock: bool = False
    """Both passed the first upcard, so this draw is from the stock."""
    drawn: Card | None = None
    """The card this seat drew this turn."""
    taken: Card | None = None
    """That card if it came from the discard pile: it may not be discarded now."""
    knocker_melds: tuple[Meld, ...] | None = None
    """What the knocker showed, once it did."""
    time_left: float | None = None
    """Seconds of thinking left for the game; None without a clock."""
    mask: int
    """`hand` as a 52-bit mask."""

    @property
    def my_score(self) -> int:
        """This seat's score before the hand."""
        return self.scores[self.seat]

    @property
    def opponent_score(self) -> int:
        """The other seat's score before the hand."""
        return self.scores[1 - self.seat]

    @property
    def deadwood(self) -> int:
        """The least deadwood of the hand as it is, in points."""
        return least_deadwood(self.mask)

    @property
    def best_melds(self) -> tuple[Meld, ...]:
        """The melds of an arrangement with the least deadwood."""
        return best_arrangement(self.hand).melds

    @property
    def legal(self) -> tuple[Action, ...]:
        """Every action open to this seat now; at the showdown only the choice that leaves it to the arena."""
        phase = self.decision
        if phase is None:
            return ()
        if phase is _DISCARD:
            return legal_discard_actions(self.mask, self.taken, self.rules, self.knock_limit)
        if phase is _ARRANGE:
            return (BEST_ARRANGE,)
        if phase is _DEFEND:
            return (BEST_DEFEND,)
        return legal_draws(phase, must_draw_stock=self.must_draw_stock)

    @property
    def legal_discards(self) -> tuple[Card, ...]:
        """The cards that may be discarded now, ascending."""
        return legal_discards(self.mask, self.taken, self.rules) if self.decision is _DISCARD else ()

    @property
    def knock_options(self) -> tuple[Discard, ...]:
        """Every discard that may knock now, the least deadwood first; the first of them goes gin if any does."""
        if self.decision is not _DISCARD:
            return ()
        knocks = legal_knocks(self.mask, self.taken, self.rules, self.knock_limit)
        return tuple(KNOCKS[card] for card in sorted(knocks, key=knocks.__getitem__))

    def deadwood_after(self, card: Card) -> int:
        """Return the least deadwood once the card is discarded. Raises ValueError when it is not in the hand."""
        points = deadwood_without(self.mask).get(card)
        if points is None:
            raise ValueError(f"{card} is not in the hand {format_cards(self.hand)}.")
        return points

    def deadwood_taking(self, card: Card) -> int:
        """Return the least deadwood that drawing the card and discarding another of the hand can leave.

        Raises ValueError when the card is in the hand already.
        """
        if self.mask >> card & 1:
            raise ValueError(f"{card} is in the hand already.")
        least = deadwood_without(self.mask | 1 << card)
        return min(points for other, points in least.items() if other != card)

    def would_meld(self, card: Card) -> bool:
        """Whether the card is part of a meld with cards of the hand, wanted by its best arrangement or not."""
        return makes_meld(self.mask, card)

    def to_wire(self) -> dict[str, Any]:
        """Return the view as a small JSON object: cards as one word, bottom of the pile first."""
        return {
            "seat": self.seat,
            "rules": self.rules.to_wire(),
            "decision": None if self.decision is None else self.decision.value,
            "hand": format_cards(self.hand),
            "pile": format_cards(self.discard_pile),
            "known": format_cards(self.known_opponent_cards),
            "stock": self.stock_size,
            "dealer": self.dealer,
            "scores": list(self.scores),
            "hand_number": self.hand_number,
            "turns": self.turns,
            "knock_limit": self.knock_limit,
            "must_draw_stock": self.must_draw_stock,
            "drawn": None if self.drawn is None else str(self.drawn),
            "taken": self.taken is not None,
            "melds": None if self.knocker_melds is None else [str(meld) for meld in self.knocker_melds],
            "time_left": self.time_left,
        }

    @classmethod
    def from_wire(cls, data: Mapping[str, Any]) -> View:
        """Return the view that `to_wire` gave.

        Raises KeyError when a field is missing and ValueError when one does not read.
        """
        hand, pile = parse_cards(data["hand"]), parse_cards(data["pile"])
        drawn = None if data["drawn"] is None else Card.parse(data["drawn"])
        first, second = data["scores"]
        return cls(
            seat=data["seat"],
            rules=Rules.from_wire(data["rules"]),
            decision=None if data["decision"] is None else Phase(data["decision"]),
            hand=hand,
            upcard=pile[-1] if pile else None,
            discard_pile=pile,
            known_opponent_cards=parse_cards(data["known"]),
            stock_size=data["stock"],
            dealer=data["dealer"],
            scores=(first, second),
            hand_number=data["hand_number"],
            turns=data["turns"],
            knock_limit=data["knock_limit"],
            must_draw_stock=data["must_draw_stock"],
            drawn=drawn,
            taken=drawn if data["taken"] else None,
            knocker_melds=None if data["melds"] is None else tuple(Meld.parse(text) for text in data["melds"]),
            time_left=data["time_left"],
            mask=mask_of(hand),
        )


def view_of(game: Game, seat: int, time_left: float | None = None) -> View:
    """Return what the seat sees of the game now; `time_left` is its clock in seconds."""
    hand = game.hands[-1]
    position = hand.position
    phase = position.phase
    mine = position.turn == seat
    mask = position.mask(seat)
    known = hand.known_mask(1 - seat)
    pile = tuple(map(_card, position.pile))
    drawn = position.drawn if mine else None
    laid_out = hand.knocker_arrangement
    return View(
        seat=seat,
        rules=game.rules,
        decision=phase if mine and phase is not _OVER else None,
        hand=cards_of(mask),
        upcard=pile[-1] if pile else None,
        discard_pile=pile,
        known_opponent_cards=cards_of(known) if known else (),
        stock_size=len(position.stock),
        dealer=position.dealer,
        scores=game.scores,
        hand_number=len(game.hands),
        turns=position.turns,
        knock_limit=position.knock_limit,
        must_draw_stock=mine and position.must_draw_stock,
        drawn=None if drawn is None else DECK[drawn],
        taken=None if drawn is None or position.taken is None else DECK[drawn],
        knocker_melds=None if laid_out is None else laid_out.melds,
        time_left=time_left,
        mask=mask,
    )


class EventStream:
    """What one seat sees happen in a game, in order."""

    def __init__(self, game: Game, seat: int) -> None:
        """Begin before the first hand, wherever the game is by now."""
        self._game = game
        self._seat = seat
        self._hand = 0
        self._steps: int | None = None
        """How many of that hand's steps were taken; None before its deal was. Its end comes with the last step."""

    def take(self) -> tuple[Event, ...]:
        """Return what happened since the last call."""
        events: list[Event] = []
        hands = self._game.hands
        while True:
            hand = hands[self._hand]
            if self._steps is None:
                events.append(self._started(hand))
                self._steps = 0
            new = hand.log[self._steps :]
            self._steps += len(new)
            for seat, action, card, reshuffled in new:
                events += _seen(hand, seat, action, card, reshuffled, self._seat)
            if new and hand.result is not None:
                events.append(self._ended(hand))
            if self._hand + 1 == len(hands):
                return tuple(events)
            self._hand += 1
            self._steps = None

    def _started(self, hand: Hand) -> Event:
        scores = self._game.scores_after(self._hand)
        return HandStarted(self._hand + 1, hand.dealer, hand.dealt(self._seat), hand.first_upcard, scores)

    def _ended(self, hand: Hand) -> Event:
        result, scores = hand.result, self._game.scores_after(self._hand + 1)
        assert result is not None
        shown = () if result.ending.is_void else result.hands[1 - self._seat]
        return HandEnded(result.ending, result.winner, result.points, scores, shown)


def events_of(game: Game, seat: int) -> tuple[Event, ...]:
    """Return everything the seat saw happen since the game began."""
    return EventStream(game, seat).take()


def _seen(hand: Hand, seat: int, action: Action, card: Card | None, reshuffled: int, viewer: int) -> tuple[Event, ...]:
    """What the viewer sees of one step, given in its fields."""
    if isinstance(action, Draw):
        if action is _PASS:
            return (Passed(seat),)
        return (Drew(seat, action, card if action is _UPCARD or seat == viewer else None),)
    if isinstance(action, Discard):
        discarded = Discarded(seat, action.card, action.knock)
        return (discarded, Reshuffled(reshuffled)) if reshuffled else (discarded,)
    if isinstance(action, Defend):
        assert hand.result is not None
        defence = hand.result.defence
        assert defence is not None
        arrangement = defence.arrangement
        return (Defended(seat, arrangement.melds, defence.layoffs, arrangement.deadwood),)
    shown = hand.knocker_arrangement
    assert shown is not None
    laid_out = Shown(seat, shown.melds, shown.deadwood)
    return (DeclaredBigGin(seat), laid_out) if isinstance(action, BigGin) else (laid_out,)
