"""A recorded game as the steps of a replay: after every action, everything that lies on the table and in both hands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from arena.actions import Action, Arrange, BigGin, Defend, Discard, Draw
from arena.cards import DECK, Card, cards_of
from arena.events import HandEnding
from arena.game import Game
from arena.hand import Hand
from arena.legal import Phase
from arena.melds import Meld, best_arrangement
from arena.record import GameRecord
from arena.showdown import HandResult

SUIT_SYMBOLS = "♣♥♠♦"
"""By suit number."""
_TEXT_OF = {card: str(card) for card in DECK}.__getitem__


@dataclass(frozen=True, slots=True)
class SeatStep:
    """One seat's hand at a step."""

    cards: tuple[Card, ...]
    """Ascending."""
    melds: tuple[Meld, ...]
    """What the knocker showed, once it did; before, and for the other seat, the best arrangement."""
    deadwood: tuple[Card, ...]
    points: int
    """The deadwood's points."""
    known: tuple[Card, ...]
    """Those that the other seat knows of: taken from the pile and kept, or shown. Ascending."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON values, cards as texts."""
        return {
            "cards": _texts(self.cards),
            "melds": [_texts(meld.cards) for meld in self.melds],
            "deadwood": _texts(self.deadwood),
            "points": self.points,
            "known": _texts(self.known),
        }


@dataclass(frozen=True, slots=True)
class Showdown:
    """How a hand ended; without a knocker when it was void."""

    ending: HandEnding
    winner: int | None
    points: int
    knocker: int | None
    knocker_melds: tuple[Meld, ...]
    knocker_deadwood: tuple[Card, ...]
    knocker_points: int
    defender_melds: tuple[Meld, ...]
    layoffs: tuple[tuple[Card, int], ...]
    """Each card with the index of the knocker's meld that it extends."""
    defender_deadwood: tuple[Card, ...]
    defender_points: int
    words: str
    """The ending with the winner as its subject, such as "scores 12 with a knock"; a sentence when nobody scores."""

    @classmethod
    def of(cls, result: HandResult) -> Showdown:
        """The showdown of a hand's result."""
        shown, defence = result.knocker_arrangement, result.defence
        held = defence.arrangement if defence else None
        return cls(
            ending=result.ending,
            winner=result.winner,
            points=result.points,
            knocker=result.knocker,
            knocker_melds=shown.melds if shown else (),
            knocker_deadwood=shown.deadwood if shown else (),
            knocker_points=shown.points if shown else 0,
            defender_melds=held.melds if held else (),
            layoffs=tuple((layoff.card, layoff.meld_index) for layoff in defence.layoffs) if defence else (),
            defender_deadwood=held.deadwood if held else (),
            defender_points=held.points if held else 0,
            words=_ending_words(result),
        )

    def to_dict(self) -> dict[str, Any]:
        """As JSON values, cards as texts."""
        return {
            "ending": self.ending.value,
            "winner": self.winner,
            "points": self.points,
            "knocker": self.knocker,
            "knocker_melds": [_texts(meld.cards) for meld in self.knocker_melds],
            "knocker_deadwood": _texts(self.knocker_deadwood),
            "knocker_points": self.knocker_points,
            "defender_melds": [_texts(meld.cards) for meld in self.defender_melds],
            "layoffs": [[str(card), meld] for card, meld in self.layoffs],
            "defender_deadwood": _texts(self.defender_deadwood),
            "defender_points": self.defender_points,
            "words": self.words,
        }


@dataclass(frozen=True, slots=True)
class Step:
    """The state after one action, after a deal, or at a fault."""

    number: int
    """From 0 within the game."""
    hand: int
    """The hand's number, from 1."""
    kind: str
    """deal, draw, pass, discard, knock, big-gin, show, defend or fault."""
    actor: int
    """The seat that acted."""
    words: str
    """What the actor did, without its name, such as "draws 5♥ from the stock"."""
    card: Card | None
    """The card drawn, discarded or, at a deal, turned up."""
    is_secret: bool
    """Whether the seat that did not act cannot know the card: it came from the stock."""
    seconds: float | None
    """About how long the action took; None for what no bot decided."""
    seats: tuple[SeatStep, SeatStep]
    discard_pile: tuple[Card, ...]
    """Bottom first."""
    stock_size: int
    stock: tuple[Card, ...] | None
    """The stock, next card first, where it was just dealt or reshuffled; from there on it loses its first cards."""
    dealer: int
    turn: int | None
    """The seat to act next; None when the hand is over."""
    decision: Phase | None
    """What that seat must decide now."""
    scores: tuple[int, int]
    """With this hand's points once it is over; after the last hand the final scores."""
    showdown: Showdown | None = None
    """At the step that ends the hand."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON values, cards as texts."""
        return {
            "number": self.number,
            "hand": self.hand,
            "kind": self.kind,
            "actor": self.actor,
            "words": self.words,
            "card": None if self.card is None else str(self.card),
            "is_secret": self.is_secret,
            "seconds": self.seconds,
            "seats": [seat.to_dict() for seat in self.seats],
            "discard_pile": _texts(self.discard_pile),
            "stock_size": self.stock_size,
            "stock": None if self.stock is None else _texts(self.stock),
            "dealer": self.dealer,
            "turn": self.turn,
            "decision": None if self.decision is None else self.decision.value,
            "scores": list(self.scores),
            "showdown": None if self.showdown is None else self.showdown.to_dict(),
        }


def steps(record: GameRecord) -> Iterator[Step]:
    """Every step of a game. Raises RecordError if the record does not replay."""
    # A list first: what is wrong may show only at the end.
    return iter([_step(move, number) for number, move in enumerate(_moves(record))])


