"""Programs run as one: one that dies comes back; when all are told to stop, nothing that they started is left."""

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

from tests.services import PATIENCE, wait_until

ROOT = Path(__file__).resolve().parents[2]

SUPERVISE = """
import json, os, sys
from pathlib import Path
from config import supervisor
programs = [supervisor.Program(name, command) for name, command in json.loads(sys.argv[1])]
supervisor.PAUSES = (0.1, 0.2)
supervisor.QUICK_SECONDS = float(os.environ["QUICK_SECONDS"])
asked = []
died = supervisor.run(
    programs, environment=dict(os.environ), folder=Path("."), grace_seconds=1.0,
    is_ready=lambda: asked.append(1) or (len(asked) == 3 and not Path("ready").touch()),
    say=lambda text: print(text, flush=True),
)
print(died, len(asked))
"""
SLEEPER = "import os, pathlib, time; pathlib.Path('pid-{name}').write_text(str(os.getpid())); time.sleep(600)"
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
    "time.sleep(600)"
)

Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a supervisor over programs given as Python source by name; ends it after the test."""
    started: list[subprocess.Popen[str]] = []

    def run(quick_seconds: float = 60, **sources: str) -> subprocess.Popen[str]:
        programs = [(name, [sys.executable, "-c", source.replace("{name}", name)]) for name, source in sources.items()]
        process = subprocess.Popen(
            [sys.executable, "-c", SUPERVISE, json.dumps(programs)],
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "platform"), "QUICK_SECONDS": str(quick_seconds)},
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

    wait_until(told, "the programs")
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
    output, _ = supervisor.communicate(timeout=PATIENCE)
    assert supervisor.returncode == 0
    assert output.startswith("None ")
    assert not any(map(alive, programs))


def test_whether_all_is_ready_is_asked_until_it_is(start: Start, tmp_path: Path) -> None:
    supervisor = start(one=SLEEPER)
    pids(tmp_path, "one")
    wait_until((tmp_path / "ready").exists, "the third answer")
    time.sleep(0.5)  # for a fourth question, which must not come
    supervisor.terminate()
    output, _ = supervisor.communicate(timeout=PATIENCE)
    assert output == "None 3\n"


def test_a_killed_program_is_started_again_and_the_rest_go_on(start: Start, tmp_path: Path) -> None:
    supervisor = start(one=SLEEPER, two=SLEEPER)
    one, two = pids(tmp_path, "one", "two")
    (tmp_path / "pid-one").unlink()
    os.kill(one, signal.SIGKILL)
    again, same = pids(tmp_path, "one", "two")
    assert again != one
    assert same == two
    assert alive(two)
    supervisor.terminate()
    output, _ = supervisor.communicate(timeout=PATIENCE)
    assert output.startswith("The one ended by itself (SIGKILL); it is started again in 0.1 s.\nNone ")
    assert not any(map(alive, (again, two)))


def test_a_program_that_dies_at_once_again_and_again_is_named_and_the_rest_stop(start: Start, tmp_path: Path) -> None:
    bad = "import pathlib, time\nwhile not pathlib.Path('pid-good').exists(): time.sleep(0.01)\nraise SystemExit(3)"
    supervisor = start(good=SLEEPER, bad=bad)
    programs = pids(tmp_path, "good")
    output, _ = supervisor.communicate(timeout=PATIENCE)
    assert output.splitlines()[:-1] == [
        "The bad ended by itself (exit status 3); it is started again in 0.1 s.",
        "The bad ended by itself (exit status 3); it is started again in 0.2 s.",
    ]
    assert output.splitlines()[-1].startswith("The bad ended by itself (exit status 3) ")
    assert not any(map(alive, programs))


def test_a_program_that_had_started_well_is_given_every_chance_anew(start: Start, tmp_path: Path) -> None:
    counting = "import pathlib, sys; file = pathlib.Path('count'); file.open('a').write('x'); sys.exit(3)"
    supervisor = start(quick_seconds=0, one=counting)
    wait_until(lambda: (tmp_path / "count").exists() and len((tmp_path / "count").read_text()) >= 5, "five starts")
    supervisor.terminate()
    output, _ = supervisor.communicate(timeout=PATIENCE)
    assert set(output.splitlines()[:-1]) == {"The one ended by itself (exit status 3); it is started again in 0.1 s."}
    assert output.splitlines()[-1].startswith("None ")


def test_what_a_killed_program_leaves_does_not_work_on_beside_its_successor(start: Start, tmp_path: Path) -> None:
    parent = (
        "import os, subprocess, sys, time\n"
        "import pathlib; pathlib.Path('pid-{name}').write_text(str(os.getpid()))\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "pathlib.Path('pid-child').write_text(str(child.pid))\n"
        "time.sleep(600)"
    )
    supervisor = start(one=parent)
    one, child = pids(tmp_path, "one", "child")
    os.kill(one, signal.SIGKILL)
    wait_until(lambda: not alive(child), "the child's end")
    supervisor.terminate()
    supervisor.communicate(timeout=PATIENCE)


def test_a_program_that_ignores_the_signal_is_killed(start: Start, tmp_path: Path) -> None:
    supervisor = start(stubborn=STUBBORN)
    programs = pids(tmp_path, "stubborn")
    before = time.monotonic()
    supervisor.terminate()
    supervisor.communicate(timeout=PATIENCE)
    assert 1.0 <= time.monotonic() - before < 60  # well before it ends by itself
    assert not any(map(alive, programs))


def test_a_process_that_left_its_program_is_found_and_killed(start: Start, tmp_path: Path) -> None:
    supervisor = start(daemon=DAEMON.format(sleeper=SLEEPER))
    programs = pids(tmp_path, "daemon")
    assert alive(programs[0])
    supervisor.terminate()
    supervisor.communicate(timeout=PATIENCE)
    assert not any(map(alive, programs))


def test_programs_do_not_outlive_a_supervisor_that_is_killed(start: Start, tmp_path: Path) -> None:
    supervisor = start(one=SLEEPER, two=SLEEPER)
    programs = pids(tmp_path, "one", "two")
    supervisor.kill()
    supervisor.wait(timeout=PATIENCE)
    wait_until(lambda: not any(map(alive, programs)), "the programs' end")
