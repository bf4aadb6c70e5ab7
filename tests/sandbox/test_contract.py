"""What every driver promises, the fake included."""

import json
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

import sandbox
from arena.bot import GameStart
from arena.player import BotFault, FaultKind, HouseFailure
from arena.protocol import Ask, Loaded, Request, decode_reply, encode_request
from arena.rules import CLASSIC
from sandbox.drivers import cgroup
from sandbox.drivers.base import Box, Channel, Driver, Limits, Received
from sandbox.drivers.channel import SocketChannel
from sandbox.drivers.container import Container
from sandbox.drivers.scripted import ScriptedDriver
from tests.sandbox import residue
from tests.sandbox.bots import COMPUTES, EXITS, FLOODS, GOOD, SLEEPS, SPEAKS_UP, Habit, loading
from tests.sandbox.conftest import REAL_DRIVERS, SANDBOXES, checked_driver
from tests.services import PATIENCE

LIMITS = Limits()
WITH_MEMORY_GROUPS = SANDBOXES if cgroup._parents() else SANDBOXES[:2]
ALL_DRIVERS = [*REAL_DRIVERS, "scripted"]
BUDGET = {"cpu_budget": 5.0, "wall_budget": 30.0}

MakeDriver = Callable[[Habit], Driver]


@pytest.fixture
def make_driver(request: pytest.FixtureRequest) -> MakeDriver:
    """A function from a habit to a driver that plays bots with it."""
    if request.param == "scripted":
        return lambda habit: ScriptedDriver(lambda: habit.steps)
    driver = checked_driver(request.param)
    return lambda habit: driver


every_driver = pytest.mark.parametrize("make_driver", ALL_DRIVERS, indirect=True)
every_real_driver = pytest.mark.parametrize("driver", REAL_DRIVERS, indirect=True)


@contextmanager
def box_of(driver: Driver, limits: Limits = LIMITS) -> Iterator[Box]:
    box = driver.open_box(limits)
    try:
        yield box
    finally:
        box.close()


def load(channel: Channel, habit: Habit, number: int = 1, *, cpu: float = 5.0, wall: float = 30.0) -> Received:
    channel.send(encode_request(loading(habit.source, number)))
    return channel.receive(cpu_budget=cpu, wall_budget=wall)


def fault_of(action: Callable[[], object]) -> BotFault:
    with pytest.raises(BotFault) as caught:
        action()
    return caught.value


@every_driver
def test_a_line_goes_there_and_back(make_driver: MakeDriver) -> None:
    with box_of(make_driver(GOOD)) as box:
        mind = box.new_mind()
        received = load(mind, GOOD)
        next_one = load(mind, GOOD, 2)
    answer = decode_reply(received.line, loading(GOOD.source)).answer
    assert isinstance(answer, Loaded)
    assert answer.class_name == "Habit"
    # The kernel adds up what a process has had when it rests, and a reply may be here before that.
    assert 0 < received.cpu_seconds + next_one.cpu_seconds < 3
    assert 0 < received.wall_seconds < 30


@every_driver
def test_a_bot_that_computes_is_stopped_at_its_cpu_budget(make_driver: MakeDriver) -> None:
    with box_of(make_driver(COMPUTES)) as box:
        fault = fault_of(lambda: load(box.new_mind(), COMPUTES, cpu=0.3))
    assert fault.kind is FaultKind.TIME
    assert re.fullmatch(r"The bot used (0\.[3-9]|1\.\d)\d s of CPU time; it had 0\.30 s\.", fault.message)


@every_driver
def test_a_bot_that_sleeps_is_stopped_by_the_wall_clock(make_driver: MakeDriver) -> None:
    with box_of(make_driver(SLEEPS)) as box:
        fault = fault_of(lambda: load(box.new_mind(), SLEEPS, wall=0.7))
    assert fault.kind is FaultKind.TIME
    assert "did not answer within 0.7 s" in fault.message


