import copy
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.cards import DECK, Card, cards_of, format_cards, mask_of, parse_cards

cards = st.sampled_from(DECK)


def test_ids_follow_suit_then_rank_in_the_order_clubs_hearts_spades_diamonds() -> None:
    assert [str(Card(i)) for i in (0, 12, 13, 26, 39, 51)] == ["Ac", "Kc", "Ah", "As", "Ad", "Kd"]
    assert (Card.parse("Ts").suit, Card.parse("Ts").rank, int(Card.parse("Ts"))) == (2, 10, 35)


@pytest.mark.parametrize(("text", "points"), [("Ac", 1), ("9d", 9), ("Th", 10), ("Js", 10), ("Qs", 10), ("Ks", 10)])
def test_deadwood_values(text: str, points: int) -> None:
    assert Card.parse(text).points == points


def test_the_deck_is_worth_340_points() -> None:
    assert sum(card.points for card in DECK) == 4 * (45 + 4 * 10)


def test_each_card_exists_once_and_survives_copying() -> None:
    for card in DECK:
        assert Card(int(card)) is card
        assert Card.parse(str(card)) is card
        assert pickle.loads(pickle.dumps(card)) is card
        assert copy.deepcopy(card) is card


def test_a_card_reads_like_a_card_and_is_always_true() -> None:
    ace = Card(0)
    assert (repr(ace), f"{ace}", f"{ace:>4}") == ("Card('Ac')", "Ac", "  Ac")
    assert ace
    assert len({*DECK}) == 52


@pytest.mark.parametrize("text", ["", "T", "ts", "TS", "10s", "1c", "Tx", " Ts", "Ts ", "T\u2660"])
def test_what_is_not_a_card_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a card: write a rank"):
        Card.parse(text)


@pytest.mark.parametrize("card_id", [-1, 52, 1.0, "5", None])
def test_what_is_not_an_id_is_refused(card_id: Any) -> None:
    with pytest.raises(ValueError, match="whole number from 0 to 51"):
        Card(card_id)


def test_hands_are_read_with_and_without_spaces() -> None:
    assert parse_cards("2c 3h") == parse_cards("2c3h") == (Card(1), Card(15))
    assert parse_cards("") == ()


def test_a_card_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="3h occurs twice"):
        parse_cards("3h2c3h")


@given(st.lists(cards, unique=True))
def test_text_and_mask_round_trip(hand: list[Card]) -> None:
    assert parse_cards(format_cards(hand)) == tuple(hand)
    assert cards_of(mask_of(hand)) == tuple(sorted(hand))


@given(st.integers(0, mask_of(DECK)))
def test_masks_round_trip(mask: int) -> None:
    assert mask_of(cards_of(mask)) == mask
    assert list(cards_of(mask)) == [card for card in DECK if mask & card.mask]
