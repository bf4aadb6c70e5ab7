"""Runs bots written for the callback interface of the EAAI-21 Gin Rummy challenge, unchanged.

Put their modules into a zip, or a folder, beside a bot.py of two lines:

    import arena.compat, their_module
    Bot = arena.compat.wrap(their_module.TheirPlayer)

Such a player has the methods startGame, willDrawFaceUpCard, reportDraw, getDiscard, reportDiscard, getFinalMelds,
reportFinalMelds, reportScores, reportLayoff and reportFinalHand, and they are called in the same order as in the
challenge. Cards have the ids 0 to 51, suit * 13 + rank, the suits in the order C H S D, the ace with rank 0.

What differs from the challenge is what the arena's rules say: layoffs are the best for the player's own melds, not made
greedily; the other hand is not shown after a void hand; and where a rule set wants less deadwood for a knock than the
challenge's ten, a knock that it does not allow is a discard.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import ModuleType
from typing import Any, ClassVar

from arena.actions import Discard, Draw
from arena.bot import Bot, GameStart
from arena.cards import DECK
from arena.cards import Card as ArenaCard
from arena.events import Defended, Discarded, Drew, Event, HandEnded, HandStarted, Shown
from arena.legal import Phase
from arena.melds import Meld, best_arrangement
from arena.view import View

MAX_DEADWOOD = 10
"""Of a knock in the challenge."""
_RANKS, _SUITS = "A23456789TJQK", "CHSD"


class Card(int):
    """A card for players that bring none of their own: its id and an object at once, and only one of each exists."""

    rank: int
    """0 for the ace to 12 for the king."""
    suit: int
    """0 to 3: clubs, hearts, spades, diamonds."""

    def getId(self) -> int:  # noqa: N802 - the challenge's name
        """The id, 0 to 51."""
        return int(self)

    def getRank(self) -> int:  # noqa: N802 - the challenge's name
        """`rank`."""
        return self.rank

    def getSuit(self) -> int:  # noqa: N802 - the challenge's name
        """`suit`."""
        return self.suit

    def isRed(self) -> bool:  # noqa: N802 - the challenge's name
        """Whether it is a heart or a diamond."""
        return self.suit % 2 == 1

    def __str__(self) -> str:
        return _RANKS[self.rank] + _SUITS[self.suit]

    __repr__ = __str__

    def __reduce__(self) -> tuple[Any, ...]:
        return _card, (int(self),)  # a copy is the card itself


def _new_card(card_id: int) -> Card:
    card = Card(card_id)
    card.suit, card.rank = divmod(card_id, 13)
    return card


CARDS = tuple(_new_card(card_id) for card_id in range(52))
"""By their ids."""


def _card(card_id: int) -> Card:
    return CARDS[card_id]


class CallbackBot(Bot):
    """A bot that asks a player of the challenge. `wrap` makes its subclasses."""

    make_player: ClassVar[Callable[[], Any]]
    cards: ClassVar[Sequence[Any]]
    """The player's card objects, by their ids."""

    def __init__(self) -> None:
        self._player = type(self).make_player()
        self._seat = 0
        self._held: set[ArenaCard] = set()
        self._melds: tuple[Meld, ...] = ()
        self._went_gin = False

    def start_game(self, start: GameStart) -> None:
        """Seed Python's own randomness, which these players use, so that a game can be played again."""
        self._seat = start.seat
        random.seed(start.seed)

    def start_hand(self, start: HandStarted) -> None:
        """A game of the challenge is what the arena calls a hand; the same player object plays them all."""
        self._held = set(start.cards)
        self._went_gin = False
        self._player.startGame(self._seat, 1 - start.dealer, self._theirs(start.cards))

    def choose_draw(self, view: View) -> Draw:
        """Ask about the upcard, if there is a choice."""
        otherwise = Draw.PASS if Draw.PASS in view.legal else Draw.STOCK
        if view.upcard is None or Draw.UPCARD not in view.legal:
            return otherwise
        return Draw.UPCARD if self._player.willDrawFaceUpCard(self.cards[view.upcard]) else otherwise

    def choose_discard(self, view: View) -> Discard:
        """Ask for the discard, report it, and ask at once for melds: None means to play on."""
        card = _ours(self._player.getDiscard(), "getDiscard")
        if card not in view.legal_discards:
            return Discard(card)  # the referee says what is wrong with it
        self._player.reportDiscard(self._seat, self.cards[card])
        melds = self._player.getFinalMelds()
        if melds is None:
            return Discard(card)
        self._melds = _our_melds(melds)
        melded = {card for meld in self._melds for card in meld.cards}
        deadwood = sum(other.points for other in view.hand if other != card and other not in melded)
        return Discard(card, knock=not view.knock_limit < deadwood <= MAX_DEADWOOD)

    def arrange(self, view: View) -> Sequence[Meld] | None:
        """The knocker's melds are those it knocked with; the defender is asked for its own."""
        if view.decision is Phase.ARRANGE:
            return self._melds
        melds = self._player.getFinalMelds()
        return None if melds is None else _our_melds(melds)

    def observe(self, event: Event) -> None:
        """Report what both players are told. A player's own discard was reported when it was made."""
        match event:
            case Drew(seat, _, card):
                self._player.reportDraw(seat, None if card is None else self.cards[card])
                if seat == self._seat and card is not None:
                    self._held.add(card)
            case Discarded(seat, card):
                if seat == self._seat:
                    self._held.discard(card)
                else:
                    self._player.reportDiscard(seat, self.cards[card])
            case Shown(seat, melds, deadwood):
                self._shown = [self._theirs(meld.cards) for meld in melds]
                self._report_melds(seat, melds)
                self._went_gin = not deadwood and seat == self._seat
                if not deadwood and seat != self._seat:
                    self._player.getFinalMelds()  # as the challenge does, though nothing can be laid off
                    self._report_melds(self._seat, best_arrangement(self._held).melds)
            case Defended(seat, melds, layoffs):
                self._report_melds(seat, melds)
                for layoff in layoffs:
                    meld = self._shown[layoff.meld_index]
                    self._player.reportLayoff(seat, self.cards[layoff.card], list(meld))
                    meld.append(self.cards[layoff.card])

    def end_hand(self, end: HandEnded) -> None:
        """Report what is left to report: the defender's melds after gin, the hands, the scores."""
        if self._went_gin:
            self._report_melds(1 - self._seat, best_arrangement(end.opponent_cards).melds)
        hands = {self._seat: sorted(self._held), 1 - self._seat: end.opponent_cards}
        for seat in (0, 1):
            if hands[seat]:
                self._player.reportFinalHand(seat, self._theirs(hands[seat]))
        self._player.reportScores(list(end.scores))

    def _theirs(self, cards: Iterable[ArenaCard]) -> list[Any]:
        """A list of the player's own card objects, which it may keep and change."""
        return [self.cards[card] for card in cards]

    def _report_melds(self, seat: int, melds: Iterable[Meld]) -> None:
        self._player.reportFinalMelds(seat, [self._theirs(meld.cards) for meld in melds])


