"""One deal: the numbered cases of the rules, every refusal, and properties over random play."""

import copy
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.actions import (
    BEST_ARRANGE,
    BEST_DEFEND,
    BIG_GIN,
    DISCARDS,
    KNOCKS,
    Action,
    Arrange,
    BrokenRule,
    Defend,
    Discard,
    Draw,
    IllegalAction,
)
from arena.cards import DECK, Card, format_cards, mask_of, parse_cards
from arena.events import HandEnding
from arena.hand import Hand
from arena.layoffs import LayOff
from arena.legal import Phase
from arena.melds import Meld
from arena.position import Position
from arena.rules import CLASSIC, RULE_SETS, Opening, Rules, StockEnd
from arena.showdown import HandResult
from tests.arena import brute_force as brute
from tests.arena import tables
from tests.arena.tables import after_passes, stacked_deck, stacked_hand

FREE = Rules("free", opening=Opening.FREE)
RESHUFFLE = Rules("reshuffle", stock_end=StockEnd.RESHUFFLE)
LENIENT = Rules("lenient", may_discard_taken=True)
ALL_RULES = [*RULE_SETS.values(), FREE, RESHUFFLE, LENIENT]


def card(text: str) -> Card:
    return Card.parse(text)


def melds(*words: str) -> tuple[Meld, ...]:
    return tuple(Meld.parse(word) for word in words)


def knocked(knocker: str, defender: str, drawn: str = "", rules: Rules = CLASSIC) -> Hand:
    """The knocker, seat 0, drew from the stock and discarded that card with a knock."""
    hand = after_passes(knocker, defender, drawn, rules)
    hand.apply(Discard(tables.drawn(hand), knock=True))
    return hand


def showdown(knocker: str, defender: str, rules: Rules = CLASSIC) -> HandResult:
    hand = knocked(knocker, defender, rules=rules)
    hand.apply(BEST_ARRANGE)
    if hand.phase is Phase.DEFEND:
        hand.apply(BEST_DEFEND)
    return tables.result(hand)


def refusal(hand: Hand, action: Action) -> BrokenRule:
    before = snapshot(hand)
    with pytest.raises(IllegalAction) as refused:
        hand.apply(action)
    assert snapshot(hand) == before
    assert str(refused.value).endswith(".")
    return refused.value.rule


def snapshot(hand: Hand) -> dict[str, Any]:
    state = {name: getattr(hand, name) for name in Hand.__slots__ if name != "position"}
    state |= {name: getattr(hand.position, name) for name in Position.__slots__}
    return {name: frozen(value) for name, value in state.items()}


def frozen(value: object) -> object:
    return tuple(map(frozen, value)) if isinstance(value, list) else value


# -- the deal and the opening -------------------------------------------------------------------------------------


@pytest.mark.parametrize("dealer", [0, 1])
def test_ten_cards_each_are_dealt_alternately_the_non_dealer_first(dealer: int) -> None:
    deck = tuple(reversed(DECK))
    hand = Hand(CLASSIC, deck, dealer)
    assert hand.cards(1 - dealer) == tuple(sorted(deck[0:20:2]))
    assert hand.cards(dealer) == tuple(sorted(deck[1:20:2]))
    assert (hand.upcard, hand.discard_pile, hand.stock) == (deck[20], (deck[20],), deck[21:])
    assert (hand.turn, hand.phase, hand.dealer) == (1 - dealer, Phase.OFFER, dealer)


@pytest.mark.parametrize("deck", [DECK[:51], DECK[:51] + DECK[:1], ()])
def test_a_deck_is_the_52_cards(deck: tuple[Card, ...]) -> None:
    with pytest.raises(ValueError, match="52 cards, each once"):
        Hand(CLASSIC, deck, 0)


def test_a_dealer_is_a_seat() -> None:
    with pytest.raises(ValueError, match="seat 0 or 1"):
        Hand(CLASSIC, DECK, 2)


