"""Where OpenSpiel's gin rummy is another game than ours: each difference once, in both engines."""

import random

import pytest

from arena.actions import BEST_ARRANGE, BEST_DEFEND, KNOCKS, BrokenRule, Defend, Discard, Draw, IllegalAction
from arena.cards import DECK, Card, format_cards, parse_cards
from arena.events import HandEnding
from arena.legal import Phase
from tests.arena import tables
from tests.arena.openspiel import KNOCK, OURS, PASS, THEIRS, UPCARD, Twin, theirs, utils
from tests.arena.tables import stacked_deck


def twin(first: str, second: str = "", upcard: str = "", stock: str = "") -> Twin:
    return Twin(stacked_deck(first, second, upcard, stock))


def drawn_from_stock(first: str, second: str = "", stock: str = "") -> Twin:
    """Both passed; player 0 drew the first card of the stock."""
    pair = twin(first, second, "", stock)
    for draw in (Draw.PASS, Draw.PASS, Draw.STOCK):
        pair.apply(draw)
    return pair


def discard(text: str, *, knock: bool = False) -> Discard:
    return Discard(Card.parse(text), knock)


def test_a_tie_scores_nothing_there_and_is_an_undercut_here() -> None:
    pair = drawn_from_stock("As2s3s 4c5c6c 7d8d9d 5h", "9cTcJc TdJdQd KhKcKd 5s", "Ah")
    pair.apply(discard("Ah", knock=True))
    pair.hand.apply(BEST_ARRANGE)
    pair.hand.apply(BEST_DEFEND)
    pair.lay_out(tables.shown(pair.hand).melds)
    pair.lay_off([])
    pair.lay_out(tables.defence(pair.hand).arrangement.melds)
    assert pair.returns() == (0, 0)
    result = tables.result(pair.hand)
    assert (result.ending, result.winner, result.points) == (HandEnding.UNDERCUT, 1, 25)


def test_the_taken_upcard_may_be_discarded_there() -> None:
    pair = twin("", upcard="9d")
    pair.apply(Draw.UPCARD)
    nine = Card.parse("9d")
    assert THEIRS[nine] in pair.state.legal_actions()
    with pytest.raises(IllegalAction) as refused:
        pair.hand.apply(Discard(nine))
    assert refused.value.rule is BrokenRule.TAKEN


def test_there_giving_the_upcard_back_twice_in_a_row_ends_the_hand() -> None:
    pair = twin("", upcard="9d")
    for _ in range(2):
        assert not pair.state.is_terminal()
        pair.state.apply_action(UPCARD)
        pair.state.apply_action(THEIRS[Card.parse("9d")])
    assert pair.returns() == (0, 0)


def at_two_cards(second: str) -> Twin:
    """Each seat put back what it drew, until seat 0 left the king of spades on the pile and two cards in the stock."""
    pair = twin("Ks", second)
    for draw in (Draw.PASS, Draw.PASS):
        pair.apply(draw)
    while pair.hand.phase is not Phase.OVER:
        pair.apply(Draw.STOCK)
        last = pair.hand.stock_size == 2
        pair.apply(discard("Ks") if last else Discard(tables.drawn(pair.hand)))
    return pair


def test_at_two_stock_cards_the_next_player_still_moves_there() -> None:
    pair = at_two_cards("As3s5s 7h9hJh 2d4d6d8d")
    assert tables.result(pair.hand).ending is HandEnding.VOID_STOCK
    assert (pair.state.current_player(), pair.state.stock_size()) == (1, 2)
    assert pair.state.legal_actions() == [PASS]
    pair.state.apply_action(PASS)
    assert pair.returns() == (0, 0)


def test_at_two_stock_cards_a_knock_there_takes_the_upcard() -> None:
    pair = at_two_cards("As2s3s 4h5h6h 9c9d9h 2d")
    assert tables.result(pair.hand).ending is HandEnding.VOID_STOCK
    assert pair.state.legal_actions() == [PASS, KNOCK]
    pair.state.apply_action(KNOCK)
    assert THEIRS[Card.parse("Ks")] in pair.state.hands()[1]


ELEVEN = "2d 3c 3h 4d 4h 5c 5d 5h 6d 6h 6s"


def test_a_knock_is_judged_on_one_arrangement_of_eleven_cards_there() -> None:
    *ten, last = parse_cards(ELEVEN)
    pair = drawn_from_stock(format_cards(ten), stock=str(last))
    assert pair.state.deadwood()[0] == 12
    assert KNOCK not in pair.state.legal_actions()
    knocks = tables.knocks(pair.hand)
    assert KNOCKS[Card.parse("6s")] in knocks
    # Their own count of the ten cards that are left agrees with ours.
    assert utils.min_deadwood(theirs(card for card in parse_cards(ELEVEN) if str(card) != "6s")) == 10


def test_layoffs_reach_two_cards_beyond_a_run_there_and_any_number_here() -> None:
    pair = drawn_from_stock("3s4s5s 9c9d9h AcAdAh 2h", "6s7s8s KdKhJc Qd 7c 4d 2c", "Th")
    pair.apply(discard("Th", knock=True))
    pair.hand.apply(BEST_ARRANGE)
    pair.hand.apply(Defend(melds=()))
    pair.lay_out(tables.shown(pair.hand).melds)
    chain = parse_cards("6s7s8s")
    for card in chain[:2]:
        assert THEIRS[card] in pair.state.legal_actions()
        pair.state.apply_action(THEIRS[card])
    assert pair.state.legal_actions() == [PASS]
    assert [layoff.card for layoff in tables.defence(pair.hand).layoffs] == list(chain)


def test_the_fiftieth_upcard_ends_the_hand_there() -> None:
    pair, rng = twin("", upcard="9d"), random.Random(1)
    pair.apply(Draw.UPCARD)
    draws = 0
    while not pair.state.is_terminal():
        held = [action for action in pair.hand.legal_actions() if isinstance(action, Discard) and not action.knock]
        pair.apply(rng.choice(held))
        pair.apply(Draw.UPCARD)
        draws += 1
    assert (draws, pair.returns()) == (50, (0, 0))  # the first upcard, taken when it was offered, is not counted
    assert pair.hand.phase is Phase.DISCARD  # here the cap is 200 turns


def test_melds_there_have_five_cards_at_most() -> None:
    assert max(len(cards) for cards in utils.int_to_meld.values()) == 5
    run = parse_cards("Ac2c3c4c5c6c7c8c9cTc")
    assert utils.min_deadwood(theirs(run)) == 0  # a longer run is two melds


def test_the_notations_name_the_same_cards() -> None:
    assert [utils.card_string(THEIRS[card]) for card in DECK] == [str(card) for card in DECK]
    assert all(OURS[THEIRS[card]] is card for card in DECK)