def wrap(player: Callable[[], Any], *, cards: Sequence[Any] | None = None) -> type[Bot]:
    """A bot class that plays as a player of the challenge does.

    `player` is its class, or whatever gives a new one when it is called. `cards` are its 52 card objects by their ids.
    If they are not given, a list or tuple of them is looked for in the player's modules and their classes, where the
    challenge's own cards are kept (`Card.allCards`), so that cards may be compared by identity; a player without one
    gets cards that are ids and objects at once. Raises ValueError when `cards` are not 52 cards in order.
    """
    if cards is not None and not _is_deck(cards):
        raise ValueError("The cards to wrap a player with are its 52 card objects in the order of their ids.")
    name = getattr(player, "__name__", "Player")
    fields = {
        "__module__": sys._getframe(1).f_globals["__name__"],  # noqa: SLF001 - the loader wants bots of the upload's own
        "__doc__": getattr(player, "__doc__", None),
        "make_player": staticmethod(player),
        "cards": tuple(cards if cards is not None else _find_deck(player) or CARDS),
    }
    return type(name if name.isidentifier() else "Player", (CallbackBot,), fields)


def _find_deck(player: Callable[[], Any]) -> Sequence[Any] | None:
    """The table of cards in the modules that the player can see, the standard library left out."""
    kinds = player.__mro__ if isinstance(player, type) else (player,)
    waiting = [kind.__module__ for kind in kinds]
    seen = set()
    while waiting:
        name = waiting.pop(0)
        module = sys.modules.get(name)
        if module is None or name in seen or name.partition(".")[0] in sys.stdlib_module_names | {"arena"}:
            continue
        seen.add(name)
        for value in _members(module):
            if _is_deck(value):
                return value  # type: ignore[no-any-return]
            found = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
            if isinstance(found, str):
                waiting.append(found)
    return None


def _members(module: ModuleType) -> Iterator[Any]:
    """What a module and its classes hold."""
    for value in list(vars(module).values()):
        yield value
        if isinstance(value, type):
            yield from list(vars(value).values())


def _is_deck(value: object) -> bool:
    """Whether these are 52 card objects in the order of their ids; plain numbers are none."""
    if not isinstance(value, list | tuple) or len(value) != 52:
        return False
    return all(not isinstance(card, int) and _id_of(card) == place for place, card in enumerate(value))


def _id_of(card: Any) -> int | None:
    """The id of what may be a card, in any of the forms that players use."""
    try:
        if callable(get_id := getattr(card, "getId", None)):
            found = get_id()
        elif hasattr(card, "rank") and hasattr(card, "suit"):
            found = card.suit * 13 + card.rank
        else:
            found = card
    except TypeError:  # a class and not a card, or ranks that are words
        return None
    return int(found) if isinstance(found, int) and not isinstance(found, bool) else None


def _ours(card: Any, method: str) -> ArenaCard:
    """The arena's card. Raises TypeError when it is none."""
    card_id = _id_of(card)
    if card_id is None or not 0 <= card_id < 52:
        raise TypeError(f"{method} must give cards (ids from 0 to 51, or objects with getId); it gave {card!r:.80}.")
    return DECK[card_id]


def _our_melds(melds: Iterable[Iterable[Any]]) -> tuple[Meld, ...]:
    """The arena's melds. Raises TypeError or ValueError when they are none."""
    lists = [[_ours(card, "getFinalMelds") for card in meld] for meld in melds]
    return tuple(Meld.of(cards) for cards in lists if cards)
