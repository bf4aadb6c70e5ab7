"""Clocks, caps and faults of a bot in a box, with scripted minds in virtual time."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from arena.actions import Draw, format_action
from arena.archive import BotSource
from arena.bot import GameEnd, GameEnding, GameStart
from arena.client import LinkedPlayer
from arena.game import Game
from arena.player import BotFault, FaultKind, HouseFailure
from arena.rules import CLASSIC
from arena.view import view_of
from sandbox.drivers.base import DriverUnavailable, Limits
from sandbox.drivers.process import ProcessDriver
from sandbox.drivers.scripted import Break, Die, Hang, OutOfMemory, Reply, ScriptedDriver, SpeakUp, Step
from sandbox.player import SandboxContestant, close_all
from tests.sandbox.bots import loaded

LIMITS = replace(Limits(), start_seconds=5.0, decision_seconds=2.0, game_seconds=10.0)
SOURCE = BotSource({"bot.py": "..."}, "bot.py")
START = GameStart(CLASSIC, 0, "0" * 32)
END = GameEnd(GameEnding.TARGET, 0, (100, 0))
GAME = Game(CLASSIC, b"a seed of 16 bytes or more")
PASS = format_action(Draw.PASS)
VIEW = view_of(GAME, GAME.turn)


def answering(answer: object, cpu: float = 0.0, wall: float = 0.0, **more: object) -> Callable[[bytes], Reply]:
    """A step that answers whatever is asked."""

    def reply(line: bytes) -> Reply:
        asked = json.loads(line)
        fields = {"id": asked["id"], "nonce": asked["nonce"], "answer": answer, **more}
        return Reply(json.dumps(fields).encode(), cpu, wall)

    return reply


def playing(*steps: Step) -> tuple[LinkedPlayer, ScriptedDriver]:
    driver = ScriptedDriver(lambda: steps)
    return SandboxContestant(driver, SOURCE, LIMITS).new_player(), driver


def started(*steps: Step) -> LinkedPlayer:
    player, _ = playing(loaded, answering(None), *steps)
    player.start(START)
    return player


def fault_of(action: Callable[[], object]) -> BotFault:
    with pytest.raises(BotFault) as caught:
        action()
    return caught.value


def test_an_answer_is_the_bots_action() -> None:
    assert started(answering(PASS)).decide(VIEW, ()) is Draw.PASS


def test_start_up_is_not_charged_to_the_game() -> None:
    player, _ = playing(loaded, answering(None, cpu=3.0), answering(PASS, cpu=0.25))
    player.start(START)
    assert player.spent == 0
    player.decide(VIEW, ())
    assert player.spent == 0.25


def test_loading_and_starting_share_one_budget() -> None:
    player, _ = playing(lambda line: replace(loaded(line), cpu_seconds=3.0), answering(None, cpu=2.5))
    fault = fault_of(lambda: player.start(START))
    assert fault.kind is FaultKind.TIME
    assert "starting a bot is 5 s" in fault.message


def test_one_decision_may_not_exceed_its_limit() -> None:
    fault = fault_of(lambda: started(answering(PASS, cpu=2.1)).decide(VIEW, ()))
    assert fault.kind is FaultKind.TIME
    assert "2 s a decision" in fault.message


def test_a_decision_at_its_limit_is_in_time() -> None:
    player = started(answering(PASS, cpu=2.0))
    player.decide(VIEW, ())
    assert player.spent == 2.0


def test_the_game_has_a_bank_that_runs_out() -> None:
    player = started(*[answering(PASS, cpu=1.9)] * 6)
    for _ in range(5):
        player.decide(VIEW, ())
    assert player.spent == pytest.approx(9.5)
    fault = fault_of(lambda: player.decide(VIEW, ()))
    assert fault.kind is FaultKind.TIME
    assert "it had 0.50 s" in fault.message
    assert "10 s a game, of which 9.50 s were used before" in fault.message


def test_the_end_of_the_game_is_charged_too() -> None:
    assert fault_of(lambda: started(Hang()).end(END)).kind is FaultKind.TIME


def test_a_bot_is_told_how_much_time_is_left() -> None:
    player, driver = playing(loaded, answering(None), answering(PASS, cpu=1.25), answering(PASS))
    player.start(START)
    player.decide(VIEW, ())
    player.decide(VIEW, ())
    start, first, second = map(json.loads, driver.boxes[0].minds[0].sent[1:])
    assert start["clock"] == [10.0, 2.0]
    assert first["view"]["time_left"] == 10.0
    assert second["view"]["time_left"] == 8.75


def test_sleeping_is_stopped_long_before_the_bank_is_empty() -> None:
    """Ten naps of ten seconds cost no CPU time; the wall's clock has a bank of its own."""
    player = started(*[answering(PASS, wall=10.0)] * 10)

    def sleep_through() -> None:
        for _ in range(10):
            player.decide(VIEW, ())

    fault = fault_of(sleep_through)
    assert fault.kind is FaultKind.TIME
    assert "did not answer within" in fault.message


