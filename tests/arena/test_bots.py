from __future__ import annotations

import ast
import sys
import time
from collections import Counter as Counts
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import pytest

from arena.actions import Discard, Draw
from arena.bot import Bot, GameStart
from arena.bots import HOUSE_BOTS, house_source, starter_source
from arena.bots.cautious import Cautious
from arena.bots.collector import Collector
from arena.bots.counter import Counter
from arena.bots.dreamer import Dreamer
from arena.bots.greedy import Greedy
from arena.bots.hasty import Hasty
from arena.bots.novice import Novice
from arena.bots.purist import Purist
from arena.bots.random_bot import RandomBot
from arena.bots.reader import Reader
from arena.bots.runner import Runner
from arena.bots.sharp import Sharp, danger, outs
from arena.bots.simple import Simple
from arena.bots.tactician import Tactician
from arena.bots.watcher import Watcher
from arena.cards import DECK, Card, cards_of, mask_of, parse_cards
from arena.deadwood import makes_meld
from arena.events import Discarded, Drew, HandEnding, HandStarted
from arena.game import Game
from arena.loader import load_bot
from arena.local import LocalContestant, UploadContestant
from arena.pairing import Candidate, pairings
from arena.record import MatchRecord
from arena.referee import play_match
from arena.rules import CLASSIC, RULE_SETS
from arena.view import View, view_of

B = TypeVar("B", bound=Bot)
SOURCES = {**{bot.slug: house_source(bot.slug) for bot in HOUSE_BOTS}, "starter": starter_source()}


def match(a: type[Bot], b: type[Bot], number: int, pairs: int = 1) -> MatchRecord:
    seed = b"house bots" + number.to_bytes(22, "big")
    return play_match(CLASSIC, seed, LocalContestant(a), LocalContestant(b), pairs=pairs)


@pytest.mark.parametrize("slug", SOURCES)
def test_each_file_is_an_upload(slug: str) -> None:
    assert load_bot({"bot.py": SOURCES[slug]}, "bot.py").__doc__


@pytest.mark.parametrize("slug", SOURCES)
def test_each_file_imports_only_arenas_public_names_and_the_standard_library(slug: str) -> None:
    for node in ast.walk(ast.parse(SOURCES[slug])):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            assert node.module == "arena" or node.module in sys.stdlib_module_names
        elif isinstance(node, ast.Import):
            assert {alias.name.partition(".")[0] for alias in node.names} <= sys.stdlib_module_names


@pytest.mark.parametrize("slug", SOURCES)
@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS.keys())
def test_each_bot_plays_every_rule_set_without_a_fault(slug: str, rules: Any) -> None:
    contestant = UploadContestant({"bot.py": SOURCES[slug]}, "bot.py")
    record = play_match(rules, b"every rule set".ljust(32), contestant, LocalContestant(Simple))
    assert [fault.message for game in record.games for fault in game.faults] == []
    record.replay()


def test_slugs_are_unique_and_an_unknown_one_is_refused() -> None:
    assert len({bot.slug for bot in HOUSE_BOTS}) == len(HOUSE_BOTS) == 15
    with pytest.raises(KeyError):
        house_source("starter")


def test_simple_beats_random() -> None:
    assert match(Simple, RandomBot, 1, pairs=5).games_won() == (10, 0)


def test_sharp_beats_simple() -> None:
    """Measured over 300 pairs: 74 % of the games. Of 60 games, 33 is more than 3 standard deviations below that."""
    assert match(Sharp, Simple, 2, pairs=30).games_won()[0] >= 33


def test_random_games_end() -> None:
    record = match(RandomBot, RandomBot, 3)
    assert any(hand.actions.endswith(("+", "=")) for game in record.games for hand in game.hands)


@pytest.mark.parametrize("slug", SOURCES)
def test_a_game_takes_a_small_part_of_the_clock(slug: str) -> None:
    """Its clock holds 10 CPU seconds for a game. The slowest was measured at 0.2 on average."""
    contestant = LocalContestant(load_bot({"bot.py": SOURCES[slug]}, "bot.py"))
    began = time.thread_time()
    record = play_match(CLASSIC, b"speed".ljust(32), contestant, contestant)
    assert (time.thread_time() - began) / len(record.games) / 2 < 2.0


def test_each_description_is_one_sentence() -> None:
    for bot in HOUSE_BOTS:
        assert bot.description.startswith(("A ", "An "))
        assert bot.description.count(".") == bot.description.endswith(".") == 1