def story(record: GameRecord) -> list[dict[str, Any]]:
    """Every step as JSON values, without what lies on the table: what happened, and less work. Raises RecordError."""
    return [
        {
            "hand": move.hand_number,
            "actor": move.actor,
            "words": move.words,
            "card": None if move.card is None else _TEXT_OF(move.card),
            "showdown": None if (showdown := move.showdown()) is None else showdown.to_dict(),
        }
        for move in _moves(record)
    ]


class _Move(NamedTuple):
    """What happened, and the state right after it; the state goes on with the next one."""

    game: Game
    hand: Hand
    hand_number: int
    kind: str
    actor: int
    words: str
    card: Card | None
    seconds: float | None

    def showdown(self) -> Showdown | None:
        """At the end of a hand."""
        result = self.hand.result
        return Showdown.of(result) if result is not None and self.kind != "fault" else None


def _moves(record: GameRecord) -> Iterator[_Move]:
    game = Game(record.rules, record.seed)
    hand, at, turn = game.hand, 0, game.hand.turn
    for action, seconds in record.play_in(game):
        if action is None:
            hand, at = game.hand, at + 1
            yield _Move(game, hand, at, "deal", hand.dealer, "deals", hand.first_upcard, None)
        else:
            drawn = hand.drawn if isinstance(action, Draw) else None
            kind, words = _describe(hand, action, drawn)
            card = action.card if isinstance(action, Discard) else drawn
            yield _Move(game, hand, at, kind, turn, words, card, seconds)
        turn = hand.turn
    for fault in record.faults:
        words = f"forfeits the game: {fault.message}"
        yield _Move(game, game.hand, game.hand_number, "fault", fault.seat, words, None, None)


def pretty(card: Card) -> str:
    """A card for people, such as "10♥"."""
    rank = str(card)[0]
    return ("10" if rank == "T" else rank) + SUIT_SYMBOLS[card.suit]


def _step(move: _Move, number: int) -> Step:
    game, hand, kind = move.game, move.hand, move.kind
    result = hand.result
    is_reshuffled = kind == "discard" and bool(hand.log[-1][-1])
    return Step(
        number=number,
        hand=move.hand_number,
        kind=kind,
        actor=move.actor,
        words=move.words,
        card=move.card,
        is_secret=kind == "draw" and hand.taken is None,
        seconds=move.seconds,
        seats=(_seat(hand, 0), _seat(hand, 1)),
        discard_pile=hand.discard_pile,
        stock_size=hand.stock_size,
        stock=hand.stock if kind == "deal" or is_reshuffled else None,
        dealer=hand.dealer,
        turn=hand.turn if result is None else None,
        decision=hand.phase if result is None and kind != "fault" else None,
        scores=game.totals if game.is_over else game.scores_after(move.hand_number - (result is None)),
        showdown=move.showdown(),
    )


def _seat(hand: Hand, seat: int) -> SeatStep:
    cards, shown = hand.cards(seat), hand.knocker_arrangement
    knocker = hand.result.knocker if hand.result else 1 - hand.turn
    held = best_arrangement(cards) if shown is None or seat != knocker else shown
    # Once a hand is won both lie open; when it is void nobody shows.
    is_open = hand.result is not None and not hand.result.ending.is_void
    known = cards if is_open else cards_of(hand.known_mask(seat))
    return SeatStep(cards, held.melds, held.deadwood, held.points, known)


def _describe(hand: Hand, action: Action, drawn: Card | None) -> tuple[str, str]:
    """The kind of a step and its words."""
    match action:
        case Draw.PASS:
            return "pass", "leaves the first upcard"
        case Draw():
            assert drawn is not None
            words = "takes {} from the discard pile" if action is Draw.UPCARD else "draws {} from the stock"
            return "draw", words.format(pretty(drawn))
        case Discard(card, knock):
            if knock:
                return "knock", f"knocks with {pretty(card)}"
            *_, stock_size = hand.log[-1]
            reshuffle = f"; the pile is shuffled under the stock, now of {stock_size} cards" if stock_size else ""
            return "discard", f"discards {pretty(card)}{reshuffle}"
        case BigGin():
            return "big-gin", "declares big gin"
        case Arrange():
            shown = hand.knocker_arrangement
            assert shown is not None
            return "show", f"shows {_melds(shown.melds)}" + (f", deadwood {shown.points}" if shown.points else ": gin")
        case Defend():
            defence = hand.result.defence if hand.result else None
            assert defence is not None
            laid = ", ".join(pretty(layoff.card) for layoff in defence.layoffs)
            words = f"shows {_melds(defence.arrangement.melds)}" + (f", lays off {laid}" if laid else "")
            return "defend", f"{words}, deadwood {defence.points}"


def _melds(melds: tuple[Meld, ...]) -> str:
    return " and ".join(" ".join(pretty(card) for card in meld.cards) for meld in melds) or "no meld"


def _ending_words(result: HandResult) -> str:
    points = result.points
    match result.ending:
        case HandEnding.VOID_STOCK:
            return "The stock has run out: the hand is void."
        case HandEnding.VOID_TURNS:
            return "Too many turns without a knock: the hand is void."
        case HandEnding.GIN:
            return f"scores {points} with gin"
        case HandEnding.BIG_GIN:
            return f"scores {points} with big gin"
        case HandEnding.UNDERCUT:
            return f"scores {points} by an undercut"
        case HandEnding.KNOCK:
            return f"scores {points} with a knock"


def _texts(cards: tuple[Card, ...]) -> list[str]:
    return list(map(_TEXT_OF, cards))
