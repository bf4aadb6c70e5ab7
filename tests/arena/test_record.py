from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.actions import Action, Arrange, Defend, Discard, Draw
from arena.bot import Bot, GameEnding
from arena.bots.random_bot import RandomBot
from arena.bots.sharp import Sharp
from arena.bots.simple import Simple
from arena.cards import Card, parse_cards
from arena.game import Game
from arena.handrecord import TIME_CODES
from arena.layoffs import LayOff
from arena.local import LocalContestant
from arena.melds import Meld
from arena.player import FaultKind
from arena.record import FaultRecord, HandRecord, MatchRecord, RecordError
from arena.referee import play_match
from arena.rules import CLASSIC, RULE_SETS, Rules
from arena.view import View

SEED = bytes(range(100, 132))


@cache
def a_match() -> MatchRecord:
    return play_match(CLASSIC, SEED, LocalContestant(Simple), LocalContestant(Sharp))


class Shower(Simple):
    """Shows and lays off by itself, what the arena would too."""

    def arrange(self, view: View) -> Any:
        return list(view.best_melds)

    def lay_off(self, view: View, melds: tuple[Meld, ...]) -> Any:
        return []


class Crasher(Simple):
    def choose_discard(self, view: View) -> Discard:
        if view.turns > 5:
            raise RuntimeError("secret plan failed")
        print("thinking")
        return super().choose_discard(view)


def records() -> list[MatchRecord]:
    pairs: list[tuple[type[Bot], type[Bot]]] = [
        (Shower, Simple),
        (Crasher, Simple),
        (Crasher, Crasher),
        (Shower, Shower),
    ]
    return [
        a_match(),
        *(play_match(CLASSIC, SEED, LocalContestant(a), LocalContestant(b)) for a, b in pairs),
        *(play_match(rules, SEED, LocalContestant(Simple), LocalContestant(Shower)) for rules in RULE_SETS.values()),
        play_match(CLASSIC, SEED, LocalContestant(Simple), LocalContestant(RandomBot), pairs=2),
    ]


def test_records_survive_bytes_and_replay_to_the_identical_result() -> None:
    for record in records():
        again = MatchRecord.from_bytes(record.to_bytes())
        assert again == record
        for game, state in zip(again.games, again.replay(), strict=True):
            assert state.totals == game.scores
            assert len(state.hands) == len(game.hands)


def test_a_replay_deals_the_hands_that_were_played() -> None:
    first, second = a_match().replay()
    assert first.hands[0].dealt(0) == second.hands[0].dealt(0)
    assert first.seed == second.seed


def test_own_showdowns_are_kept() -> None:
    record = play_match(CLASSIC, SEED, LocalContestant(Shower), LocalContestant(Shower))
    assert any(hand.shown for game in record.games for hand in game.hands)


def test_hand_records() -> None:
    own = Arrange((Meld.of(parse_cards("3s4s5s")),))
    defence = Defend(None, (LayOff(Card.parse("6s"), 0),))
    actions: list[Action] = [
        Draw.PASS,
        Draw.UPCARD,
        Discard(Card.parse("Ac")),
        Draw.STOCK,
        Discard(Card.parse("Kd"), knock=True),
        own,
    ]
    hand = HandRecord.of([*actions, defence], [0.0, 1e-6, 1e-4, 0.01, 1.0, 100.0, 1e9])
    assert hand.actions == "21A0z!??"
    assert hand.shown == ("a=3s4s5s", "d=*/6s:0")
    moves = list(hand.moves())
    assert [action for action, _ in moves] == [*actions, defence]
    assert [seconds for _, seconds in moves][2:6] == pytest.approx([1e-4, 0.01, 1.0, 100.0], rel=0.16)
    assert moves[0][1] == moves[1][1] == 0


@given(st.floats(1e-5, 600))
def test_times_are_kept_to_a_sixth(seconds: float) -> None:
    ((_, kept),) = HandRecord.of([Draw.STOCK], [seconds]).moves()
    assert kept == pytest.approx(seconds, rel=0.16)


def test_a_record_is_small(capsys: pytest.CaptureFixture[str]) -> None:
    """The goal is 150 bytes a hand, decision times included."""
    record = play_match(CLASSIC, SEED, LocalContestant(Simple), LocalContestant(Simple), pairs=5)
    hands = sum(len(game.hands) for game in record.games)
    size = len(record.to_bytes())
    with capsys.disabled():
        print(f" {size / hands:.0f} bytes a hand ")
    assert size / hands <= 150


