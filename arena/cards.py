"""Cards, their notation, and sets of cards as 52-bit masks.

A card's id is ``suit * 13 + rank - 1`` with the suits in the order clubs, hearts, spades, diamonds and the ace low;
bit ``id`` of a mask stands for that card, so thirteen bits of a mask are one suit in order of rank.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import SupportsIndex

RANKS = "A23456789TJQK"
"""The letters of the ranks, lowest first."""
SUITS = "chsd"
"""The letters of the suits in the order of the card ids: clubs, hearts, spades, diamonds."""
RANK_POINTS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)
"""Deadwood points by rank - 1: ace 1, court cards 10, others their number."""
SUIT_MASK = (1 << 13) - 1
"""The thirteen bits of one suit."""
CLUBS, HEARTS, SPADES, DIAMONDS = (SUIT_MASK << 13 * suit for suit in range(4))
"""The cards of each suit as 52-bit masks."""
RANK_MASKS = tuple((1 | 1 << 13 | 1 << 26 | 1 << 39) << rank for rank in range(13))
"""The four cards of each rank as 52-bit masks, by rank - 1."""


class Card(int):
    """One of the 52 cards: an int (its id, 0..51) that reads like a card. There is one instance of each.

    Every card is true, the ace of clubs (id 0) too, so ``if view.upcard:`` asks whether there is one.
    """

    __slots__ = ()

    def __new__(cls, card_id: SupportsIndex) -> Card:
        """Return the card with that id. Raises ValueError when it is not a whole number from 0 to 51."""
        try:
            return _CARDS[_checked(card_id.__index__())]
        except AttributeError:
            raise ValueError(f"A card id is a whole number from 0 to 51, not {card_id!r}.") from None

    @classmethod
    def parse(cls, text: str) -> Card:
        """Return the card written as rank then suit, such as ``"Ts"`` or ``"2c"``.

        Raises ValueError when the text is anything else.
        """
        card = _BY_TEXT.get(text)
        if card is None:
            raise ValueError(
                f"{text!r:.40} is not a card: write a rank of {RANKS} and a suit of {SUITS}, such as 'Ts'."
            )
        return card

    @property
    def rank(self) -> int:
        """1 for the ace to 13 for the king."""
        return int(self) % 13 + 1

    @property
    def suit(self) -> int:
        """0 clubs, 1 hearts, 2 spades, 3 diamonds."""
        return int(self) // 13

    @property
    def points(self) -> int:
        """The card's deadwood: 1 to 10."""
        return RANK_POINTS[int(self) % 13]

    @property
    def mask(self) -> int:
        """The card's bit in a 52-bit mask."""
        return 1 << int(self)

    def __bool__(self) -> bool:
        return True

    def __str__(self) -> str:
        return _TEXTS[int(self)]

    def __format__(self, spec: str) -> str:
        return format(_TEXTS[int(self)], spec)

    def __repr__(self) -> str:
        return f"Card({_TEXTS[int(self)]!r})"

    def __reduce__(self) -> tuple[type[Card], tuple[int]]:
        return Card, (int(self),)


def _checked(card_id: int) -> int:
    if not 0 <= card_id < 52:
        raise ValueError(f"A card id is a whole number from 0 to 51, not {card_id}.")
    return card_id


_CARDS: tuple[Card, ...] = tuple(int.__new__(Card, card_id) for card_id in range(52))
_TEXTS = tuple(rank + suit for suit in SUITS for rank in RANKS)
_BY_TEXT = dict(zip(_TEXTS, _CARDS, strict=True))

DECK = _CARDS
"""The 52 cards in the order of their ids."""


def parse_cards(text: str) -> tuple[Card, ...]:
    """Return the cards of a text such as ``"2c 3h"`` or ``"2c3h"``, in its order.

    Raises ValueError when a pair of letters is not a card or a card occurs twice.
    """
    try:
        cards = tuple([_BY_TEXT[text[i : i + 2]] for i in range(0, len(text), 2)])
    except KeyError:
        letters = "".join(text.split())
        # Where a pair is no card, this says what is wrong.
        cards = tuple([Card.parse(letters[i : i + 2]) for i in range(0, len(letters), 2)])
    if len(set(cards)) != len(cards):
        twice = next(card for i, card in enumerate(cards) if card in cards[:i])
        raise ValueError(f"{twice} occurs twice in {text!r:.60}: a deck holds each card once.")
    return cards


def format_cards(cards: Iterable[Card]) -> str:
    """Return the cards as one word, such as ``"2c3h"``, in the order given."""
    return "".join([_TEXTS[card] for card in cards])


def mask_of(cards: Iterable[Card]) -> int:
    """Return the 52-bit mask of the cards."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


class _OfSuit(dict[int, tuple[Card, ...]]):
    """The cards of one suit, by their 52-bit mask; a suit's masks are few enough to remember."""

    def __missing__(self, mask: int) -> tuple[Card, ...]:
        cards, left = [], mask
        while left:
            bit = left & -left
            cards.append(_CARDS[bit.bit_length() - 1])
            left ^= bit
        self[mask] = result = tuple(cards)
        return result


_OF_SUIT = _OfSuit()


def cards_of(mask: int) -> tuple[Card, ...]:
    """Return the cards of a 52-bit mask in ascending order of their ids."""
    return _OF_SUIT[mask & CLUBS] + _OF_SUIT[mask & HEARTS] + _OF_SUIT[mask & SPADES] + _OF_SUIT[mask & DIAMONDS]
