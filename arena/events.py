"""What happened, as one seat may see it.

Seats are absolute, 0 and 1, and the receiving seat's own number is in its view. `event_to_wire` and `event_from_wire`
turn an event into a small JSON list, its kind first, and back.
"""

from __future__ import annotations

from enum import StrEnum

from arena.actions import Draw
from arena.cards import Card, format_cards, parse_cards
from arena.layoffs import LayOff
from arena.melds import Meld
from arena.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any


class HandEnding(StrEnum):
    """How a hand ended."""

    GIN = "gin"
    """The knocker had no deadwood."""
    BIG_GIN = "big-gin"
    """All eleven cards were melded and declared."""
    KNOCK = "knock"
    """The knocker had less deadwood than the defender."""
    UNDERCUT = "undercut"
    """The defender had no more deadwood than the knocker."""
    VOID_STOCK = "void-stock"
    """The stock ran out: nobody scores."""
    VOID_TURNS = "void-turns"
    """The cap on turns was reached: nobody scores."""

    @property
    def is_void(self) -> bool:
        """Whether nobody scored."""
        return self in (HandEnding.VOID_STOCK, HandEnding.VOID_TURNS)


class HandStarted(Value):
    """A hand was dealt."""

    number: int
    """1 for the first hand of the game."""
    dealer: int
    cards: tuple[Card, ...]
    """The receiving seat's ten cards, ascending."""
    upcard: Card
    scores: tuple[int, int]
    """Before the hand, by seat."""


class Drew(Value):
    """A seat drew; `card` is None when it came from the stock into the other seat's hand."""

    seat: int
    source: Draw
    card: Card | None


class Passed(Value):
    """A seat left the first upcard."""

    seat: int


class Discarded(Value):
    """A seat put a card on the discard pile, knocking with it or not."""

    seat: int
    card: Card
    knock: bool


class DeclaredBigGin(Value):
    """A seat declared eleven melded cards."""

    seat: int


class Reshuffled(Value):
    """The discard pile under its top card was shuffled under the stock, which now holds `stock_size` cards."""

    stock_size: int


class Shown(Value):
    """The knocker laid out its hand."""

    seat: int
    melds: tuple[Meld, ...]
    deadwood: tuple[Card, ...]


class Defended(Value):
    """The defender laid out its hand and laid off on the knocker's melds."""

    seat: int
    melds: tuple[Meld, ...]
    layoffs: tuple[LayOff, ...]
    deadwood: tuple[Card, ...]
    """What is left over."""


class HandEnded(Value):
    """The hand is over."""

    ending: HandEnding
    winner: int | None
    """The seat that scored; None when the hand was void."""
    points: int
    """What the winner scored."""
    scores: tuple[int, int]
    """After the hand, by seat."""
    opponent_cards: tuple[Card, ...]
    """The other seat's final cards; empty when the hand was void, for then nobody shows."""


Event = HandStarted | Drew | Passed | Discarded | DeclaredBigGin | Reshuffled | Shown | Defended | HandEnded


def event_to_wire(event: Event) -> list[Any]:
    """Return the event as a JSON list: its kind, then its fields in order, cards as one word."""
    match event:
        case HandStarted(number, dealer, cards, upcard, scores):
            return ["hand", number, dealer, format_cards(cards), str(upcard), list(scores)]
        case Drew(seat, source, card):
            return ["drew", seat, source.value, None if card is None else str(card)]
        case Passed(seat):
            return ["passed", seat]
        case Discarded(seat, card, knock):
            return ["discarded", seat, str(card), knock]
        case DeclaredBigGin(seat):
            return ["big-gin", seat]
        case Reshuffled(stock_size):
            return ["reshuffled", stock_size]
        case Shown(seat, melds, deadwood):
            return ["shown", seat, _texts(melds), format_cards(deadwood)]
        case Defended(seat, melds, layoffs, deadwood):
            laid = [[str(layoff.card), layoff.meld_index] for layoff in layoffs]
            return ["defended", seat, _texts(melds), laid, format_cards(deadwood)]
        case HandEnded(ending, winner, points, scores, opponent_cards):
            return ["ended", ending.value, winner, points, list(scores), format_cards(opponent_cards)]


def event_from_wire(data: Sequence[Any]) -> Event:
    """Return the event that `event_to_wire` gave. Raises ValueError when it is none."""
    match data:
        case ["hand", number, dealer, cards, upcard, [first, second]]:
            return HandStarted(number, dealer, parse_cards(cards), Card.parse(upcard), (first, second))
        case ["drew", seat, source, card]:
            return Drew(seat, Draw(source), None if card is None else Card.parse(card))
        case ["passed", seat]:
            return Passed(seat)
        case ["discarded", seat, card, knock]:
            return Discarded(seat, Card.parse(card), knock)
        case ["big-gin", seat]:
            return DeclaredBigGin(seat)
        case ["reshuffled", stock_size]:
            return Reshuffled(stock_size)
        case ["shown", seat, melds, deadwood]:
            return Shown(seat, _melds(melds), parse_cards(deadwood))
        case ["defended", seat, melds, laid, deadwood]:
            layoffs = tuple(LayOff(Card.parse(card), index) for card, index in laid)
            return Defended(seat, _melds(melds), layoffs, parse_cards(deadwood))
        case ["ended", ending, winner, points, [first, second], cards]:
            return HandEnded(HandEnding(ending), winner, points, (first, second), parse_cards(cards))
        case _:
            raise ValueError(f"{data!r} is not an event.")


def _texts(melds: Iterable[Meld]) -> list[str]:
    return [str(meld) for meld in melds]


def _melds(texts: Iterable[str]) -> tuple[Meld, ...]:
    return tuple(Meld.parse(text) for text in texts)