def test_points_games_and_quarters() -> None:
    record = a_match()
    first, second = record.games
    a_points = first.scores[0] + second.scores[1]
    b_points = first.scores[1] + second.scores[0]
    assert record.points() == (a_points, b_points)
    won = (first.winner == 0) + (second.winner == 1)
    assert record.games_won() == (won, 2 - won)
    split = 2 + (a_points > b_points) - (a_points < b_points)
    assert record.score_quarters() == {0: 0, 1: split, 2: 4}[won]


def test_the_public_record_tells_no_secrets() -> None:
    record = play_match(CLASSIC, SEED, LocalContestant(Crasher), LocalContestant(Simple))
    assert record.games[0].fault is not None
    assert "secret plan" in record.games[0].fault.traceback
    assert "thinking" in record.games[0].logs[0]
    assert record.games[0].marks[0]
    assert MatchRecord.from_bytes(record.to_bytes()) == record
    public = record.public()
    fault = public.games[0].fault
    assert fault is not None
    assert (fault.traceback, fault.file, fault.line, public.games[0].logs) == ("", None, None, ("", ""))
    assert public.games[0].marks == ((), ())
    assert fault.message == record.games[0].fault.message
    public.replay()


def damaged(change: Callable[[dict[str, Any]], object]) -> bytes:
    data = json.loads(zlib.decompress(a_match().to_bytes()))
    change(data)
    return zlib.compress(json.dumps(data).encode())


Change = Callable[[dict[str, Any]], object]

WRONG_SHAPES: dict[str, Change] = {
    "another format": lambda data: data.update(format=2),
    "no rules": lambda data: data.pop("rules"),
    "rules as list": lambda data: data.update(rules=[]),
    "unknown rules": lambda data: data.update(rules="bridge"),
    "odd seed": lambda data: data.update(seed="xyz"),
    "seed as number": lambda data: data.update(seed=7),
    "games as object": lambda data: data.update(games={}),
    "seat 2": lambda data: data["games"][0].update(winner=2),
    "winner true": lambda data: data["games"][0].update(winner=True),
    "three scores": lambda data: data["games"][0].update(scores=[1, 2, 3]),
    "score as text": lambda data: data["games"][0].update(scores=["1", 2]),
    "score as fraction": lambda data: data["games"][0].update(scores=[1.0, 2]),
    "score NaN": lambda data: data["games"][0].update(scores=[float("nan"), 2]),
    "unknown ending": lambda data: data["games"][0].update(ending="boredom"),
    "hand without times": lambda data: data["games"][0]["hands"].append(["1"]),
    "hand as number": lambda data: data["games"][0]["hands"].append(3),
    "actions as list": lambda data: data["games"][0]["hands"].append([["1"], "0"]),
    "short fault": lambda data: data["games"][0].update(faults=[[0, "time"]]),
    "unknown fault": lambda data: data["games"][0].update(faults=[[0, "bad", "", 1, 0, "", None, None, ""]]),
    "two faults of a seat": lambda data: data["games"][0].update(
        faults=[[0, "time", "", 1, 0, "", None, None, ""]] * 2
    ),
    "one log": lambda data: data["games"][0].update(logs=[""]),
    "marks of one log": lambda data: data["games"][0].update(logs=["ab", ""], marks=[[[0, 0]]]),
    "mark as number": lambda data: data["games"][0].update(logs=["ab", ""], marks=[[0], []]),
    "mark behind the log": lambda data: data["games"][0].update(logs=["ab", ""], marks=[[[0, 2]], []]),
    "mark twice": lambda data: data["games"][0].update(logs=["ab", ""], marks=[[[0, 1], [3, 1]], []]),
}


@pytest.mark.parametrize("change", WRONG_SHAPES.values(), ids=WRONG_SHAPES.keys())
def test_bytes_of_the_wrong_shape_are_refused(change: Change) -> None:
    with pytest.raises(RecordError):
        MatchRecord.from_bytes(damaged(change))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"hello",
        zlib.compress(b"hello"),
        zlib.compress(b"\xff"),
        zlib.compress(b"[" * 100_000),
        zlib.compress(b"3"),
    ],
)
def test_bytes_that_are_no_record(data: bytes) -> None:
    with pytest.raises(RecordError):
        MatchRecord.from_bytes(data)


def test_cut_and_longer_bytes_are_refused() -> None:
    data = a_match().to_bytes()
    for wrong in (data[:-5], data + b"x"):
        with pytest.raises(RecordError, match="cut off, too long, or has something behind it"):
            MatchRecord.from_bytes(wrong)