def test_after_two_passes_the_non_dealer_draws_from_the_stock_and_the_upcard_stays() -> None:
    hand = stacked_hand("", upcard="9d", stock="4c")
    assert hand.legal_actions() == (Draw.UPCARD, Draw.PASS)
    hand.apply(Draw.PASS)
    assert (hand.turn, hand.legal_actions()) == (1, (Draw.UPCARD, Draw.PASS))
    hand.apply(Draw.PASS)
    assert (hand.turn, hand.legal_actions()) == (0, (Draw.STOCK,))
    assert refusal(hand, Draw.UPCARD) is BrokenRule.STOCK
    assert refusal(hand, Draw.PASS) is BrokenRule.PASS
    hand.apply(Draw.STOCK)
    assert (hand.drawn, hand.taken, hand.discard_pile) == (card("4c"), None, (card("9d"),))


def test_the_dealer_may_take_what_the_non_dealer_passed() -> None:
    hand = stacked_hand("", upcard="9d")
    hand.apply(Draw.PASS)
    hand.apply(Draw.UPCARD)
    assert (hand.turn, hand.taken, hand.discard_pile, hand.upcard) == (1, card("9d"), (), None)
    hand.apply(hand.legal_actions()[0])
    assert (hand.turn, hand.phase, hand.legal_actions()) == (0, Phase.DRAW, (Draw.UPCARD, Draw.STOCK))


def test_the_offer_is_not_answered_from_the_stock() -> None:
    assert refusal(stacked_hand(""), Draw.STOCK) is BrokenRule.STOCK


def test_with_a_free_opening_the_non_dealer_draws_at_once() -> None:
    hand = stacked_hand("", rules=FREE)
    assert (hand.phase, hand.legal_actions()) == (Phase.DRAW, (Draw.UPCARD, Draw.STOCK))
    assert refusal(hand, Draw.PASS) is BrokenRule.PASS


# -- the turn -----------------------------------------------------------------------------------------------------


def test_the_card_taken_from_the_pile_may_not_be_discarded_in_the_same_turn() -> None:
    hand = stacked_hand("", upcard="9d")
    hand.apply(Draw.UPCARD)
    assert refusal(hand, Discard(card("9d"))) is BrokenRule.TAKEN
    assert DISCARDS[card("9d")] not in hand.legal_actions()
    hand.apply(hand.legal_actions()[0])
    hand.apply(Draw.STOCK)
    hand.apply(Discard(tables.drawn(hand)))
    hand.apply(Draw.STOCK)
    hand.apply(Discard(card("9d")))  # in a later turn it may go
    assert hand.upcard == card("9d")


def test_where_the_rules_allow_it_the_taken_card_may_go_back() -> None:
    hand = stacked_hand("", upcard="9d", rules=LENIENT)
    hand.apply(Draw.UPCARD)
    hand.apply(Discard(card("9d")))
    assert hand.upcard == card("9d")


def test_the_card_drawn_from_the_stock_may_be_discarded() -> None:
    hand = after_passes("", drawn="9d")
    hand.apply(Discard(card("9d")))
    assert (hand.upcard, hand.turn) == (card("9d"), 1)


def test_a_discard_comes_from_the_hand() -> None:
    hand = after_passes("2c3c4c5c6c7c8c9cTcJc", drawn="9d")
    assert refusal(hand, Discard(card("Kd"))) is BrokenRule.HOLDING


def test_actions_out_of_their_phase_are_refused() -> None:
    hand = after_passes("")
    for action in (Draw.STOCK, Draw.PASS, BEST_ARRANGE, BEST_DEFEND):
        assert refusal(hand, action) is BrokenRule.PHASE
    assert refusal(stacked_hand(""), DISCARDS[0]) is BrokenRule.PHASE


def test_the_opponent_knows_what_was_taken_and_kept() -> None:
    hand = stacked_hand("2c3c4c5c6c7c8c9cTcJc", upcard="9d")
    hand.apply(Draw.UPCARD)
    assert hand.known_mask(0) == card("9d").mask
    hand.apply(Discard(card("2c")))
    assert hand.known_mask(0) == card("9d").mask
    hand.apply(Draw.STOCK)
    hand.apply(Discard(tables.drawn(hand)))
    hand.apply(Draw.STOCK)
    hand.apply(Discard(card("9d")))
    assert hand.known_mask(0) == 0
    assert hand.known_mask(1) == 0