@every_driver
def test_a_bot_whose_process_ends_has_crashed(make_driver: MakeDriver) -> None:
    with box_of(make_driver(EXITS)) as box:
        fault = fault_of(lambda: load(box.new_mind(), EXITS))
    assert fault.kind is FaultKind.CRASH
    assert "exit code 7" in fault.message


@every_driver
def test_a_dead_bot_stays_dead(make_driver: MakeDriver) -> None:
    with box_of(make_driver(EXITS)) as box:
        mind = box.new_mind()
        fault_of(lambda: load(mind, EXITS))
        assert fault_of(lambda: load(mind, EXITS, 2)).kind is FaultKind.CRASH


@every_driver
def test_a_line_that_is_too_long_is_refused(make_driver: MakeDriver) -> None:
    with box_of(make_driver(FLOODS)) as box:
        fault = fault_of(lambda: load(box.new_mind(), FLOODS))
    assert fault.kind is FaultKind.OUTPUT
    assert "16384" in fault.message


@every_driver
def test_data_that_nobody_asked_for_is_refused(make_driver: MakeDriver) -> None:
    with box_of(make_driver(SPEAKS_UP)) as box:
        mind = box.new_mind()

        def ask_twice() -> None:
            # On a busy machine what nobody asked for may be there with the first line already.
            assert load(mind, SPEAKS_UP).line == b"first"
            if isinstance(mind, SocketChannel):
                mind._wait(PATIENCE)
            load(mind, SPEAKS_UP, 2)

        assert fault_of(ask_twice).kind is FaultKind.PROTOCOL


@every_driver
def test_every_mind_is_fresh_and_the_one_before_is_gone(make_driver: MakeDriver) -> None:
    with box_of(make_driver(GOOD)) as box:
        first = box.new_mind()
        load(first, GOOD)
        second = box.new_mind()
        # A mind that had loaded a bot before would refuse the first request of a conversation.
        load(second, GOOD)
        assert fault_of(lambda: load(first, GOOD, 2)).kind is FaultKind.CRASH
        load(second, GOOD, 2)


@every_driver
def test_closing_an_old_mind_leaves_the_new_one_alone(make_driver: MakeDriver) -> None:
    with box_of(make_driver(GOOD)) as box:
        first = box.new_mind()
        second = box.new_mind()
        first.close()
        load(second, GOOD)


@every_driver
def test_closing_is_final_and_may_be_repeated(make_driver: MakeDriver) -> None:
    box = make_driver(GOOD).open_box(LIMITS)
    mind = box.new_mind()
    mind.close()
    mind.close()
    assert fault_of(lambda: load(mind, GOOD)).kind is FaultKind.CRASH
    box.close()
    box.close()
    with pytest.raises(HouseFailure):
        box.new_mind()


@every_driver
def test_a_bot_that_hangs_does_not_keep_the_next_mind_waiting(make_driver: MakeDriver) -> None:
    with box_of(make_driver(COMPUTES)) as box:
        for number in (1, 2):
            mind = box.new_mind()
            began = time.monotonic()
            fault_of(lambda mind=mind, number=number: load(mind, COMPUTES, number, cpu=0.2))  # type: ignore[misc]
            mind.close()
            assert time.monotonic() - began < 20


@every_driver
def test_boxes_may_be_used_from_several_threads(make_driver: MakeDriver) -> None:
    driver = make_driver(GOOD)

    def whole_life(_: int) -> bytes:
        with box_of(driver) as box:
            return load(box.new_mind(), GOOD).line

    with ThreadPoolExecutor(3) as threads:
        lines = list(threads.map(whole_life, range(3)))
    assert all(b'"Habit"' in line for line in lines)


@every_driver
def test_a_box_outlives_the_thread_that_opened_it(make_driver: MakeDriver) -> None:
    boxes: list[Box] = []
    thread = threading.Thread(target=lambda: boxes.append(make_driver(GOOD).open_box(LIMITS)))
    thread.start()
    thread.join()
    try:
        time.sleep(0.2)
        load(boxes[0].new_mind(), GOOD)
    finally:
        boxes[0].close()


