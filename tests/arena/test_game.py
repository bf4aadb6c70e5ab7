import hashlib
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import arena.game
from arena.actions import BEST_ARRANGE, BEST_DEFEND, BrokenRule, Discard, Draw, IllegalAction
from arena.cards import DECK, Card, format_cards
from arena.decks import deal
from arena.events import HandEnding
from arena.game import Game
from arena.legal import Phase
from arena.rules import CLASSIC, RULE_SETS, Rules
from tests.arena import tables
from tests.arena.tables import stacked_deck

GIN = "Ac2c3c 4h5h6h 9s9d9c9h"
LOOSE = "Kc Ks 8d 6d 2s 2d Ah 4s 4d Ad"
"""Nothing melds: 10 + 10 + 8 + 6 + 2 + 2 + 1 + 4 + 4 + 1 = 48 points."""


def test_a_deck_follows_from_seed_and_index_by_the_documented_recipe() -> None:
    for index in (0, 1, 99):
        digest = hashlib.shake_256(b"seed" + bytes([0, 0, 0, index])).digest(416)
        keys = [int.from_bytes(digest[8 * i : 8 * i + 8], "big") for i in range(52)]
        assert list(deal(b"seed", index)) == sorted(DECK, key=lambda card: keys[card])


def test_a_deck_never_changes() -> None:
    assert format_cards(deal(b"arena", 0)) == (
        "Ad6d3h2cAcTh4h5c3c9dQsJs8sTc6s8h4c5s2h6c9h3s7hTd5hAs9s4s6hKdKhQd8dKcKs9cTs5d4d2sQc7d7cQh8cJc2dAh7s3dJdJh"
    )


@given(st.binary(max_size=40), st.integers(0, 1000))
def test_every_deck_is_the_52_cards(seed: bytes, index: int) -> None:
    assert sorted(deal(seed, index)) == list(DECK)


def stacked(monkeypatch: pytest.MonkeyPatch, *decks: tuple[Card, ...]) -> None:
    """Every game deals these decks, and the last of them from then on."""
    monkeypatch.setattr(arena.game, "deal", lambda seed, index: decks[min(index, len(decks) - 1)])


def knock(game: Game) -> None:
    """The seat to act knocks with the card it draws from the stock."""
    while game.hand.drawn is None:
        legal = game.hand.legal_actions()
        game.apply(Draw.STOCK if Draw.STOCK in legal else Draw.PASS)
    game.apply(Discard(tables.drawn(game.hand), knock=True))
    game.apply(BEST_ARRANGE)
    if game.hand.phase is Phase.DEFEND:
        game.apply(BEST_DEFEND)


def void(game: Game) -> None:
    number = game.hands_played
    while game.hands_played == number:
        hand = game.hand
        if hand.drawn is not None:
            game.apply(Discard(tables.drawn(hand)))
        else:
            game.apply(Draw.STOCK if Draw.STOCK in hand.legal_actions() else Draw.PASS)


def test_the_deal_alternates_and_points_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    stacked(monkeypatch, stacked_deck(GIN, LOOSE))
    game = Game(CLASSIC, b"", first_dealer=1)
    knock(game)
    assert (game.scores, game.dealer, game.hand_number, game.hands_played) == ((73, 0), 0, 2, 1)
    knock(game)
    assert (game.scores, game.dealer) == ((73, 73), 1)
    void(game)
    assert (game.scores, game.dealer, game.results[-1].ending) == ((73, 73), 0, HandEnding.VOID_STOCK)
    assert (game.is_over, game.winner) == (False, None)
    knock(game)
    assert (game.is_over, game.winner, game.scores, game.totals) == (True, 1, (73, 146), (73, 146))
    assert [game.scores_after(n) for n in range(5)] == [(0, 0), (73, 0), (73, 73), (73, 73), (73, 146)]
    assert game.boxes == (1, 2)
    with pytest.raises(IllegalAction) as refused:
        game.apply(Draw.STOCK)
    assert refused.value.rule is BrokenRule.OVER
    assert game.hand.phase is Phase.OVER