def test_a_reply_to_another_request_is_a_fault() -> None:
    assert fault_of(lambda: started(answering(PASS, nonce="0" * 16)).decide(VIEW, ())).kind is FaultKind.PROTOCOL
    assert fault_of(lambda: started(answering(PASS, id=1)).decide(VIEW, ())).kind is FaultKind.PROTOCOL


def test_speaking_without_being_asked_is_a_fault() -> None:
    def twice(line: bytes) -> SpeakUp:
        return SpeakUp(answering(PASS)(line).line)

    player = started(twice, answering(PASS))
    player.decide(VIEW, ())
    assert fault_of(lambda: player.decide(VIEW, ())).kind is FaultKind.PROTOCOL


@pytest.mark.parametrize(("step", "kind"), [(Die(3), FaultKind.CRASH), (OutOfMemory(), FaultKind.MEMORY)])
def test_a_process_that_ends_is_a_fault(step: Step, kind: FaultKind) -> None:
    assert fault_of(lambda: started(step).decide(VIEW, ())).kind is kind


def test_a_failure_of_the_house_is_never_the_bots() -> None:
    with pytest.raises(HouseFailure):
        started(Break()).decide(VIEW, ())


def test_prints_are_kept_from_every_reply() -> None:
    player, _ = playing(loaded, answering(None, log="hello "), answering(PASS, log="again"))
    player.start(START)
    player.decide(VIEW, ())
    assert player.log == "hello again"


def test_every_player_gets_a_fresh_mind_in_the_same_box() -> None:
    driver = ScriptedDriver(lambda: (loaded, answering(None)))
    contestant = SandboxContestant(driver, SOURCE, LIMITS)
    for _ in range(2):
        player = contestant.new_player()
        player.start(START)
        player.close()
    (box,) = driver.boxes
    assert [mind.is_closed for mind in box.minds] == [True, True]
    contestant.close()
    assert box.is_closed


def test_closing_is_harmless_at_any_time() -> None:
    driver = ScriptedDriver(lambda: ())
    never_used = SandboxContestant(driver, SOURCE, LIMITS)
    used = SandboxContestant(driver, SOURCE, LIMITS)
    player = used.new_player()
    close_all(never_used, used)
    close_all(never_used, used)
    player.close()
    assert [box.is_closed for box in driver.boxes] == [True]


def test_a_box_that_cannot_open_is_the_houses_failure() -> None:
    class Broken(ScriptedDriver):
        def open_box(self, limits: Limits) -> object:  # type: ignore[override]
            raise HouseFailure("no room")

    contestant = SandboxContestant(Broken(lambda: ()), SOURCE, LIMITS)  # type: ignore[arg-type]
    player = contestant.new_player()
    with pytest.raises(HouseFailure, match="no room"):
        player.start(START)
    player.close()
    contestant.close()


def test_a_driver_that_confines_nothing_takes_trusted_bots_only() -> None:
    with pytest.raises(DriverUnavailable, match="house's own bots"):
        SandboxContestant(ProcessDriver(), SOURCE, LIMITS)
    SandboxContestant(ProcessDriver(), SOURCE, LIMITS, trusted=True).close()
