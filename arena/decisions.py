"""The decisions of a recorded game: what the seat saw, and what it could do, counted exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from arena.actions import Action, BigGin, Discard, Draw
from arena.cards import DECK, Card, cards_of, mask_of
from arena.deadwood import deadwood_without, least_deadwood
from arena.events import Event, HandStarted
from arena.game import Game
from arena.legal import Phase
from arena.record import GameRecord
from arena.steps import pretty
from arena.view import View, events_of, view_of

_ALL = mask_of(DECK)


@dataclass(frozen=True, slots=True)
class Decision:
    """A draw or a discard that a seat had to choose."""

    number: int
    """The step of `arena.steps` at which it was due."""
    view: View
    events: tuple[Event, ...]
    """All that the seat saw of this hand, its deal first."""
    action: Action | None
    """What it chose; None where it forfeited."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """A hand of ten cards before a card comes from the stock. Every unseen card is as likely to come as another."""

    deadwood: int
    """Of the hand as it is."""
    unseen: int
    """The number of cards that the seat has not seen: in the stock, or unknown in the other hand."""
    better: tuple[Card, ...]
    """Those of them that lower the deadwood, after the best discard. Ascending."""
    knocks: int
    """How many of them make a knock possible."""
    gins: int
    """How many of them make gin."""


@dataclass(frozen=True, slots=True)
class DiscardOption:
    """One card of eleven, as a discard."""

    card: Card
    is_legal: bool
    """False for the card just taken from the pile, where the rules forbid to throw it back."""
    may_knock: bool
    outlook: Outlook
    """Of the ten cards that are left."""


@dataclass(frozen=True, slots=True)
class DrawOptions:
    """The two draws."""

    stock: Outlook
    """Of the ten cards, which a card from the stock joins."""
    upcard: Card | None
    """None when it may not be taken."""
    deadwood_taking: int | None
    """The least deadwood after taking it and discarding another card."""


def decision_at(record: GameRecord, number: int) -> Decision | None:
    """The draw or discard that was due at step `number`; None when that step waits for neither.

    The record must replay.
    """
    game = Game(record.rules, record.seed)
    at = 0
    for place, hand in enumerate(record.hands, 1):
        for action, _ in hand.moves():
            if at == number:
                return _decision(game, number, action)
            game.apply(action)
            at += 1
        if at == number:
            # The last hand of a forfeited game breaks off here; after every other the next is dealt.
            return _decision(game, number, None) if game.hand_number == place else None
        at += 1
    return None


def draw_options(view: View) -> DrawOptions:
    """Return what either draw is worth at a decision to draw."""
    may_take = view.upcard is not None and Draw.UPCARD in view.legal
    upcard = view.upcard if may_take else None
    taking = None if upcard is None else view.deadwood_taking(upcard)
    return DrawOptions(_outlook(view.mask, _unseen(view), view.knock_limit), upcard, taking)


def discard_options(view: View) -> tuple[DiscardOption, ...]:
    """Return every card as a discard, the one that leaves the least deadwood and hopes for the most first."""
    hidden = _unseen(view)
    legal = view.legal_discards
    knocks = {knock.card for knock in view.knock_options}
    options = [
        DiscardOption(card, card in legal, card in knocks, _outlook(view.mask ^ card.mask, hidden, view.knock_limit))
        for card in view.hand
    ]
    return tuple(sorted(options, key=lambda option: (option.outlook.deadwood, -len(option.outlook.better))))


def in_words(action: Action, show: Callable[[Card], str] = pretty) -> str:
    """Return a draw or a discard for after the name of who chooses it, such as "draws from the stock".

    `show` writes the card of a discard.
    """
    match action:
        case Draw.UPCARD:
            return "takes the upcard"
        case Draw.STOCK:
            return "draws from the stock"
        case Draw.PASS:
            return "leaves the upcard"
        case Discard(card, knock):
            return f"{'knocks with' if knock else 'discards'} {show(card)}"
        case BigGin():
            return "declares big gin"
    raise ValueError(f"{action} is neither a draw nor a discard.")


def _decision(game: Game, number: int, action: Action | None) -> Decision | None:
    seat = game.turn
    view = view_of(game, seat)
    if view.decision not in (Phase.OFFER, Phase.DRAW, Phase.DISCARD):
        return None
    events = events_of(game, seat)
    dealt = max(at for at, event in enumerate(events) if isinstance(event, HandStarted))
    return Decision(number, view, events[dealt:], action)


def _unseen(view: View) -> int:
    return _ALL & ~(view.mask | mask_of(view.discard_pile) | mask_of(view.known_opponent_cards))


def _outlook(hand: int, hidden: int, knock_limit: int) -> Outlook:
    now = least_deadwood(hand)
    better, knocks, gins = [], 0, 0
    for card in cards_of(hidden):
        least = min(deadwood_without(hand | card.mask).values())
        if least < now:
            better.append(card)
        knocks += least <= knock_limit
        gins += least == 0
    return Outlook(now, hidden.bit_count(), tuple(better), knocks, gins)