def test_the_published_table_lists_every_house_bot_as_it_is_described() -> None:
    rows = (Path(__file__).parents[2] / "docs/house-bots.md").read_text(encoding="utf-8").splitlines()
    listed = {row.split(" | ")[1]: row.split(" | ")[-1].removesuffix(" |") for row in rows if " (`" in row}
    assert listed == {f"{bot.name} (`{bot.slug}`)": bot.description for bot in HOUSE_BOTS}


def test_an_upload_meets_many_of_the_house() -> None:
    """Of 60 matches of a settled house and one newcomer it plays a good part, and not with one or two alone."""
    house = [Candidate(number, None, 1_250_000 + 40_000 * number, 300) for number in range(len(HOUSE_BOTS))]
    newcomer = Candidate(99, 7, 1_500_000, 0)
    met: dict[int, Counts[int]] = {one.id: Counts() for one in [*house, newcomer]}
    for seed in range(60):
        pair = first, second = next(pairings([*house, newcomer], met.__getitem__, Random(seed)))
        met[first][second] += 1
        met[second][first] += 1
        if 99 in pair:
            newcomer = replace(newcomer, games=newcomer.games + 1)
    assert newcomer.games >= 9
    assert len(met[99]) >= 4


# -- the simple policy, rule by rule -------------------------------------------------------------------------------


def view(
    hand: str, pile: str, decision: str, *, drawn: str | None = None, taken: bool = False, limit: int = 10, **more: Any
) -> View:
    """What a seat with these cards would see."""
    wire = view_of(Game(CLASSIC, b"any"), 1).to_wire()
    cards = "".join(str(card) for card in sorted(parse_cards(hand)))
    return View.from_wire(
        wire
        | {
            "hand": cards,
            "pile": pile.replace(" ", ""),
            "decision": decision,
            "drawn": drawn,
            "taken": taken,
            "knock_limit": limit,
        }
        | more
    )


TEN = "2c 3c 5h 7h 9h Js Qs 4d 8d Kd"


@pytest.mark.parametrize("upcard", ["4c", "Ac", "Ts", "Ks"])
def test_simple_takes_an_upcard_that_becomes_part_of_a_meld(upcard: str) -> None:
    for phase in ("offer", "draw"):
        assert Simple().choose_draw(view(TEN, upcard, phase)) is Draw.UPCARD


@pytest.mark.parametrize("upcard", ["Ah", "5c", "2h", "9s", "3d"])
def test_simple_leaves_any_other_even_when_it_would_lower_deadwood(upcard: str) -> None:
    assert Simple().choose_draw(view(TEN, upcard, "offer")) is Draw.PASS
    assert Simple().choose_draw(view(TEN, upcard, "draw")) is Draw.STOCK


def test_simple_leaves_the_least_deadwood_and_knocks_as_soon_as_it_may() -> None:
    eleven = "2c 3c 4c 7h 8h 9h Js Qs Ks Ad Kd"
    assert Simple().choose_discard(view(eleven, "5d", "discard", drawn="Kd")) == Discard(Card.parse("Kd"), knock=True)
    high = "2c 3c 4c 7h 8h 9h Js Qs 6s 6d Kd"
    assert Simple().choose_discard(view(high, "5d", "discard", drawn="Kd")).knock is False
    thrown = {
        str(_seeded(Simple, number).choose_discard(view(high, "5d", "discard", drawn="2c")).card)
        for number in range(40)
    }
    assert thrown == {"Js", "Qs", "Kd"}


def test_simple_does_not_discard_the_card_it_took() -> None:
    eleven = "2c 3c 4c 7h 8h 9h 6s 5s Ts Ad Kd"
    card = Simple().choose_discard(view(eleven, "5d", "discard", drawn="Kd", taken=True)).card
    assert str(card) == "Ts"


def test_simple_never_repeats_a_draw_and_its_discard_in_a_hand() -> None:
    bot = Simple()
    now = view("2c 3c 4c 7h 8h 9h Js Qs 6s 6d Kd", "5d", "discard", drawn="Kd")
    thrown = [bot.choose_discard(now).card for _ in range(3)]
    assert sorted(map(str, thrown)) == ["Js", "Kd", "Qs"]
    assert str(bot.choose_discard(now).card) in ("6s", "6d")
    bot.start_hand(None)  # type: ignore[arg-type]
    assert bot.choose_discard(now).card.points == 10


def _seeded(bot_class: type[B], seed: int) -> B:
    bot = bot_class()
    bot.random.seed(seed)
    return bot


# -- the parts of sharp --------------------------------------------------------------------------------------------


