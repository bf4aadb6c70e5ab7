"""Shuffling that anybody can repeat: the order of some cards as a function of bytes."""

from __future__ import annotations

from hashlib import shake_256
from struct import unpack
from typing import TYPE_CHECKING, TypeVar

from arena.cards import DECK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.cards import Card

T = TypeVar("T", bound="int")


def shuffled(cards: Sequence[T], seed: bytes) -> tuple[T, ...]:
    """Return the cards in an order that follows from the seed.

    SHAKE-256 of the seed gives a number of eight bytes, big end first, for each card in turn; the cards are sorted by
    their numbers.
    """
    numbers = unpack(f">{len(cards)}Q", shake_256(seed).digest(8 * len(cards)))
    number_of = dict(zip(cards, numbers, strict=True))
    return tuple(sorted(cards, key=number_of.__getitem__))


def deal(seed: bytes, hand_index: int) -> tuple[Card, ...]:
    """Return the deck of a game's hand (from 0), the first card to deal first.

    It is the 52 cards in the order of their ids, shuffled by the seed followed by the index as four bytes, big end
    first.
    """
    return shuffled(DECK, seed + hand_index.to_bytes(4, "big"))
