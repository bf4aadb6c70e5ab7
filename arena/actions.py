"""What a seat may do, the short text of each action, and the error that refuses one."""

from __future__ import annotations

from enum import Enum, StrEnum

from arena.cards import DECK, Card
from arena.layoffs import LayOff
from arena.melds import Meld
from arena.value import Value


class Draw(Enum):
    """The first half of a turn, or the answer to the offer of the first upcard."""

    UPCARD = "upcard"
    """Take the top of the discard pile."""
    STOCK = "stock"
    """Take the top of the stock."""
    PASS = "pass"
    """Leave the first upcard (opening only)."""


class Discard(Value):
    """Put a card on the discard pile, and knock with what is left or play on."""

    card: Card
    knock: bool = False


class BigGin(Value):
    """Declare eleven melded cards without a discard, where the rule set knows big gin."""


class Arrange(Value):
    """The knocker's melds; None leaves the best choice to the arena."""

    melds: tuple[Meld, ...] | None = None


class Defend(Value):
    """The defender's melds and layoffs; None leaves the best choice, given the other, to the arena."""

    melds: tuple[Meld, ...] | None = None
    layoffs: tuple[LayOff, ...] | None = None


Action = Draw | Discard | BigGin | Arrange | Defend

DISCARDS: tuple[Discard, ...] = tuple(Discard(card) for card in DECK)
"""The plain discard of each card, by card id."""
KNOCKS: tuple[Discard, ...] = tuple(Discard(card, knock=True) for card in DECK)
"""The discard with a knock of each card, by card id."""
BIG_GIN = BigGin()
BEST_ARRANGE = Arrange()
"""The arena chooses what the knocker shows."""
BEST_DEFEND = Defend()
"""The arena chooses the defender's melds and layoffs."""


class BrokenRule(StrEnum):
    """The short name of the rule that an illegal action breaks."""

    OVER = "over"
    """The hand or the game is over."""
    PHASE = "phase"
    """This kind of action is not what the hand waits for."""
    PASS = "pass"
    """Only the offer of the first upcard may be passed."""
    STOCK = "stock"
    """An offer is answered by taking the upcard or passing; or both passed and the stock must be drawn from."""
    HOLDING = "holding"
    """The card is not in the seat's hand."""
    TAKEN = "taken"
    """The card taken from the discard pile may not be discarded in the same turn."""
    KNOCK = "knock"
    """A knock needs deadwood of at most the knock limit."""
    BIG_GIN = "big-gin"
    """Big gin needs a rule set that knows it and eleven melded cards."""
    MELD = "meld"
    """A meld is a set or a run of cards in the hand, and a card belongs to one meld."""
    LAYOFF = "layoff"
    """A layoff extends one of the knocker's melds with an unmelded card of the defender."""


class IllegalAction(ValueError):  # noqa: N818 - the field's term
    """An action the rules refuse; the hand is as it was before.

    `rule` is the short name of the rule, the text a sentence for the bot's author.
    """

    def __init__(self, rule: BrokenRule, sentence: str) -> None:
        super().__init__(sentence)
        self.rule = rule


_DRAW_LETTERS = {Draw.UPCARD: "u", Draw.STOCK: "s", Draw.PASS: "p"}
_LETTER_DRAWS = {letter: draw for draw, letter in _DRAW_LETTERS.items()}


def format_action(action: Action) -> str:
    """Return the action as a short word without spaces; `parse_action` reads it back.

    ``u s p`` draw or pass; ``5h`` discards and ``5h!`` knocks; ``big``; ``a`` and ``d`` leave the showdown to the
    arena; ``a=3s4s5s,7c7h7d`` shows melds (``a=`` none); ``d=<melds>/<layoffs>`` with ``6s:0`` a layoff on meld 0,
    and ``*`` for the half left to the arena.
    """
    match action:
        case Draw():
            return _DRAW_LETTERS[action]
        case Discard(card, knock):
            return f"{card}!" if knock else str(card)
        case BigGin():
            return "big"
        case Arrange(melds):
            return "a" if melds is None else "a=" + ",".join(map(str, melds))
        case Defend(None, None):
            return "d"
        case Defend(melds, layoffs):
            shown = "*" if melds is None else ",".join(map(str, melds))
            laid = "*" if layoffs is None else ",".join(f"{x.card}:{x.meld_index}" for x in layoffs)
            return f"d={shown}/{laid}"


def parse_action(text: str) -> Action:
    """Return the action of a word of `format_action`.

    Raises ValueError when the text is not an action, or writes one in another way than `format_action` does.
    """
    action = _parse(text)
    if format_action(action) != text:
        raise ValueError(f"{text!r:.60} is not how an action is written: {format_action(action)!r:.60} is.")
    return action


def _parse(text: str) -> Action:
    if text in _LETTER_DRAWS:
        return _LETTER_DRAWS[text]
    if text == "big":
        return BIG_GIN
    if text == "a":
        return BEST_ARRANGE
    if text == "d":
        return BEST_DEFEND
    head, equals, body = text.partition("=")
    if equals and head == "a":
        return Arrange(_parse_melds(body))
    if equals and head == "d":
        shown, slash, laid = body.partition("/")
        if slash:
            return Defend(
                None if shown == "*" else _parse_melds(shown),
                None if laid == "*" else tuple(_parse_layoff(part) for part in laid.split(",") if part),
            )
    if len(text) == 2:
        return DISCARDS[Card.parse(text)]
    if len(text) == 3 and text[2] == "!":
        return KNOCKS[Card.parse(text[:2])]
    raise ValueError(
        f"{text[:40]!r} is not an action: it is a draw (u, s, p), a discard such as 5h or 5h!, or a showdown."
    )


def _parse_melds(text: str) -> tuple[Meld, ...]:
    return tuple(Meld.parse(part) for part in text.split(",") if part)


def _parse_layoff(text: str) -> LayOff:
    card, _, index = text.partition(":")
    if not (index.isascii() and index.isdigit() and len(index) <= 2):
        raise ValueError(f"{text[:40]!r} is not a layoff: it is a card and the index of a meld, such as 6s:0.")
    return LayOff(Card.parse(card), int(index))