# -- knocking -----------------------------------------------------------------------------------------------------


def test_a_knock_is_legal_with_whichever_discard_and_arrangement() -> None:
    hand = after_passes("2d3c3h4d4h5c5d5h6d6h", drawn="6s")
    assert KNOCKS[card("6s")] in hand.legal_actions()
    hand.apply(Discard(card("6s"), knock=True))
    hand.apply(BEST_ARRANGE)
    assert tables.shown(hand).points == 10
    assert {str(meld) for meld in tables.shown(hand).melds} == {"3h4h5h6h", "4d5d6d"}


def test_gin_is_found_over_every_discard() -> None:
    hand = after_passes("2c2d2h2s 3d 4d4h4s AcAd", drawn="As")
    for action in tables.knocks(hand):
        ending = copy.deepcopy(hand)
        ending.apply(action)
        ending.apply(BEST_ARRANGE)
        if ending.phase is Phase.OVER:
            assert tables.result(ending).ending is HandEnding.GIN
            return
    pytest.fail("no discard goes gin")


def test_a_knock_above_the_limit_is_refused() -> None:
    hand = after_passes("Ac2c3c 4h5h6h 9s9d9c Jd", "Kh", drawn="Ad")
    assert refusal(hand, Discard(card("9s"), knock=True)) is BrokenRule.KNOCK
    hand.apply(Discard(card("Ad"), knock=True))  # exactly ten is allowed
    assert (hand.phase, hand.turn) == (Phase.ARRANGE, 0)


def test_nobody_has_to_knock_and_gin_is_not_forced() -> None:
    hand = after_passes("Ac2c3c 4h5h6h 9s9d9c9h", drawn="Kd")
    hand.apply(Discard(card("Kd")))
    assert (hand.phase, hand.turn) == (Phase.DRAW, 1)


@pytest.mark.parametrize(("upcard", "limit"), [("As", 0), ("7d", 7), ("Kc", 10)])
def test_the_upcard_may_set_the_knock_limit(upcard: str, limit: int) -> None:
    hand = stacked_hand("", upcard=upcard, rules=RULE_SETS["oklahoma"])
    assert hand.knock_limit == limit


def test_with_gin_only_a_single_ace_is_too_much() -> None:
    hand = after_passes("2c3c4c 4h5h6h 9s9d9c Ad", drawn="Kd", rules=RULE_SETS["gin-only"])
    assert refusal(hand, Discard(card("Kd"), knock=True)) is BrokenRule.KNOCK


# -- the showdown -------------------------------------------------------------------------------------------------


def test_the_knocker_scores_the_difference() -> None:
    result = showdown("Ac2c3c 4h5h6h 9s9d9c 2d", "Kh Qh Js 8d 7d 5s 4s 2h Ah 3s")
    assert (result.ending, result.winner, result.knocker) == (HandEnding.KNOCK, 0, 0)
    assert result.points == 10 + 10 + 10 + 8 + 7 + 2 + 1 - 2  # 3s4s5s is a run
    assert result.hands[1] == tuple(sorted(parse_cards("Kh Qh Js 8d 7d 5s 4s 2h Ah 3s")))


def test_a_tie_is_an_undercut() -> None:
    result = showdown("As2s3s 4c5c6c 7d8d9d 5h", "9cTcJc TdJdQd KhKcKd 5s")
    assert (result.ending, result.winner, result.points) == (HandEnding.UNDERCUT, 1, 25)


def test_breaking_a_meld_undercuts() -> None:
    result = showdown("KsKcKd 5s6s7s 9cTcJc Jd", "2s2c2d2h Ac 7c8c 8d 8s9s")
    assert (result.ending, result.winner, result.points) == (HandEnding.UNDERCUT, 1, 25 + 1)
    assert tables.defence(result).points == 9


