"""The inner loop: it plays as the hand that stands on it, and what it finds fast is what exhaustive search finds."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.actions import BEST_ARRANGE, BEST_DEFEND, Discard, IllegalAction
from arena.cards import DECK, Card, format_cards, mask_of, parse_cards
from arena.deadwood import best_discard, suits_of
from arena.events import HandEnding
from arena.hand import Hand
from arena.legal import Phase
from arena.position import BIG_GIN, KNOCK, PASS, STOCK, UPCARD, Position
from arena.rules import CLASSIC, RULE_SETS, Rules
from arena.showdown import outcome
from tests.arena import brute_force as brute
from tests.arena.tables import after_passes, stacked_deck

LENIENT = Rules("lenient", may_discard_taken=True)


def crowded_deck(rng: random.Random) -> list[Card]:
    """A deck whose dealt cards come from neighbouring ranks, so that knocks and layoffs abound."""
    low = rng.randint(0, 6)
    front = [card for card in DECK if low < card.rank <= low + 7]
    rng.shuffle(front)
    return front + [card for card in DECK if card not in front]


@pytest.mark.parametrize("rules", [*RULE_SETS.values(), LENIENT], ids=lambda rules: rules.name)
def test_a_position_plays_as_the_hand_that_stands_on_it(rules: Rules) -> None:
    rng, endings = random.Random(3), set()
    for _ in range(150):
        deck, dealer = crowded_deck(rng), rng.randint(0, 1)
        hand, position = Hand(rules, deck, dealer), Position(rules, deck, dealer)
        while moves := position.moves():
            actions = hand.legal_actions()
            chosen = rng.randrange(len(moves))
            if rng.random() < 0.8:  # a random walk seldom knocks
                chosen = max(range(len(moves)), key=lambda i: (moves[i] >= KNOCK, rng.random()))
            hand.apply(actions[chosen])
            position.play(moves[chosen])
            assert [hand.mask(seat) for seat in (0, 1)] == [position.mask(seat) for seat in (0, 1)]
            assert (hand.turn, hand.phase, hand.turns) == (position.turn, position.phase, position.turns)
        for action in (BEST_ARRANGE, BEST_DEFEND):
            if hand.result is None:
                hand.apply(action)
        assert hand.result is not None
        assert outcome(position) == (hand.result.ending, hand.result.winner, hand.result.points)
        endings.add(hand.result.ending)
    assert HandEnding.GIN in endings
    assert HandEnding.KNOCK in endings or rules.knock_limit == 0


def test_the_numbers_of_moves() -> None:
    position = Position(CLASSIC, stacked_deck("Ac2c3c 4h5h6h 9s9d9c 2d", "", upcard="Kd", stock="3d"), 1)
    assert position.moves() == (UPCARD, PASS)
    position.play(PASS)
    position.play(PASS)
    assert position.moves() == (STOCK,)
    position.play(STOCK)
    held = parse_cards("Ac2c3c 4h5h6h 9s9d9c 2d 3d")
    word = brute.texts(format_cards(held))
    knocks = [KNOCK + card for card in held if brute.least(word - {str(card)}) <= 10]
    assert position.moves() == sorted([*held, *knocks])
    position.play(KNOCK + Card.parse("3d"))
    assert (position.phase, position.moves(), position.turn) == (Phase.ARRANGE, (), 0)


@pytest.mark.parametrize("move", [-1, BIG_GIN + 1, 1000])
def test_what_is_no_number_of_a_move_is_refused(move: int) -> None:
    with pytest.raises(ValueError, match="A move is a number from 0 to 107"):
        Position(CLASSIC, DECK, 0).play(move)


def test_play_is_scored_when_it_is_over() -> None:
    with pytest.raises(ValueError, match="still has legal moves"):
        outcome(Position(CLASSIC, DECK, 0))


def test_a_card_number_out_of_the_deck_is_no_discard() -> None:
    hand = after_passes("Ac2c3c")
    for card in (-1, 52, 99):
        with pytest.raises(IllegalAction):
            hand.apply(Discard(card))  # type: ignore[arg-type]


def test_a_taken_card_that_is_given_back_is_no_longer_known() -> None:
    position = Position(CLASSIC, stacked_deck("", "", upcard="9d"), 1)
    nine = Card.parse("9d")
    position.play(UPCARD)
    assert position.known_mask(0) == mask_of([nine])
    position.play(position.held[0][0])
    position.play(STOCK)
    position.play(position.held[1][0])
    position.play(STOCK)
    position.play(nine)
    assert position.known_mask(0) == 0


@settings(max_examples=60)
@given(st.randoms(use_true_random=False), st.integers(4, 13), st.booleans())
def test_the_best_discard_is_what_exhaustive_search_finds(rng: random.Random, span: int, keeps: bool) -> None:
    low = rng.randint(0, 13 - span)
    cards = rng.sample([card for card in DECK if low < card.rank <= low + span], 11)
    keep = cards[0] if keeps else None
    points, best = best_discard(suits_of(mask_of(cards)), keep)
    word = brute.texts(format_cards(cards))
    after = {card: brute.least(word - {str(card)}) for card in cards if card != keep}
    assert points == min(after.values()) == after[DECK[best]]


def test_eleven_melded_cards_lose_one_that_no_meld_needs() -> None:
    suits = suits_of(mask_of(parse_cards("As2s3s4s 5s5c5d 9hThJhQh")))
    points, best = best_discard(suits)
    assert (points, str(DECK[best])) in {(0, card) for card in ("As", "4s", "9h", "Qh")}
    assert best_discard(suits_of(mask_of(parse_cards("As2s3s"))), Card.parse("3s"))[0] == 4