def test_reaching_the_target_exactly_ends_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    stacked(monkeypatch, stacked_deck(GIN, LOOSE))
    for target, over in ((73, True), (74, False)):
        game = Game(CLASSIC.replace(target=target), b"", first_dealer=1)
        knock(game)
        assert game.is_over is over


def test_the_loser_deals_and_a_void_hand_is_redealt_in_tally(monkeypatch: pytest.MonkeyPatch) -> None:
    stacked(monkeypatch, stacked_deck(GIN, LOOSE))
    game = Game(RULE_SETS["tally"].replace(target=1000), b"", first_dealer=1)
    void(game)
    assert game.dealer == 1
    knock(game)
    assert game.dealer == 1  # seat 1 lost
    knock(game)
    assert game.dealer == 1


def test_tally_adds_boxes_and_a_shutout_bonus(monkeypatch: pytest.MonkeyPatch) -> None:
    stacked(monkeypatch, stacked_deck(GIN, LOOSE))
    game = Game(RULE_SETS["tally"], b"", first_dealer=1)
    knock(game)
    assert game.totals == game.scores == (68, 0)
    knock(game)
    assert (game.winner, game.scores, game.totals) == (0, (136, 0), (136 + 200 + 2 * 20, 0))


def test_tally_adds_a_game_bonus_when_the_loser_won_a_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    stacked(monkeypatch, stacked_deck(GIN, LOOSE), stacked_deck(LOOSE, GIN), stacked_deck(GIN, LOOSE))
    game = Game(RULE_SETS["tally"], b"", first_dealer=0)
    knock(game)  # seat 1 wins, so seat 0 deals again
    for action in (Draw.PASS, Draw.PASS, Draw.STOCK):
        game.apply(action)
    game.apply(Discard(tables.drawn(game.hand)))
    knock(game)
    knock(game)
    assert (game.winner, game.scores) == (0, (136, 68))
    assert game.totals == (136 + 100 + 2 * 20, 68 + 20)


def test_a_game_in_which_nobody_scores_ends_at_the_hand_cap_as_a_draw() -> None:
    game = Game(CLASSIC, b"draw")
    while not game.is_over:
        void(game)
    assert (game.hands_played, game.scores, game.winner) == (100, (0, 0), None)


def test_at_the_hand_cap_the_higher_score_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    stacked(monkeypatch, stacked_deck(GIN, LOOSE))
    game = Game(CLASSIC.replace(hand_cap=2), b"", first_dealer=0)
    knock(game)
    void(game)
    assert (game.is_over, game.winner, game.scores) == (True, 1, (0, 73))


def test_an_illegal_action_leaves_the_game_as_it_was() -> None:
    game = Game(CLASSIC, b"")
    with pytest.raises(IllegalAction):
        game.apply(Draw.STOCK)
    assert (game.hand.steps, game.turn, game.hands_played) == ((), 1, 0)


@given(st.integers(0, 2**32), st.sampled_from([*RULE_SETS.values(), Rules("short", target=20, hand_cap=7)]))
def test_random_games_end_and_replay_to_the_same_state(seed: int, rules: Rules) -> None:
    rng = random.Random(seed)
    rules = rules.replace(hand_cap=min(rules.hand_cap, 8))
    game = Game(rules, seed.to_bytes(8, "big"), rng.randint(0, 1))
    while not game.is_over:
        game.apply(rng.choice(game.hand.legal_actions()))
    again = Game(rules, game.seed, game.hands[0].dealer)
    for hand in game.hands:
        for step in hand.steps:
            again.apply(step.action)
    assert (again.is_over, again.scores, again.winner) == (True, game.scores, game.winner)
    assert again.results == game.results
    assert [hand.steps for hand in again.hands] == [hand.steps for hand in game.hands]
    assert sum(result.points for result in game.results) == sum(game.scores)