def test_the_knocker_shows_sets_where_runs_would_be_undercut() -> None:
    knocker, defender = "As 5s5c5d 6s6c6d 7s7c7d", "3s4s4c4d 8s8c8d 5h6h7h"
    result = showdown(knocker, defender)
    assert (result.ending, result.winner, result.points) == (HandEnding.KNOCK, 0, 2)
    hand = knocked(knocker, defender)
    hand.apply(Arrange(melds("5s6s7s", "5c6c7c", "5d6d7d")))
    hand.apply(BEST_DEFEND)
    assert (tables.result(hand).ending, tables.result(hand).winner, tables.result(hand).points) == (
        HandEnding.UNDERCUT,
        1,
        26,
    )


def test_a_card_that_fits_two_melds_is_laid_where_the_next_can_follow() -> None:
    result = showdown("AsAcAd JsQsKs TcTdTh 2h", "4s4c4d4h 5s5c5d5h 9sTs")
    assert (tables.defence(result).points, result.winner) == (0, 1)
    assert result.points == 2 + 25


def test_gin_takes_the_full_deadwood_without_layoffs() -> None:
    result = showdown("Ac2c3c 4h5h6h 9s9d9c9h", "4c 5c 7h Kd Ks 2d 2s 8s 6d Jh")
    assert (result.ending, result.winner) == (HandEnding.GIN, 0)
    assert result.points == 25 + 4 + 5 + 7 + 10 + 10 + 2 + 2 + 8 + 6 + 10
    assert tables.defence(result).layoffs == ()


def test_gin_cannot_be_undercut() -> None:
    result = showdown("Ac2c3c 4h5h6h 9s9d9c9h", "TsJsQsKs 5s6s7s8s Ad2d")
    assert (result.ending, result.winner, result.points) == (HandEnding.GIN, 0, 25 + 3)
    result = showdown("Ac2c3c 4h5h6h 9s9d9c9h", "TsJsQsKs 5s6s7s AdAhAs")
    assert (result.ending, result.winner, result.points) == (HandEnding.GIN, 0, 25)


def test_bonuses_are_the_rule_sets() -> None:
    parlour = RULE_SETS["parlour"]
    assert showdown("As2s3s 4c5c6c 7d8d9d 5h", "9cTcJc TdJdQd KhKcKd 5s", parlour).points == 10
    assert showdown("Ac2c3c 4h5h6h 9s9d9c9h", "TsJsQsKs 5s6s7s AdAhAs", parlour).points == 20


ELEVEN = ("As2s3s4s 5s5c5d 9hThJh", "Qh")


def test_classic_has_no_big_gin() -> None:
    hand = after_passes(ELEVEN[0], drawn=ELEVEN[1])
    assert refusal(hand, BIG_GIN) is BrokenRule.BIG_GIN
    assert BIG_GIN not in hand.legal_actions()


def test_big_gin_is_optional_and_pays_its_bonus() -> None:
    rules = CLASSIC.replace(big_gin_bonus=31)
    defender = "2c 4c 7c Kd Ks 2d 8s 6d Jc 7h"
    hand = after_passes(ELEVEN[0], defender, ELEVEN[1], rules)
    assert hand.legal_actions()[-1] == BIG_GIN
    assert KNOCKS[card("Qh")] in hand.legal_actions()
    hand.apply(BIG_GIN)
    assert (tables.result(hand).ending, tables.result(hand).winner) == (HandEnding.BIG_GIN, 0)
    assert tables.result(hand).points == 31 + 2 + 4 + 7 + 10 + 10 + 2 + 8 + 6 + 10 + 7
    assert len(tables.result(hand).hands[0]) == 11
    hand = after_passes(ELEVEN[0].replace("Jh", "Jd"), drawn=ELEVEN[1], rules=rules)
    assert refusal(hand, BIG_GIN) is BrokenRule.BIG_GIN