def test_outs_are_the_cards_that_would_meld() -> None:
    for index in range(30):
        game = Game(CLASSIC, b"outs" + bytes([index]))
        hand = game.hand.mask(0)
        expected = [card for card in DECK if not hand >> card & 1 and makes_meld(hand, card)]
        assert list(cards_of(outs(hand))) == expected


def test_danger_grows_with_what_the_opponent_may_hold() -> None:
    card = Card.parse("7h")
    everything = mask_of(DECK) & ~card.mask
    nothing = 0
    assert danger(card, nothing, nothing) == 0
    assert 0 < danger(card, everything, nothing) < 1
    assert danger(card, everything, mask_of(parse_cards("7c"))) > danger(card, everything, nothing)
    assert danger(card, nothing, mask_of(parse_cards("8h 9h"))) == 1
    assert danger(card, nothing, mask_of(parse_cards("9h Th"))) == 0
    assert danger(Card.parse("Kc"), nothing, mask_of(parse_cards("Ah 2h Qc"))) == 0


# -- what defines the styles of the others -------------------------------------------------------------------------

KNOCKS_AT_ONCE = (Collector, Runner, Greedy, Hasty, Counter)
KNOCK_WITH_TEN = "2c 3c 4c 7h 8h 9h Js Jd Jc Kd Ts"
KNOCK_WITH_TWO = "2c 3c 4c 7h 8h 9h Js Jd Jc 2d Ts"
GIN = "2c 3c 4c 7h 8h 9h Js Jd Jc Jh Ts"


def knocks(bot: Bot, hand: str, **more: Any) -> bool:
    bot.start_game(GameStart(CLASSIC, 1, "00" * 16))
    bot.start_hand(HandStarted(1, 0, parse_cards("2c 3c 4c 7h 8h 9h Js Jd Jc Kd"), Card.parse("5d"), (0, 0)))
    action = bot.choose_discard(view(hand, "5d", "discard", drawn="Ts", **more))
    return isinstance(action, Discard) and action.knock


def thrown(bot: Bot, hand: str, pile: str = "5d", **more: Any) -> str:
    action = bot.choose_discard(view(hand, pile, "discard", drawn=hand.split()[-1], **more))
    assert isinstance(action, Discard)
    assert not action.knock
    return str(action.card)


@pytest.mark.parametrize("style", KNOCKS_AT_ONCE)
def test_some_knock_as_soon_as_they_may(style: type[Bot]) -> None:
    assert all(knocks(style(), KNOCK_WITH_TEN, turns=turns) for turns in (0, 20))


@pytest.mark.parametrize("style", [Purist, Cautious, Watcher, Tactician, Reader, Dreamer])
def test_everybody_takes_gin(style: type[Bot]) -> None:
    assert knocks(style(), GIN, turns=9)


@pytest.mark.parametrize("turns", [0, 3, 12])
def test_the_purist_never_knocks_above_nothing(turns: int) -> None:
    assert not knocks(Purist(), KNOCK_WITH_TEN, turns=turns)
    assert not knocks(Purist(), KNOCK_WITH_TWO, turns=turns)


def test_the_purists_hands_end_in_gin_alone() -> None:
    record = match(Purist, Purist, 4, pairs=2)
    endings = {result.ending for game in record.replay() for result in game.results}
    assert HandEnding.GIN in endings
    assert not endings & {HandEnding.KNOCK, HandEnding.UNDERCUT}


def test_the_cautious_knocks_low_until_the_stock_runs_out() -> None:
    assert knocks(Cautious(), KNOCK_WITH_TWO, stock=20)
    assert not knocks(Cautious(), KNOCK_WITH_TEN, stock=20)
    assert knocks(Cautious(), KNOCK_WITH_TEN, stock=4)


def test_the_watcher_knocks_high_only_early() -> None:
    assert knocks(Watcher(), KNOCK_WITH_TEN, turns=2)
    assert not knocks(Watcher(), KNOCK_WITH_TEN, turns=14)
    assert knocks(Watcher(), KNOCK_WITH_TWO, turns=14)


def test_the_tactician_knocks_by_the_score() -> None:
    assert knocks(Tactician(), KNOCK_WITH_TEN, turns=2)
    assert not knocks(Tactician(), KNOCK_WITH_TEN, turns=14)
    assert knocks(Tactician(), KNOCK_WITH_TEN, turns=14, scores=[0, 95])
    assert not knocks(Tactician(), KNOCK_WITH_TWO, turns=14)
    assert knocks(Tactician(), KNOCK_WITH_TWO, turns=14, scores=[80, 0])


FULL = {"known": "KsKhQhTc"}
NEARLY_DONE = {"known": "3h4h5h6hAcAsAdAh", "turns": 12}
"""An opponent with two whole melds holds so little that a knock with ten would be undercut."""