def test_a_record_that_would_unpack_to_gigabytes_is_refused() -> None:
    bomb = zlib.compress(b" " * (64 * 1024 * 1024))
    with pytest.raises(RecordError, match="too long"):
        MatchRecord.from_bytes(bomb)


@given(st.binary(max_size=200))
def test_fuzz(data: bytes) -> None:
    for hostile in (data, zlib.compress(data)):
        with pytest.raises(RecordError):
            MatchRecord.from_bytes(hostile)


def falsified(change: Change) -> MatchRecord:
    return MatchRecord.from_bytes(damaged(change))


def _swap(data: dict[str, Any]) -> None:
    data["games"][0]["winner"] = 1 - data["games"][0]["winner"]


def _score(data: dict[str, Any]) -> None:
    data["games"][1]["scores"][0] += 1


def _cut_hand(data: dict[str, Any]) -> None:
    data["games"][0]["hands"].pop()


def _cut_move(data: dict[str, Any]) -> None:
    hand = data["games"][0]["hands"][-1]
    hand[0], hand[1] = hand[0][:-1], hand[1][:-1]


def _more(data: dict[str, Any]) -> None:
    hand = data["games"][0]["hands"][-1]
    hand[0], hand[1] = hand[0] + "0", hand[1] + "0"


def _extra_hand(data: dict[str, Any]) -> None:
    data["games"][0]["hands"].append(["0", "0"])


def _other_seed(data: dict[str, Any]) -> None:
    data["seed"] = "00" * 32


def _missing_time(data: dict[str, Any]) -> None:
    data["games"][0]["hands"][0][1] = data["games"][0]["hands"][0][1][:-1]


def _bad_time(data: dict[str, Any]) -> None:
    data["games"][0]["hands"][0][1] = "?" + data["games"][0]["hands"][0][1][1:]


def _bad_code(data: dict[str, Any]) -> None:
    data["games"][0]["hands"][0][0] = "~" + data["games"][0]["hands"][0][0][1:]


def _idle_showdown(data: dict[str, Any]) -> None:
    data["games"][0]["hands"][0].append("a=")


def _no_showdown(data: dict[str, Any]) -> None:
    data["games"][0]["hands"][0][0] = "?" + data["games"][0]["hands"][0][0][1:]


def _fault(data: dict[str, Any]) -> None:
    data["games"][0].update(ending="fault", faults=[[0, "time", "", 1, 0, "", None, None, ""]], winner=1)


def _hand_cap(data: dict[str, Any]) -> None:
    data["games"][0]["ending"] = "hand_cap"


FALSE = [
    _swap, _score, _cut_hand, _cut_move, _more, _extra_hand, _other_seed, _missing_time, _bad_time, _bad_code,
    _idle_showdown, _no_showdown, _fault, _hand_cap,
]  # fmt: skip


@pytest.mark.parametrize("change", FALSE, ids=lambda change: change.__name__)
def test_a_false_record_does_not_replay(change: Change) -> None:
    with pytest.raises(RecordError):
        falsified(change).replay()


def test_a_fault_of_the_seat_that_was_not_to_act_does_not_replay() -> None:
    record = play_match(CLASSIC, SEED, LocalContestant(Crasher), LocalContestant(Simple))
    game = record.games[0]
    assert game.fault is not None
    other = 1 - game.fault.seat
    false = replace(game, faults=(replace(game.fault, seat=other),), winner=1 - other)
    with pytest.raises(RecordError, match="cannot have failed in the other seat's turn"):
        false.replay()


def test_a_hand_that_draws_from_an_empty_stock_does_not_replay() -> None:
    endless = Rules("endless", stock_floor=-1)
    actions: list[Action] = [Draw.PASS, Draw.PASS]
    game = Game(endless, SEED)
    for action in actions:
        game.apply(action)
    for _ in range(31):
        for action in (Draw.STOCK, Discard(game.hand.cards(game.turn)[0])):
            game.apply(action)
            actions.append(action)
    hand = HandRecord.of([*actions, Draw.STOCK], [0.0] * (len(actions) + 1))
    false = replace(a_match().games[0], rules=endless, seed=SEED, hands=(hand,))
    with pytest.raises(RecordError, match="empty stock"):
        false.replay()


def test_a_start_failure_replays_without_a_move() -> None:
    game = replace(
        a_match().games[0],
        ending=GameEnding.FAULT,
        winner=0,
        scores=(0, 0),
        hands=(HandRecord(),),
        faults=(FaultRecord(1, FaultKind.START, "no bot", 1, 0),),
    )
    assert game.replay().hands_played == 0


def test_there_is_a_time_code_for_every_level() -> None:
    assert len(set(TIME_CODES)) == 64