@pytest.mark.parametrize(("upcard", "factor"), [("Kc", 1), ("Ks", 2)])
def test_a_spade_upcard_doubles_the_hand_where_the_rules_say_so(upcard: str, factor: int) -> None:
    rules = CLASSIC.replace(spades_double=True)
    hand = after_passes("As2s3s 4c5c6c 7d8d9d 5h", "9cTcJc 3dJdQd KhQhKd 5s", rules=rules, upcard=upcard)
    hand.apply(Discard(tables.drawn(hand), knock=True))
    hand.apply(BEST_ARRANGE)
    hand.apply(BEST_DEFEND)
    assert tables.result(hand).points == (3 + 10 + 10 + 5 - 5) * factor  # JdQdKd is a run


# -- own arrangements and layoffs ---------------------------------------------------------------------------------


def test_an_own_arrangement_must_be_melds_of_the_hand_within_the_limit() -> None:
    hand = knocked("Ac2c3c 4h5h6h 9s9d9c 2d", "Kh Qh Js 8d 7d 5s 4s 2h Ah 3s")
    assert refusal(hand, Arrange(melds("Ac2c3c", "9s9d9h"))) is BrokenRule.MELD
    assert refusal(hand, Arrange(melds("Ac2c3c", "Ac2c3c"))) is BrokenRule.MELD
    assert refusal(hand, Arrange(melds("Ac2c3c", "4h5h6h"))) is BrokenRule.KNOCK
    assert refusal(hand, Arrange(())) is BrokenRule.KNOCK
    hand.apply(Arrange(melds("9s9d9c", "4h5h6h")))  # not the best, but within the limit
    assert [str(meld) for meld in tables.shown(hand).melds] == ["9c9s9d", "4h5h6h"]
    assert tables.shown(hand).points == 8


def test_gin_shown_with_deadwood_is_a_knock() -> None:
    hand = knocked("Ac2c3c4c 4h5h6h 9s9d9c", "4s 5s 7h Kd Ks 2d 2s 8s 6d Jh")
    hand.apply(Arrange(melds("Ac2c3c", "4h5h6h", "9s9d9c")))
    hand.apply(BEST_DEFEND)
    assert tables.result(hand).ending is HandEnding.KNOCK
    assert tables.result(hand).points == 4 + 5 + 10 + 10 + 2 + 2 + 8 + 6 + 10 - 4  # 7h is laid off


def defending() -> Hand:
    hand = knocked("3s4s5s 9c9d9h Ac2c3c Ad", "6s7s9s 2h AhAs KhQhJd 8d")
    hand.apply(BEST_ARRANGE)
    assert [str(meld) for meld in tables.shown(hand).melds] == ["Ac2c3c", "9c9h9d", "3s4s5s"]
    return hand


def lay(*pairs: tuple[str, int]) -> tuple[LayOff, ...]:
    return tuple(LayOff(card(text), index) for text, index in pairs)


def test_the_defender_knows_the_knockers_hand() -> None:
    hand = defending()
    assert hand.known_mask(0) == hand.mask(0)


@pytest.mark.parametrize(
    ("defend", "left"),
    [
        (Defend(), 2 + 1 + 1 + 10 + 10 + 10 + 8),
        (Defend((), None), 2 + 1 + 1 + 10 + 10 + 10 + 8),
        (Defend(None, ()), 6 + 7 + 9 + 2 + 1 + 1 + 10 + 10 + 10 + 8),
        (Defend(None, lay(("6s", 2))), 7 + 9 + 2 + 1 + 1 + 10 + 10 + 10 + 8),
        (Defend((), lay(("6s", 2), ("7s", 2), ("9s", 1))), 2 + 1 + 1 + 10 + 10 + 10 + 8),
    ],
)
def test_the_defender_may_choose_either_half(defend: Defend, left: int) -> None:
    hand = defending()
    hand.apply(defend)
    assert tables.defence(hand).points == left
    assert tables.result(hand).points == left - 1


def test_illegal_defences_are_refused() -> None:
    hand = defending()
    assert refusal(hand, Defend(None, lay(("7s", 2)))) is BrokenRule.LAYOFF
    assert refusal(hand, Defend(None, lay(("6s", 3)))) is BrokenRule.LAYOFF
    assert refusal(hand, Defend(melds("6s7s8s"), None)) is BrokenRule.MELD
    assert refusal(hand, Defend(melds("6s7s8s"), ())) is BrokenRule.MELD
    assert refusal(hand, BEST_ARRANGE) is BrokenRule.PHASE
    hand.apply(BEST_DEFEND)
    assert refusal(hand, BEST_DEFEND) is BrokenRule.OVER