@every_real_driver
def test_time_used_between_two_decisions_is_charged_to_the_next(driver: Driver) -> None:
    """The bot replies by itself, computes while nobody waits for it, and only then listens again."""
    # So much work and not so much time: gVisor's clock goes on while others have the core.
    work = "for _ in range(8_000_000): pass"

    def needed() -> float:
        began = time.process_time()
        exec(work, {})
        return time.process_time() - began

    before = needed()
    source = f"""
import os, sys, time
frame = sys._getframe()
while "request" not in frame.f_locals or "nonce" not in frame.f_locals["request"]:
    frame = frame.f_back
asked = frame.f_locals["request"]
os.write(3, b'{{"id":1}}\\n')
time.sleep(0.5)  # until the host has looked at the clock, late as it may be
{work}
os.read(3, 65536)
os.write(3, b'{{"id":2}}\\n')
time.sleep(100)
"""
    with box_of(driver) as box:
        mind = box.new_mind()
        first = load(mind, Habit(source, ()))
        time.sleep(2)
        second = load(mind, Habit(source, ()), 2)
    # A processor is not as fast at all times.
    least, most = sorted((before, needed()))
    assert first.cpu_seconds < 0.8 * most
    assert 0.5 * least < first.cpu_seconds + second.cpu_seconds < 2 * most + 0.5
    assert second.cpu_seconds > 0.2 * least


@every_real_driver
def test_a_bot_reads_no_file_once_it_is_loaded(driver: Driver) -> None:
    source = (
        "import datetime, importlib, os"
        + GOOD.source
        + """
    def start_game(self, start):
        # What can be foreseen is loaded with the bot.
        from xml.etree import ElementTree
        ElementTree.fromstring("<a>" + str(datetime.datetime.strptime("1912", "%Y")) + "</a>")
        "1912".encode("cp1140")
        try:
            importlib.import_module("colorsys")
        except ModuleNotFoundError as error:
            print(error)
        with open(os.__file__):
            raise RuntimeError("a file was opened")
"""
    )
    with box_of(driver) as box:
        mind = box.new_mind()
        load(mind, Habit(source, ()))
        mind.forbid_files()
        request = Request(Ask.START, 2, "0" * 16, GameStart(CLASSIC, 0, "00" * 8).to_wire())
        mind.send(encode_request(request))
        reply = decode_reply(mind.receive(**BUDGET).line, request)
    assert reply.error is not None
    assert "colorsys was not imported when the bot was loaded" in reply.log
    # In gVisor no module is found either, but nobody is asked whether a file may be opened.
    assert ("opened" in reply.error.message) == (getattr(driver, "runtime", "") == "runsc")


@pytest.mark.parametrize("driver", [*SANDBOXES[::2], "process"], indirect=True)
def test_a_runner_that_dies_is_the_houses_failure(driver: Driver) -> None:
    with box_of(driver) as box:
        box.new_mind()
        os.kill(box.zygote_pid, signal.SIGKILL)  # type: ignore[attr-defined]
        with pytest.raises(HouseFailure):
            box.new_mind()


@every_real_driver
def test_a_runner_that_dies_during_a_decision_is_the_houses_failure(driver: Driver) -> None:
    with box_of(driver) as box:
        mind = box.new_mind()
        killer = threading.Timer(0.5, os.kill, (box.zygote_pid, signal.SIGKILL))  # type: ignore[attr-defined]
        killer.start()
        with pytest.raises(HouseFailure):
            load(mind, COMPUTES)
        killer.join()


