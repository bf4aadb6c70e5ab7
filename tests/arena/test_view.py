"""What a seat sees, and the proof that it sees nothing else."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import arena.game
from arena.actions import BEST_ARRANGE, BEST_DEFEND, BIG_GIN, KNOCKS, Action, Discard, Draw, IllegalAction
from arena.cards import DECK, Card, format_cards, mask_of, parse_cards
from arena.events import (
    DeclaredBigGin,
    Defended,
    Discarded,
    Drew,
    Event,
    HandEnded,
    HandEnding,
    HandStarted,
    Passed,
    Reshuffled,
    Shown,
    event_from_wire,
    event_to_wire,
)
from arena.game import Game
from arena.hand import Hand
from arena.layoffs import LayOff
from arena.legal import Phase
from arena.melds import Meld
from arena.rules import CLASSIC, RULE_SETS, Opening, Rules, StockEnd
from arena.view import EventStream, View, events_of, view_of
from tests.arena import brute_force as brute
from tests.arena import tables
from tests.arena.tables import stacked_deck

Deck = tuple[Card, ...]
Look = Callable[[Game], object]

seeds = st.integers(0, 2**32)
FREE = Rules("free", opening=Opening.FREE)
RESHUFFLE = Rules("reshuffle", stock_end=StockEnd.RESHUFFLE)


def game_of(monkeypatch: pytest.MonkeyPatch, *decks: Deck, rules: Rules = CLASSIC, first_dealer: int = 1) -> Game:
    monkeypatch.setattr(arena.game, "deal", lambda seed, index: decks[min(index, len(decks) - 1)])
    return Game(rules, b"", first_dealer)


def rich_decks(rng: random.Random, count: int) -> list[Deck]:
    """Decks whose first cards come from few ranks, so that random play knocks; and plain ones, so that it does not."""
    decks = []
    for _ in range(count):
        deck = list(DECK)
        rng.shuffle(deck)
        if rng.random() < 0.6:
            low = rng.randint(0, 5)
            deck.sort(key=lambda card: not low < card.rank <= low + 8)
            front = deck[:32]
            rng.shuffle(front)
            deck[:32] = front
        decks.append(tuple(deck))
    return decks


def choose(rng: random.Random, hand: Hand) -> Action:
    legal = hand.legal_actions()
    knocks = [action for action in legal if action in KNOCKS]
    return rng.choice(knocks if knocks and rng.random() < 0.5 else legal)


def played(rng: random.Random, rules: Rules, moves: int) -> tuple[Game, list[Deck]]:
    """A game after some random moves, and its decks."""
    decks = rich_decks(rng, 8)
    game = replayed(rules, decks, [], rng.randint(0, 1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arena.game, "deal", lambda seed, index: decks[index % 8])
        for _ in range(moves):
            if not game.is_over:
                game.apply(choose(rng, game.hand))
    return game, decks


def replayed(
    rules: Rules, decks: list[Deck], actions: list[Action], first_dealer: int, each: Look = lambda game: None
) -> Game:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arena.game, "deal", lambda seed, index: decks[index % 8])
        game = Game(rules, b"", first_dealer)
        each(game)
        for action in actions:
            game.apply(action)
            each(game)
    return game


def wire(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


# -- nothing hidden leaks -----------------------------------------------------------------------------------------


def hidden_positions(hand: Hand, deck: Deck, seat: int) -> list[int]:
    """Where the deck's cards that the seat has not seen lie: the stock, and the other seat's unseen cards."""
    result = hand.result
    shown = result is not None and not result.ending.is_void
    other = 1 - seat
    seen = {*hand.dealt(seat), *hand.discard_pile, hand.first_upcard}
    for step in hand.steps:
        if step.card is not None and (step.seat == seat or step.action is Draw.UPCARD):
            seen.add(step.card)
        if isinstance(step.action, Discard):
            seen.add(step.action.card)
    if shown or (hand.phase is Phase.DEFEND and hand.turn == seat):
        seen.update(hand.cards(other))
    return [i for i, card in enumerate(deck) if card not in seen]


def transcripts(rules: Rules, decks: list[Deck], actions: list[Action], first_dealer: int, look: Look) -> list[object]:
    seen: list[object] = []
    replayed(rules, decks, actions, first_dealer, lambda game: seen.append(look(game)))
    return seen


def shuffled_unseen(rng: random.Random, game: Game, decks: list[Deck], seat: int) -> list[Deck]:
    """The decks with every card that the seat has not seen in another place."""
    changed = list(decks)
    for index, hand in enumerate(game.hands):
        deck = list(decks[index])
        places = hidden_positions(hand, decks[index], seat)
        cards = [deck[i] for i in places]
        rng.shuffle(cards)
        for i, card in zip(places, cards, strict=True):
            deck[i] = card
        changed[index] = tuple(deck)
    return changed


def same_world(
    rng: random.Random, rules: Rules, moves: int, look_of: Callable[[int], Look]
) -> tuple[list[object], list[object]] | None:
    """What a seat sees of a game, and of the game with all that is hidden from it changed; None if rules forbid it."""
    game, decks = played(rng, rules, moves)
    seat = rng.randint(0, 1)
    last = game.hand
    if last.phase is Phase.DEFEND and last.turn != seat:
        return None  # what the knocker shows may follow the defender's cards, by the rules
    decks, changed = list(decks), shuffled_unseen(rng, game, decks, seat)
    actions = [step.action for hand in game.hands for step in hand.steps]
    first_dealer = game.hands[0].dealer
    look = look_of(seat)
    before = transcripts(rules, decks, actions, first_dealer, look)
    try:
        after = transcripts(rules, changed, actions, first_dealer, look_of(seat))
    except IllegalAction:
        return None  # a knock that these cards would not allow
    return before, after


def honest(seat: int) -> Look:
    streams: dict[int, EventStream] = {}

    def look(game: Game) -> object:
        stream = streams.setdefault(id(game), EventStream(game, seat))
        view = view_of(game, seat, time_left=1.5)
        return wire([view.to_wire(), [event_to_wire(event) for event in stream.take()]]), repr(view)

    return look


def peeking(seat: int) -> Look:
    return lambda game: (format_cards(game.hand.cards(1 - seat)), format_cards(game.hand.stock))


LEAK_RULES = st.sampled_from([*RULE_SETS.values(), FREE])


@given(seeds, LEAK_RULES, st.integers(0, 150))
def test_changing_what_is_hidden_changes_nothing_a_seat_sees(seed: int, rules: Rules, moves: int) -> None:
    worlds = same_world(random.Random(seed), rules.replace(hand_cap=8), moves, honest)
    if worlds is not None:
        assert worlds[0] == worlds[1]


def test_the_leak_test_would_see_a_leak() -> None:
    compared, differing = 0, 0
    for seed in range(40):
        worlds = same_world(random.Random(seed), CLASSIC, 40, peeking)
        if worlds is not None:
            compared += 1
            differing += worlds[0] != worlds[1]
    assert compared > 20
    assert differing == compared


@given(seeds, LEAK_RULES, st.integers(0, 150))
def test_a_view_names_only_cards_the_seat_has_seen(seed: int, rules: Rules, moves: int) -> None:
    rng = random.Random(seed)
    game, decks = played(rng, rules.replace(hand_cap=8), moves)
    seat = rng.randint(0, 1)
    view = view_of(game, seat)
    deck = decks[len(game.hands) - 1]
    hidden = {deck[i] for i in hidden_positions(game.hand, deck, seat)}
    named = {*view.hand, *view.discard_pile, *view.known_opponent_cards, view.upcard, view.drawn, view.taken}
    assert not hidden & named


# -- the view -----------------------------------------------------------------------------------------------------


@given(seeds, st.sampled_from([*RULE_SETS.values(), FREE, RESHUFFLE]), st.integers(0, 150))
def test_a_view_round_trips_and_agrees_with_the_hand(seed: int, rules: Rules, moves: int) -> None:
    rng = random.Random(seed)
    game, _ = played(rng, rules.replace(hand_cap=8), moves)
    for seat in (0, 1):
        view = view_of(game, seat, rng.choice([None, 2.5]))
        assert View.from_wire(json.loads(wire(view.to_wire()))) == view
        assert View.from_wire(view.to_wire()).mask == view.mask == mask_of(view.hand)
        assert len(wire(view.to_wire())) < 1000
        hand = game.hand
        assert (view.hand, view.upcard, view.discard_pile) == (hand.cards(seat), hand.upcard, hand.discard_pile)
        assert (view.stock_size, view.turns, view.dealer) == (len(hand.stock), hand.turns, hand.dealer)
        if hand.turn == seat and not game.is_over:
            assert view.legal == hand.legal_actions()
            assert view.decision is hand.phase
        else:
            assert (view.legal, view.legal_discards, view.knock_options) == ((), (), ())
            assert view.decision is None
        for event in events_of(game, seat):
            assert event_from_wire(json.loads(wire(event_to_wire(event)))) == event


def test_a_view_is_read_only(monkeypatch: pytest.MonkeyPatch) -> None:
    view = view_of(game_of(monkeypatch, stacked_deck("", "")), 0)
    with pytest.raises(AttributeError, match="View is read-only"):
        view.seat = 1  # type: ignore[misc]


HELD = "As2s3s 7c7d Kh Qd 5h 4d 9c"


def choosing(monkeypatch: pytest.MonkeyPatch, held: str = HELD, drawn: str = "9d", rules: Rules = CLASSIC) -> View:
    game = game_of(monkeypatch, stacked_deck(held, "", upcard="Kd", stock=drawn), rules=rules)
    for draw in (Draw.PASS, Draw.PASS, Draw.STOCK):
        game.apply(draw)
    return view_of(game, 0, 3.5)


def test_the_helpers_of_a_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    view = view_of(game_of(monkeypatch, stacked_deck(HELD, "", upcard="7h")), 0)
    assert view.decision is Phase.OFFER
    assert view.deadwood == 7 + 7 + 10 + 10 + 5 + 4 + 9
    assert [str(meld) for meld in view.best_melds] == ["As2s3s"]
    assert view.upcard is not None
    assert view.would_meld(view.upcard)
    assert not view.would_meld(Card.parse("5s"))
    assert view.would_meld(Card.parse("4s"))
    assert view.deadwood_taking(view.upcard) == 10 + 5 + 4 + 9
    assert view.deadwood_taking(Card.parse("Ks")) == 7 + 7 + 10 + 10 + 5 + 4 + 9  # and discard another ten
    with pytest.raises(ValueError, match="in the hand already"):
        view.deadwood_taking(Card.parse("Kh"))


def test_the_taken_card_may_not_be_the_one_discarded(monkeypatch: pytest.MonkeyPatch) -> None:
    view = view_of(game_of(monkeypatch, stacked_deck("Ac2c3c 4h5h6h 9s9d9c 2d", "", upcard="Kd")), 0)
    assert view.deadwood == 2
    assert view.deadwood_taking(Card.parse("Kd")) == 10


def test_the_helpers_of_a_discard(monkeypatch: pytest.MonkeyPatch) -> None:
    view = choosing(monkeypatch)
    assert (view.drawn, view.taken, len(view.hand)) == (Card.parse("9d"), None, 11)
    assert view.deadwood_after(Card.parse("Kh")) == 7 + 7 + 10 + 5 + 4 + 9 + 9
    assert view.deadwood_after(Card.parse("2s")) == 7 + 7 + 10 + 10 + 5 + 4 + 9 + 9 + 1 + 3
    assert view.legal_discards == view.hand
    assert view.knock_options == ()
    assert (view.my_score, view.opponent_score, view.time_left) == (0, 0, 3.5)
    with pytest.raises(ValueError, match="Kc is not in the hand"):
        view.deadwood_after(Card.parse("Kc"))


def test_knock_options_come_best_first(monkeypatch: pytest.MonkeyPatch) -> None:
    view = choosing(monkeypatch, "Ac2c3c 4h5h6h 9s9d9c 2d", "7h")
    left = [view.deadwood_after(option.card) for option in view.knock_options]
    assert left == sorted(left)
    assert view.knock_options[0] == Discard(Card.parse("2d"), knock=True)
    assert left[0] == 0
    word = brute.texts(format_cards(view.hand))
    assert {str(option.card) for option in view.knock_options} == {c for c in word if brute.least(word - {c}) <= 10}


def test_scores_are_the_seats_own(monkeypatch: pytest.MonkeyPatch) -> None:
    game = game_of(monkeypatch, stacked_deck("Ac2c3c 4h5h6h 9s9d9c9h", "Kc Ks 8d 6d 2s 2d Ah 4s 4d Ad"))
    for draw in (Draw.PASS, Draw.PASS, Draw.STOCK):
        game.apply(draw)
    game.apply(Discard(tables.drawn(game.hand), knock=True))
    game.apply(BEST_ARRANGE)
    assert [(view_of(game, seat).my_score, view_of(game, seat).opponent_score) for seat in (0, 1)] == [(73, 0), (0, 73)]


# -- events -------------------------------------------------------------------------------------------------------

KNOCKER, DEFENDER = "3s4s5s 9c9d9h Ac2c3c Ad", "6s7s9s 2h AhAs KhQhJd 8d"


def test_the_events_of_a_hand_as_each_seat_sees_them(monkeypatch: pytest.MonkeyPatch) -> None:
    game = game_of(monkeypatch, stacked_deck(KNOCKER, DEFENDER, "Td", "4c"))
    streams = EventStream(game, 0), EventStream(game, 1)
    knocker, defender = parse_cards(KNOCKER), parse_cards(DEFENDER)
    started = [HandStarted(1, 1, tuple(sorted(cards)), Card.parse("Td"), (0, 0)) for cards in (knocker, defender)]
    assert [stream.take() for stream in streams] == [(started[0],), (started[1],)]
    for draw in (Draw.PASS, Draw.PASS, Draw.STOCK):
        game.apply(draw)
    passes = (Passed(0), Passed(1))
    assert streams[0].take() == (*passes, Drew(0, Draw.STOCK, Card.parse("4c")))
    assert streams[1].take() == (*passes, Drew(0, Draw.STOCK, None))
    game.apply(Discard(Card.parse("4c"), knock=True))
    game.apply(BEST_ARRANGE)
    game.apply(BEST_DEFEND)
    shown = tuple(Meld.parse(text) for text in ("Ac2c3c", "9c9h9d", "3s4s5s"))
    layoffs = (LayOff(Card.parse("6s"), 2), LayOff(Card.parse("7s"), 2), LayOff(Card.parse("9s"), 1))
    showdown = (
        Discarded(0, Card.parse("4c"), knock=True),
        Shown(0, shown, (Card.parse("Ad"),)),
        Defended(1, (), layoffs, tuple(sorted(set(defender) - set(parse_cards("6s7s9s"))))),
    )
    scores = (42 - 1, 0)
    taken = [stream.take() for stream in streams]
    for seat, other in ((0, defender), (1, knocker)):
        assert taken[seat][:3] == showdown
        assert taken[seat][3] == HandEnded(HandEnding.KNOCK, 0, 41, scores, tuple(sorted(other)))
        assert taken[seat][4] == HandStarted(2, 0, game.hand.cards(seat), Card.parse("Td"), scores)
        assert streams[seat].take() == ()


def test_a_card_taken_from_the_pile_is_seen_by_both(monkeypatch: pytest.MonkeyPatch) -> None:
    game = game_of(monkeypatch, stacked_deck(KNOCKER, DEFENDER, "Td"))
    game.apply(Draw.UPCARD)
    assert events_of(game, 1)[1] == events_of(game, 0)[1] == Drew(0, Draw.UPCARD, Card.parse("Td"))
    assert view_of(game, 1).known_opponent_cards == (Card.parse("Td"),)


def test_a_void_hand_shows_nobodys_cards() -> None:
    game = Game(CLASSIC, b"void")
    while not game.results:
        hand = game.hand
        if hand.drawn is not None:
            game.apply(Discard(tables.drawn(hand)))
        else:
            game.apply(Draw.STOCK if Draw.STOCK in hand.legal_actions() else Draw.PASS)
    ended = [event for event in events_of(game, 0) if isinstance(event, HandEnded)]
    assert ended == [HandEnded(HandEnding.VOID_STOCK, None, 0, (0, 0), ())]


def test_big_gin_is_declared_and_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    deck = stacked_deck("As2s3s4s 5s5c5d 9hThJh", "", stock="Qh", upcard="Kd")
    game = game_of(monkeypatch, deck, rules=CLASSIC.replace(big_gin_bonus=31))
    for action in (Draw.PASS, Draw.PASS, Draw.STOCK, BIG_GIN):
        game.apply(action)
    declared, shown, ended = events_of(game, 1)[4:7]
    assert declared == DeclaredBigGin(0)
    assert isinstance(shown, Shown)
    assert sum(len(meld) for meld in shown.melds) == 11
    assert isinstance(ended, HandEnded)
    assert ended.ending is HandEnding.BIG_GIN


def test_a_reshuffle_is_announced_without_its_order() -> None:
    game = Game(RESHUFFLE, b"reshuffle")
    while not any(step.reshuffled for step in game.hand.steps):
        hand = game.hand
        if hand.drawn is not None:
            game.apply(Discard(tables.drawn(hand)))
        else:
            game.apply(Draw.STOCK if Draw.STOCK in hand.legal_actions() else Draw.PASS)
    assert events_of(game, 0)[-1] == Reshuffled(game.hand.stock_size)
    assert view_of(game, 0).discard_pile == (game.hand.upcard,)


@given(seeds, st.integers(0, 150), st.integers(1, 9))
def test_a_stream_taken_in_pieces_is_the_whole(seed: int, moves: int, every: int) -> None:
    rng = random.Random(seed)
    game, decks = played(rng, CLASSIC, moves)
    actions = [step.action for hand in game.hands for step in hand.steps]
    streams: list[EventStream] = []
    pieces: list[Event] = []

    def look(now: Game) -> None:
        if not streams:
            streams.append(EventStream(now, 1))
        if rng.randrange(every) == 0:
            pieces.extend(streams[0].take())

    again = replayed(CLASSIC, decks, actions, game.hands[0].dealer, look)
    pieces.extend(streams[0].take())
    assert tuple(pieces) == events_of(again, 1) == events_of(game, 1)


@pytest.mark.parametrize("data", [[], ["hand"], ["drew", 0], ["what", 1], ["drew", 0, "pile", None], ["passed", 0, 1]])
def test_what_is_no_event_is_refused(data: list[Any]) -> None:
    with pytest.raises(ValueError):
        event_from_wire(data)