# -- hands that nobody wins ---------------------------------------------------------------------------------------


def play_out(hand: Hand, rng: random.Random | None = None, *, knock: bool = False) -> None:
    """Play to the end, from the stock unless an rng chooses."""
    while hand.phase is not Phase.OVER:
        actions = [action for action in hand.legal_actions() if knock or action not in KNOCKS]
        if rng is not None:
            hand.apply(rng.choice(actions))
        elif Draw.STOCK in actions:
            hand.apply(Draw.STOCK)
        elif Draw.PASS in actions:
            hand.apply(Draw.PASS)
        else:
            hand.apply(Discard(tables.drawn(hand)))


def test_a_stock_of_two_cards_after_a_turn_voids_the_hand() -> None:
    hand = stacked_hand("")
    play_out(hand)
    assert (hand.stock_size, hand.turns, tables.result(hand).ending) == (2, 29, HandEnding.VOID_STOCK)
    assert (tables.result(hand).winner, tables.result(hand).points, tables.result(hand).knocker) == (None, 0, None)
    assert hand.legal_actions() == ()


def test_a_knock_on_the_last_turn_counts() -> None:
    hand = stacked_hand("Ac2c3c 4h5h6h 9s9d9c 2d")
    hand.apply(Draw.PASS)
    hand.apply(Draw.PASS)
    while True:
        hand.apply(Draw.STOCK)
        if hand.stock_size == 2:
            break
        hand.apply(Discard(tables.drawn(hand)))
    assert hand.turn == 0
    hand.apply(Discard(tables.drawn(hand), knock=True))
    assert hand.phase is Phase.ARRANGE


def test_an_endless_hand_is_void_after_the_turn_cap() -> None:
    hand = Hand(CLASSIC, stacked_deck("", "", upcard="9d"), 1)
    while hand.phase is not Phase.OVER:
        hand.apply(Draw.UPCARD)
        hand.apply(next(action for action in hand.legal_actions() if action not in KNOCKS))
    assert (hand.turns, tables.result(hand).ending, hand.stock_size) == (200, HandEnding.VOID_TURNS, 31)


def test_where_the_rules_say_so_the_pile_is_reshuffled_under_its_top_card() -> None:
    hand = stacked_hand("", rules=RESHUFFLE)
    while not hand.steps or not hand.steps[-1].reshuffled:
        left, pile = hand.stock, hand.discard_pile
        hand.apply(
            Draw.STOCK
            if Draw.STOCK in hand.legal_actions()
            else Draw.PASS
            if hand.drawn is None
            else Discard(tables.drawn(hand))
        )
    assert len(left) == 2
    assert hand.stock[:2] == left
    assert hand.steps[-1].action == Discard(hand.discard_pile[0])
    assert len(hand.discard_pile) == 1
    assert sorted(hand.stock[2:]) == sorted(pile)
    assert hand.stock[2:] != pile
    assert hand.steps[-1].reshuffled == hand.stock_size == 2 + len(pile)
    play_out(hand)
    assert tables.result(hand).ending is HandEnding.VOID_TURNS


# -- properties ---------------------------------------------------------------------------------------------------

UNIVERSE = [*Draw, *DISCARDS, *KNOCKS, BIG_GIN, BEST_ARRANGE, BEST_DEFEND]
seeds = st.integers(0, 2**32)


def rich_deck(rng: random.Random) -> list[Card]:
    """A deck whose dealt cards come from neighbouring ranks half of the time, so that hands knock soon."""
    deck = list(DECK)
    rng.shuffle(deck)
    if rng.random() < 0.5:
        low = rng.randint(0, 5)
        deck.sort(key=lambda c: not low < c.rank <= low + 8)
        front = deck[:32]
        rng.shuffle(front)
        deck[:32] = front
    return deck