@every_real_driver
def test_the_clock_inside_the_box_serves_where_the_host_sees_no_processes(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandbox.drivers.cpu.peer_pid", lambda connection: 0)
    with box_of(driver) as box:
        mind = box.new_mind()
        assert 0 < sum(load(mind, GOOD, number).cpu_seconds for number in (1, 2)) < 3
        fault = fault_of(lambda: load(box.new_mind(), COMPUTES, cpu=0.3))
    assert fault.kind is FaultKind.TIME
    assert re.fullmatch(r"The bot used (0\.[3-9]|1\.\d)\d s of CPU time; it had 0\.30 s\.", fault.message)


@every_real_driver
def test_a_bot_may_not_have_more_memory_than_its_limit(driver: Driver) -> None:
    limits = replace(LIMITS, memory_bytes=96 * 1024**2)
    source = f"hoard = bytearray({{}} * 1024**2)\n{GOOD.source}"
    with box_of(driver, limits) as box:
        enough = decode_reply(load(box.new_mind(), Habit(source.format(30), ())).line, loading(""))
        too_much = decode_reply(load(box.new_mind(), Habit(source.format(90), ())).line, loading(""))
    assert isinstance(enough.answer, Loaded)
    assert too_much.error is not None
    assert too_much.error.kind is FaultKind.MEMORY


@pytest.mark.parametrize("driver", WITH_MEMORY_GROUPS, indirect=True)
def test_a_bot_that_the_kernel_ends_for_its_memory_is_told_so(driver: Driver) -> None:
    """The second lock: here the process's own limit is far too high, so that the box's limit strikes."""
    limits = replace(LIMITS, memory_bytes=96 * 1024**2, overhead_bytes=-1024 * 1024**2)
    with box_of(driver, limits) as box:
        greedy = Habit("hoard = [bytearray(8 * 1024**2) for _ in range(100)]", ())
        fault = fault_of(lambda: load(box.new_mind(), greedy))
        assert fault.kind is FaultKind.MEMORY
        # The runner survives, and with it the box.
        load(box.new_mind(), GOOD)


@pytest.mark.runsc
def test_the_kernel_tells_of_an_end_for_memory_that_the_engine_has_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    state = Container._state
    monkeypatch.setattr(Container, "_state", lambda self: state(self) | {"OOMKilled": False})
    limits = replace(LIMITS, memory_bytes=96 * 1024**2, overhead_bytes=-1024 * 1024**2)
    with box_of(checked_driver("runsc"), limits) as box:
        greedy = Habit("hoard = [bytearray(8 * 1024**2) for _ in range(100)]", ())
        assert fault_of(lambda: load(box.new_mind(), greedy)).kind is FaultKind.MEMORY


@pytest.mark.bubblewrap
def test_control_groups_limit_a_box_of_bubblewraps(run_dir: Path) -> None:
    driver = checked_driver("bubblewrap")
    with box_of(driver) as box:
        groups = [Path(group) for group in residue.control_groups(run_dir)]
        assert bool(groups) == bool(cgroup._parents())
        for group in groups:
            assert str(box.zygote_pid) in (group / "cgroup.procs").read_text().split()  # type: ignore[attr-defined]
        limits = {
            name: (group / name).read_text().strip()
            for group in groups
            for name in ("memory.limit_in_bytes", "memory.max", "pids.max")
            if (group / name).exists()
        }
        assert set(limits.values()) <= {str(LIMITS.memory_bytes), str(LIMITS.processes)}
        assert not groups or len(limits) == 2


def test_the_outer_filter_is_what_the_engine_reads() -> None:
    profile = json.loads((Path(sandbox.__file__).parent / "bot-seccomp.json").read_text())
    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
    allowed = {name for rule in profile["syscalls"] if rule["action"] == "SCMP_ACT_ALLOW" for name in rule["names"]}
    dangerous = {
        "ptrace", "mount", "unshare", "setns", "bpf", "perf_event_open", "keyctl", "userfaultfd", "io_uring_setup",
        "memfd_create", "process_vm_readv", "pidfd_getfd", "kexec_load", "open_by_handle_at", "recvmsg", "sendmsg",
    }  # fmt: skip
    assert allowed.isdisjoint(dangerous)
