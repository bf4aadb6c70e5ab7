from __future__ import annotations

import ast
import time
from typing import Any

import pytest

from arena.actions import Discard, Draw
from arena.bot import Bot
from arena.bots import HOUSE_BOTS, house_source, starter_source
from arena.bots.random_bot import RandomBot
from arena.bots.sharp import Sharp, danger, outs
from arena.bots.simple import Simple
from arena.cards import DECK, Card, cards_of, mask_of, parse_cards
from arena.deadwood import makes_meld
from arena.game import Game
from arena.loader import load_bot
from arena.local import LocalContestant, UploadContestant
from arena.record import MatchRecord
from arena.referee import play_match
from arena.rules import CLASSIC, RULE_SETS
from arena.view import View, view_of

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
            assert node.module == "arena"
            assert node.level == 0


@pytest.mark.parametrize("slug", SOURCES)
@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS.keys())
def test_each_bot_plays_every_rule_set_without_a_fault(slug: str, rules: Any) -> None:
    contestant = UploadContestant({"bot.py": SOURCES[slug]}, "bot.py")
    record = play_match(rules, b"every rule set".ljust(32), contestant, LocalContestant(Simple))
    assert [fault.message for game in record.games for fault in game.faults] == []
    record.replay()


def test_slugs_are_unique_and_an_unknown_one_is_refused() -> None:
    assert len({bot.slug for bot in HOUSE_BOTS}) == len(HOUSE_BOTS) == 3
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


def test_a_game_of_sharp_takes_far_below_a_second() -> None:
    contestant = LocalContestant(Sharp)
    began = time.thread_time()
    record = play_match(CLASSIC, b"speed".ljust(32), contestant, contestant, pairs=2)
    assert (time.thread_time() - began) / len(record.games) < 1.0


# -- the simple policy, rule by rule -------------------------------------------------------------------------------


def view(
    hand: str, pile: str, decision: str, *, drawn: str | None = None, taken: bool = False, limit: int = 10
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


def _seeded(bot_class: type[Simple], seed: int) -> Simple:
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