@given(seeds, st.sampled_from(ALL_RULES), st.integers(0, 1))
def test_cards_are_conserved_and_hands_end(seed: int, rules: Rules, dealer: int) -> None:
    rng = random.Random(seed)
    hand = Hand(rules, rich_deck(rng), dealer)
    while hand.phase is not Phase.OVER:
        everything = [*hand.cards(0), *hand.cards(1), *hand.stock, *hand.discard_pile]
        assert sorted(everything) == list(DECK)
        sizes = [len(hand.cards(0)), len(hand.cards(1))]
        assert sizes[hand.turn] == (11 if hand.phase is Phase.DISCARD else 10)
        assert sizes[1 - hand.turn] == 10
        actions = hand.legal_actions()
        knocks = tables.knocks(hand)
        hand.apply(rng.choice(knocks if knocks and rng.random() < 0.3 else actions))
    assert sorted([*hand.cards(0), *hand.cards(1), *hand.stock, *hand.discard_pile]) == list(DECK)
    assert hand.turns <= 200


@given(seeds, st.sampled_from(ALL_RULES), st.integers(0, 60))
def test_exactly_the_legal_actions_apply(seed: int, rules: Rules, moves: int) -> None:
    rng = random.Random(seed)
    hand = Hand(rules, rich_deck(rng), rng.randint(0, 1))
    for _ in range(moves):
        if hand.phase is not Phase.OVER:
            hand.apply(rng.choice(hand.legal_actions()))
    legal = hand.legal_actions()
    assert len(set(legal)) == len(legal)
    for action in UNIVERSE:
        if action in legal:
            tried = copy.deepcopy(hand)
            tried.apply(action)
            assert snapshot(tried) != snapshot(hand)
        else:
            refusal(hand, action)


@settings(max_examples=30)
@given(seeds)
def test_legal_knocks_are_those_that_exhaustive_search_allows(seed: int) -> None:
    rng = random.Random(seed)
    hand = Hand(FREE, rich_deck(rng), 0)
    hand.apply(rng.choice([Draw.STOCK, Draw.UPCARD]))
    word = brute.texts(format_cards(hand.cards(1)))
    allowed = {c for c in word if brute.least(word - {c}) <= 10 and c != str(hand.taken)}
    assert {str(action.card) for action in tables.knocks(hand)} == allowed


def test_a_random_showdown_scores_what_exhaustive_search_says() -> None:
    rng, endings = random.Random(5), set()
    for _ in range(300):
        deck = sorted(DECK, key=lambda c: not 3 < c.rank <= 9)
        front = deck[:24]
        rng.shuffle(front)
        hand = Hand(FREE, [*front, *deck[24:]], 0)
        hand.apply(Draw.STOCK)
        knocks = tables.knocks(hand)
        if not knocks:
            continue
        word = brute.texts(format_cards(hand.cards(1)))
        best = min(knocks, key=lambda action: brute.least(word - {str(action.card)}))
        hand.apply(rng.choice([best, *knocks]))
        hand.apply(BEST_ARRANGE)
        if hand.phase is Phase.DEFEND:
            hand.apply(BEST_DEFEND)
        knocker, defender = (brute.texts(format_cards(tables.result(hand).hands[seat])) for seat in (1, 0))
        own, left = brute.knocker_margin(knocker, defender)
        if own == 0:
            expected = (HandEnding.GIN, 1, brute.least(defender) + 25)
        elif left > own:
            expected = (HandEnding.KNOCK, 1, left - own)
        else:
            expected = (HandEnding.UNDERCUT, 0, own - left + 25)
        assert (tables.result(hand).ending, tables.result(hand).winner, tables.result(hand).points) == expected
        endings.add(tables.result(hand).ending)
    assert endings == {HandEnding.GIN, HandEnding.KNOCK, HandEnding.UNDERCUT}


def test_masks_and_cards_agree() -> None:
    hand = stacked_hand("2c3c4c5c6c7c8c9cTcJc")
    assert mask_of(hand.cards(0)) == hand.mask(0) == mask_of(hand.dealt(0))
