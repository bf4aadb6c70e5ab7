"""Programs run as one: when one ends or a signal comes, nothing that they started is left."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.services import wait_until

ROOT = Path(__file__).resolve().parents[2]

SUPERVISE = """
import json, os, sys
from pathlib import Path
from config.supervisor import Program, run
programs = [Program(name, command) for name, command in json.loads(sys.argv[1])]
died = run(
    programs, environment=dict(os.environ), folder=Path("."), grace_seconds=1.0,
    when_started=lambda give_up: Path("started").touch(),
)
print(died)
"""
SLEEPER = "import os, pathlib, time; pathlib.Path('pid-{name}').write_text(str(os.getpid())); time.sleep(120)"
STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + SLEEPER
# A grandchild in a session of its own, whose parent is gone: no group and no parent leads to it.
DAEMON = (
    "import os, time\n"
    "if os.fork() == 0:\n"
    "    os.setsid()\n"
    "    if os.fork() == 0:\n"
    "        import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    "        exec({sleeper!r})\n"
    "    os._exit(0)\n"
    "time.sleep(120)"
)

Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a supervisor over programs given as Python source by name; ends it after the test."""
    started: list[subprocess.Popen[str]] = []

    def run(**sources: str) -> subprocess.Popen[str]:
        programs = [(name, [sys.executable, "-c", source.replace("{name}", name)]) for name, source in sources.items()]
        process = subprocess.Popen(
            [sys.executable, "-c", SUPERVISE, json.dumps(programs)],
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "platform")},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        started.append(process)
        return process

    yield run
    for process in started:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        process.communicate()


def pids(folder: Path, *names: str) -> list[int]:
    """Waits until each program has told its process id."""

    def told() -> bool:
        return all((folder / f"pid-{name}").exists() and (folder / f"pid-{name}").read_text() for name in names)

    wait_until(told, "the programs", 20)
    return [int((folder / f"pid-{name}").read_text()) for name in names]


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_stops_every_program(start: Start, tmp_path: Path, number: signal.Signals) -> None:
    supervisor = start(one=SLEEPER, two=SLEEPER)
    programs = pids(tmp_path, "one", "two")
    supervisor.send_signal(number)
    output, _ = supervisor.communicate(timeout=20)
    assert supervisor.returncode == 0
    assert output == "None\n"
    assert not any(map(alive, programs))


def test_a_program_that_ends_is_named_and_the_rest_stop(start: Start, tmp_path: Path) -> None:
    supervisor = start(good=SLEEPER, bad="import time; time.sleep(1); raise SystemExit(3)")
    programs = pids(tmp_path, "good")
    output, _ = supervisor.communicate(timeout=20)
    assert output == "The bad ended by itself (exit status 3)\n"
    assert not any(map(alive, programs))


def test_a_killed_program_is_named_with_its_signal(start: Start, tmp_path: Path) -> None:
    supervisor = start(one=SLEEPER, two=SLEEPER)
    one, two = pids(tmp_path, "one", "two")
    os.kill(one, signal.SIGKILL)
    output, _ = supervisor.communicate(timeout=20)
    assert output == "The one ended by itself (SIGKILL)\n"
    assert not alive(two)


def test_a_program_that_ignores_the_signal_is_killed(start: Start, tmp_path: Path) -> None:
    supervisor = start(stubborn=STUBBORN)
    programs = pids(tmp_path, "stubborn")
    before = time.monotonic()
    supervisor.terminate()
    supervisor.communicate(timeout=20)
    assert 1.0 <= time.monotonic() - before < 10
    assert not any(map(alive, programs))


def test_a_process_that_left_its_program_is_found_and_killed(start: Start, tmp_path: Path) -> None:
    supervisor = start(daemon=DAEMON.format(sleeper=SLEEPER))
    programs = pids(tmp_path, "daemon")
    assert alive(programs[0])
    supervisor.terminate()
    supervisor.communicate(timeout=20)
    assert not any(map(alive, programs))


def test_programs_do_not_outlive_a_supervisor_that_is_killed(start: Start, tmp_path: Path) -> None:
    supervisor = start(one=SLEEPER, two=SLEEPER)
    programs = pids(tmp_path, "one", "two")
    supervisor.kill()
    supervisor.wait(timeout=20)
    wait_until(lambda: not any(map(alive, programs)), "the programs' end", 10)
