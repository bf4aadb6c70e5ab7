from __future__ import annotations

import contextlib
import io
import json
import sys
from typing import Any

import pytest

from arena.actions import Draw
from arena.bot import Clock, GameEnd, GameEnding, GameStart
from arena.client import LinkedPlayer
from arena.events import HandStarted, event_to_wire
from arena.game import Game
from arena.local import UploadContestant
from arena.player import BotFault, Contestant, FaultKind
from arena.protocol import Ask, Reply, Request, decode_reply, decode_request, encode_reply, encode_request
from arena.referee import play_game
from arena.rules import CLASSIC, RULE_SETS
from arena.session import LOG_CHARACTERS, BotSession
from arena.view import View, events_of, view_of

HEADER = "from arena import *\n"
BOT = (
    HEADER
    + """
class Mine(Bot):
    '''A bot for tests.'''
    def choose_draw(self, view):
        return Draw.PASS if Draw.PASS in view.legal else Draw.STOCK
    def choose_discard(self, view):
        return view.legal_discards[0]
"""
)


class WireLink:
    """A link that really writes and reads the bytes."""

    def __init__(self) -> None:
        self.session = BotSession()
        self.requests: list[dict[str, Any]] = []
        self.spent = 0.0

    def ask(self, request: Request) -> Reply:
        received = decode_request(encode_request(request))
        self.requests.append(received)
        self.spent += 0.25
        return decode_reply(encode_reply(self.session.handle(received)), request)

    def close(self) -> None:
        pass


def player_of(source: str) -> LinkedPlayer:
    return LinkedPlayer(WireLink(), {"bot.py": source}, "bot.py")


def started(source: str) -> LinkedPlayer:
    player = player_of(source)
    player.start(GameStart(CLASSIC, 1, "00" * 16))
    return player


def game_at_offer() -> Game:
    return Game(CLASSIC, b"session")


def decide(source: str) -> Any:
    """What a bot in seat 1 answers to the first offer."""
    game = game_at_offer()
    return started(source).decide(view_of(game, 1), events_of(game, 1))


def fault(source: str) -> BotFault:
    with pytest.raises(BotFault) as caught:
        decide(source)
    return caught.value


def test_load_says_what_the_bot_is() -> None:
    session = BotSession()
    request = {"id": 1, "nonce": "n", "ask": "load", "files": {"bot.py": BOT}, "entry": "bot.py"}
    assert session.handle(request) == {
        "id": 1,
        "nonce": "n",
        "answer": {"class": "Mine", "doc": "A bot for tests.", "overrides": []},
    }


def test_overrides_are_named() -> None:
    player = player_of(BOT + "    def lay_off(self, view, melds):\n        return None\n")
    assert player.load().overrides == {"lay_off"}


def test_the_view_and_the_events_arrive_as_they_were() -> None:
    game = game_at_offer()
    link = WireLink()
    player = LinkedPlayer(link, {"bot.py": BOT}, "bot.py")
    player.start(GameStart(CLASSIC, 1, "00" * 16))
    bot = link.session._bot
    assert bot is not None
    seen: list[Any] = []
    bot.choose_draw = lambda view: seen.append(view) or Draw.PASS  # type: ignore[method-assign,func-returns-value]
    bot.start_hand = seen.append  # type: ignore[method-assign,assignment]
    assert player.decide(view_of(game, 1), events_of(game, 1)) is Draw.PASS
    assert seen == [*events_of(game, 1), view_of(game, 1)]
    assert isinstance(seen[0], HandStarted)


def test_a_failed_load_is_reported_with_its_place() -> None:
    with pytest.raises(BotFault) as caught:
        started("import helpers_\n")
    assert (caught.value.kind, caught.value.code) == (FaultKind.START, "import")
    assert (caught.value.file, caught.value.line) == ("bot.py", 1)


@pytest.mark.parametrize(
    ("statement", "kind", "message"),
    [
        ("1 / 0", FaultKind.EXCEPTION, "ZeroDivisionError: division by zero"),
        ("raise SystemExit", FaultKind.EXCEPTION, "SystemExit"),
        ("raise KeyboardInterrupt", FaultKind.EXCEPTION, "KeyboardInterrupt"),
        ("raise GeneratorExit", FaultKind.EXCEPTION, "GeneratorExit"),
        ("raise MemoryError", FaultKind.MEMORY, "The bot ran out of memory."),
        ("return self.choose_draw(view)", FaultKind.EXCEPTION, "RecursionError: maximum recursion depth exceeded"),
        ("raise Exception('half \\ud800')", FaultKind.EXCEPTION, "Exception: half ?"),
    ],
)
def test_exceptions(statement: str, kind: FaultKind, message: str) -> None:
    found = fault(BOT.replace("return Draw.PASS if", f"{statement}\n        return Draw.PASS if"))
    assert found.kind is kind
    assert found.message.startswith(message)
    assert found.file == "bot.py"
    assert found.line == 6
    assert statement.split("(")[0] in found.traceback
    assert "session.py" not in found.traceback


