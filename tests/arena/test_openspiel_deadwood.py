"""Deadwood against OpenSpiel's; in chunks, for parallel runs."""

import random

import pytest

from arena.cards import DECK, Card, mask_of
from arena.deadwood import deadwood_after_discard, least_deadwood
from tests.arena.openspiel import theirs, utils

CHUNKS = 8


def dealt(rng: random.Random, size: int) -> list[Card]:
    """A hand from the whole deck, or from neighbouring ranks, in which melds meet and compete."""
    span = rng.choice((13, 13, 9, 7, 5))
    low = rng.randint(0, 13 - span)
    return rng.sample([card for card in DECK if low < card.rank <= low + span], size)


@pytest.mark.parametrize("size", [10, 11])
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_least_deadwood_of_100000_hands(size: int, chunk: int) -> None:
    rng = random.Random(chunk)
    for _ in range(100_000 // CHUNKS):
        hand = dealt(rng, size)
        cards = theirs(hand)
        melded = utils.total_card_value(utils.best_meld_group(cards))
        assert least_deadwood(mask_of(hand)) == utils.total_card_value(cards) - melded, hand


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_deadwood_after_each_discard_of_8000_hands(chunk: int) -> None:
    rng = random.Random(chunk)
    for _ in range(8_000 // CHUNKS):
        hand = dealt(rng, 11)
        after = deadwood_after_discard(mask_of(hand))
        assert after == {card: utils.min_deadwood(theirs(other for other in hand if other != card)) for card in hand}