def test_the_reader_knocks_on_a_full_hand_but_not_on_one_that_is_nearly_done() -> None:
    assert knocks(Reader(), KNOCK_WITH_TEN, **FULL)
    assert not knocks(Reader(), KNOCK_WITH_TEN, **NEARLY_DONE)


def test_the_dreamer_knocks_when_playing_on_brings_less() -> None:
    """With two cards to come nobody goes gin any more, so what the opponent holds is all there is to win."""
    assert knocks(Dreamer(), KNOCK_WITH_TEN, **FULL, stock=3)
    assert not knocks(Dreamer(), KNOCK_WITH_TEN, **NEARLY_DONE)


def test_the_dreamer_stops_dreaming_when_its_clock_runs_out() -> None:
    assert knocks(Dreamer(), KNOCK_WITH_TEN, **NEARLY_DONE, time_left=0.5)


def test_the_greedy_takes_what_lowers_its_deadwood_and_the_hasty_what_lets_it_knock() -> None:
    assert Greedy().choose_draw(view(TEN, "Ah", "draw")) is Draw.UPCARD
    assert Hasty().choose_draw(view("2c 3c 4c 7h 8h 9h Js Jd Jc Kd", "Ah", "draw")) is Draw.UPCARD
    assert Simple().choose_draw(view("2c 3c 4c 7h 8h 9h Js Jd Jc Kd", "Ah", "draw")) is Draw.STOCK
    assert Greedy().choose_draw(view("2c 3c 4c 7h 8h 9h Js Jd Ac 2d", "Ts", "draw")) is Draw.STOCK


def test_the_collector_wants_sets_and_the_runner_runs() -> None:
    pairs_and_neighbours = "2c 3c 7h 8h 9s Js Jd Qd Kc Kd"
    assert Collector().choose_draw(view(pairs_and_neighbours, "Jh", "draw")) is Draw.UPCARD
    assert Collector().choose_draw(view(pairs_and_neighbours, "4c", "draw")) is Draw.STOCK
    assert Runner().choose_draw(view(pairs_and_neighbours, "Jh", "draw")) is Draw.STOCK
    assert Runner().choose_draw(view(pairs_and_neighbours, "4c", "draw")) is Draw.UPCARD
    assert thrown(Collector(), "2c 3c 7h 8h 9s 5s Ts Jd Qd Kc Kh") == "Qd"
    assert thrown(Runner(), "2c 3c 7h 8h 9s 5s Ts Jd Qd Kc Kh") in ("Kc", "Kh")


def test_the_novice_throws_a_pair_of_kings_and_dozes() -> None:
    cards = {thrown(_seeded(Novice, number), "2c 3c 7h 8h 9s 5s Ts Jd Qd Kc Kh") for number in range(60)}
    assert "Kc" in cards
    assert len(cards) > 3


def test_the_watcher_gives_away_what_the_opponent_can_use_least() -> None:
    hand = "2c 3c 4c 7h 8h 9h Qs Kh 5s 8d 9s"
    assert thrown(Watcher(), hand, pile="Kc Ks Qh") == "Kh"
    assert thrown(Watcher(), hand, pile="Qc Qh") == "Qs"


def test_the_counter_keeps_what_can_still_be_completed() -> None:
    hand = "2c 3c 4c 7h 8h 9h Qs Qd Kh Kd As"
    assert thrown(Counter(), hand, pile="Kc Ks") in ("Kh", "Kd")
    assert thrown(Counter(), hand, pile="Qc Qh") in ("Qs", "Qd")


def test_the_reader_believes_less_in_what_goes_with_a_card_that_was_left_or_thrown() -> None:
    bot = Reader()
    bot.start_game(GameStart(CLASSIC, 1, "00" * 16))
    bot.start_hand(HandStarted(1, 0, parse_cards("2c 3c 4c 7h 8h 9h Js Jd Jc Kd"), Card.parse("5d"), (0, 0)))
    bot.observe(Drew(0, Draw.STOCK, None))
    bot.observe(Discarded(0, Card.parse("Ts"), False))
    bot.observe(Drew(1, Draw.STOCK, Card.parse("Qh")))
    chances = bot.chances(view("2c 3c 4c 7h 8h 9h Js Jd Jc Kd Qh", "5d Ts", "discard", drawn="Qh"))
    assert sum(chances.values()) == pytest.approx(10)
    assert chances[Card.parse("6d")] == chances[Card.parse("5s")] == chances[Card.parse("9s")]
    assert chances[Card.parse("6d")] < chances[Card.parse("Ks")]