def test_an_exception_that_fails_whoever_looks_at_it() -> None:
    liar = "raise type('Liar', (Exception,), {'__class__': property(lambda self: 1 / 0)})"
    found = fault(BOT.replace("return Draw.PASS if", f"{liar}\n        return Draw.PASS if"))
    assert found.kind is FaultKind.EXCEPTION
    assert found.message == "The bot raised an exception that cannot be shown."


@pytest.mark.parametrize(
    ("answer", "came"),
    [
        ("None", "None (NoneType)"),
        ("'stock'", "'stock' (str)"),
        ("True", "True (bool)"),
        ("Discard(view.hand[0])", "Discard("),
        ("Draw", "<enum 'Draw'> (EnumType)"),
    ],
)
def test_a_wrong_draw_says_what_was_expected_and_what_came(answer: str, came: str) -> None:
    found = fault(BOT.replace("return Draw.PASS if Draw.PASS in view.legal else Draw.STOCK", f"return {answer}"))
    assert found.kind is FaultKind.ILLEGAL
    assert found.message.startswith(f"choose_draw must return Draw.UPCARD, Draw.STOCK or Draw.PASS; it returned {came}")


def at_discard() -> Game:
    game = game_at_offer()
    game.apply(Draw.UPCARD)
    return game


def discard(source: str) -> Any:
    game = at_discard()
    return started(source).decide(view_of(game, 1), events_of(game, 1))


@pytest.mark.parametrize("answer", ["0", "None", "'2c'", "Draw.STOCK", "Discard('2c')", "[view.hand[0]]"])
def test_a_wrong_discard(answer: str) -> None:
    with pytest.raises(BotFault, match="choose_discard must return a Discard or a Card; it returned") as caught:
        discard(BOT.replace("return view.legal_discards[0]", f"return {answer}"))
    assert caught.value.kind is FaultKind.ILLEGAL


def test_a_bare_card_is_a_discard() -> None:
    action = discard(BOT)
    assert action.card in at_discard().hand.cards(1)
    assert action.knock is False


def test_prints_are_captured_and_the_real_streams_come_back() -> None:
    out = io.StringIO()
    source = BOT.replace(
        "return Draw.PASS if",
        "import sys; print('to out'); print('to err', file=sys.stderr)\n        return Draw.PASS if",
    )
    with contextlib.redirect_stdout(out):
        player = started("print('at import')\n" + source)
        game = game_at_offer()
        player.decide(view_of(game, 1), events_of(game, 1))
        assert sys.stdout is out
    assert out.getvalue() == ""
    assert player.log == "at import\nto out\nto err\n"


def test_a_file_that_no_game_may_look_up_is_explained() -> None:
    # A sandbox tells who asks for a file during a game that there is no such function.
    asks = "raise OSError(38, 'Function not implemented', 'book.txt')"
    found = fault(BOT.replace("return Draw.PASS if Draw.PASS in view.legal else Draw.STOCK", asks))
    assert found.kind is FaultKind.EXCEPTION
    assert found.message.startswith("OSError: [Errno 38] Function not implemented: 'book.txt' (during a game no file")


def test_a_flood_of_prints_is_cut_and_flagged() -> None:
    session = BotSession()
    source = BOT + f"print('x' * {LOG_CHARACTERS * 3})\nprint('more')"
    reply = session.handle({"id": 1, "nonce": "n", "ask": "load", "files": {"bot.py": source}, "entry": "bot.py"})
    assert reply["log"] == "x" * LOG_CHARACTERS
    assert reply["truncated"] is True
    assert json.dumps(reply)


def test_the_log_of_a_game_is_capped() -> None:
    game = game_at_offer()
    player = started(BOT.replace("return Draw.PASS if", "print('y' * 5999)\n        return Draw.PASS if"))
    for _ in range(20):
        player.decide(view_of(game, 1), ())
    assert len(player.log) == 64 * 1024


def test_logging_set_up_by_the_bot_keeps_working() -> None:
    source = "import logging\nlog = logging.Logger('x')\nlog.addHandler(logging.StreamHandler())\n" + BOT.replace(
        "return Draw.PASS if", "log.warning('careful')\n        return Draw.PASS if"
    )
    game = game_at_offer()
    player = started(source)
    player.decide(view_of(game, 1), events_of(game, 1))
    player.decide(view_of(game, 1), ())
    assert player.log == "careful\ncareful\n"


def test_the_bots_randomness_follows_from_the_seed_alone() -> None:
    source = BOT.replace(
        "class Mine(Bot):", "class Mine(Bot):\n    def __init__(self):\n        self.kept = self.random\n"
    )
    source = source.replace(
        "return Draw.PASS if", "print(self.kept.random(), self.random.random())\n        return Draw.PASS if"
    )

    def printed(seed: str) -> str:
        game = game_at_offer()
        player = player_of(source)
        player.start(GameStart(CLASSIC, 1, seed))
        player.decide(view_of(game, 1), ())
        return player.log

    assert printed("00" * 16) == printed("00" * 16) != printed("01" * 16)


def test_hooks_are_called_in_order() -> None:
    source = (
        HEADER
        + """
class Mine(Bot):
    def start_game(self, start): print("game", start.seat, start.rules.name)
    def start_hand(self, start): print("hand", start.number)
    def observe(self, event): print(type(event).__name__)
    def end_hand(self, end): print("ended", end.points)
    def end_game(self, end): print("over", end.ending.value, end.winner, end.scores)
    def choose_draw(self, view): print("draw"); return view.legal[0]
    def choose_discard(self, view): ...
"""
    )
    game = game_at_offer()
    game.apply(Draw.PASS)
    player = player_of(source)
    player.start(GameStart(CLASSIC, 0, "00" * 16))
    player.decide(view_of(game, 0), events_of(game, 0))
    player.end(GameEnd(GameEnding.TARGET, 1, (20, 101), events_of(game, 0)))
    assert player.log.split("\n")[:-1] == [
        "game 0 classic",
        "hand 1",
        "Passed",
        "draw",
        "hand 1",
        "Passed",
        "over target 1 (20, 101)",
    ]


def test_the_clock_is_told() -> None:
    link = WireLink()
    player = LinkedPlayer(link, {"bot.py": BOT}, "bot.py", Clock(10.0, 2.0))
    player.start(GameStart(CLASSIC, 1, "00" * 16))
    game = game_at_offer()
    player.decide(view_of(game, 1), ())
    assert link.requests[1]["clock"] == [10.0, 2.0]
    assert link.requests[2]["view"]["time_left"] == 9.5


def test_requests_are_numbered_and_their_nonces_differ() -> None:
    link = WireLink()
    player = LinkedPlayer(link, {"bot.py": BOT}, "bot.py")
    player.start(GameStart(CLASSIC, 1, "00" * 16))
    player.end(GameEnd(GameEnding.TARGET, 1, (20, 101)))
    assert [(request["id"], request["ask"]) for request in link.requests] == [(1, "load"), (2, "start"), (3, "end")]
    assert len({request["nonce"] for request in link.requests}) == 3


def test_events_that_came_with_an_unasked_decision_are_told_later() -> None:
    """A bot that leaves its showdown to the arena is not asked about it, but hears of it."""
    game = at_discard()
    link = WireLink()
    player = LinkedPlayer(link, {"bot.py": BOT}, "bot.py")
    player.start(GameStart(CLASSIC, 1, "00" * 16))
    view = view_of(game, 1)
    showdown = View.from_wire(view.to_wire() | {"decision": "arrange"})
    events = events_of(game, 1)
    assert player.decide(showdown, events[:1]).melds is None  # type: ignore[union-attr]
    assert len(link.requests) == 2
    player.decide(view, events[1:])
    assert link.requests[2]["events"] == [event_to_wire(event) for event in events]


def test_a_reply_without_a_load_is_an_error() -> None:
    reply = BotSession().handle({"id": 1, "nonce": "n", "ask": "draw", "events": [], "view": {}})
    assert reply["error"]["message"] == "RuntimeError: the first request must be 'load'"


class OddLink(WireLink):
    """A process that answers every request after the load with the same line."""

    def __init__(self, line: bytes) -> None:
        super().__init__()
        self.line = line

    def ask(self, request: Request) -> Reply:
        if request.ask is Ask.LOAD:
            return super().ask(request)
        return decode_reply(self.line, request)


def test_an_undue_reply_is_a_protocol_fault() -> None:
    player = LinkedPlayer(OddLink(b'{"answer": null}'), {"bot.py": BOT}, "bot.py")
    with pytest.raises(BotFault, match="The reply lacks 'id'") as caught:
        player.start(GameStart(CLASSIC, 1, "00" * 16))
    assert caught.value.kind is FaultKind.PROTOCOL


TALKER = (
    HEADER
    + """
class Talker(Bot):
    '''Shows everything it is told, and makes its own showdowns.'''
    def tell(self, *said):
        print(*said)
    start_game = start_hand = observe = end_hand = end_game = tell
    def choose_draw(self, view):
        self.tell(view)
        return self.random.choice(view.legal)
    def choose_discard(self, view):
        self.tell(view)
        return self.random.choice(view.knock_options or [min(view.legal_discards, key=view.deadwood_after)])
    def arrange(self, view):
        self.tell(view)
        return list(view.best_melds)
    def lay_off(self, view, melds):
        self.tell(view, melds)
        return []
"""
)


class WireContestant:
    """Its players are at the other end of a wire."""

    def __init__(self, source: str) -> None:
        self.source = source

    def new_player(self) -> LinkedPlayer:
        return player_of(self.source)


@pytest.mark.parametrize("rules", ["classic", "oklahoma"])
def test_a_bot_in_this_process_is_told_and_plays_the_same_as_over_the_wire(rules: str) -> None:
    def played(contestant: Contestant) -> tuple[Any, ...]:
        record = play_game(RULE_SETS[rules], b"sixteen bytes or more", (contestant, contestant))
        return record.ending, record.scores, record.logs, [(hand.actions, hand.shown) for hand in record.hands]

    here = played(UploadContestant({"bot.py": TALKER}, "bot.py"))
    assert len(here[2][0]) > 10_000
    assert any(shown for _, shown in here[3])
    assert here == played(WireContestant(TALKER))
