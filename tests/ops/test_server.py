"""script/server for real: it plays, shows what it played, stops without a trace, and keeps its data."""

import contextlib
import http.cookiejar
import json
import os
import re
import signal
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.services import PATIENCE, environment_of, free_port, listens, wait_until

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
FIRST_MATCH_SECONDS = 60
"""What the README promises: house bots have played within a minute of the first start."""


@dataclass
class Arena:
    """A running script/server."""

    process: subprocess.Popen[str]
    port: int
    var: Path
    output: list[str] = field(default_factory=list)

    @property
    def site(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def wait_for_welcome(self) -> None:
        """Reads the output up to the end of the welcome."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.output.append(line)
            if line.startswith("  Data "):
                return
        pytest.fail(f"script/server ended: {''.join(self.output)}")

    def told(self, name: str) -> str:
        """What the welcome says under this name."""
        (line,) = (line for line in self.output if line.startswith(f"  {name} "))
        return line.removeprefix(f"  {name}").strip()

    def get(self, path: str) -> str:
        with urllib.request.urlopen(self.site + path, timeout=PATIENCE) as reply:
            return str(reply.read().decode())

    def finished_matches(self) -> set[str]:
        """The paths of the newest finished matches."""
        matches = json.loads(self.get("/api/v1/matches?state=finished&limit=100"))["matches"]
        return {f"/matches/{match['id']}/" for match in matches}

    def processes(self) -> dict[int, bytes]:
        """Everything alive that was started with this data folder, the server itself included, with its command."""
        mark = f"ARENA_VAR={self.var}\0".encode()
        found = {}
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):  # it has just ended
                if mark in (process / "environ").read_bytes():
                    found[int(process.name)] = (process / "cmdline").read_bytes()
        return found

    def waited(self) -> float:
        """How many seconds its processes have waited for a processor that others had, all of them together."""
        nanoseconds = 0
        for pid in self.processes():
            with contextlib.suppress(OSError):
                nanoseconds += int(Path(f"/proc/{pid}/schedstat").read_text().split()[1])
        return nanoseconds / 1e9

    def stop(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        rest, _ = self.process.communicate(timeout=PATIENCE)
        self.output.append(rest)
        return self.process.returncode


@contextlib.contextmanager
def running(var: Path) -> Iterator[Arena]:
    port = free_port()
    process = subprocess.Popen(
        [ROOT / "script" / "server"],
        env=environment_of(var, PORT=str(port)),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd="/",
    )
    arena = Arena(process, port, var)
    try:
        yield arena
    finally:
        if process.poll() is None:
            process.terminate()
            process.communicate(timeout=PATIENCE)


@pytest.fixture(scope="module")
def var(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder that the starts of this module share."""
    return Path(tmp_path_factory.mktemp("server")) / "var"


@dataclass(frozen=True)
class FirstStart:
    """What was seen of the first start on an empty folder."""

    arena: Arena
    seconds_to_first_match: float
    match: str
    pages: dict[str, str]
    matches: set[str]
    status: int
    left: dict[int, bytes]


@pytest.fixture(scope="module")
def first(var: Path) -> FirstStart:
    with running(var) as arena:
        arena.wait_for_welcome()
        began, waited = time.monotonic(), arena.waited()
        wait_until(lambda: bool(arena.finished_matches()), "the first match", every=0.5)
        # On a machine that runs other tests as well they get less of it than somebody's at home.
        seconds = time.monotonic() - began - (arena.waited() - waited)
        match = min(arena.finished_matches())
        paths = ("/", "/healthz", "/starter.py", "/guide/", "/rules/", match, f"{match}games/1/", f"{match}games/2/")
        pages = {path.replace(match, "/match/"): arena.get(path) for path in paths}
        matches = arena.finished_matches()
        status = arena.stop(signal.SIGINT)
        return FirstStart(arena, seconds, match, pages, matches, status, arena.processes())


def test_house_bots_have_played_within_a_minute(first: FirstStart) -> None:
    assert first.seconds_to_first_match < FIRST_MATCH_SECONDS


def test_the_front_page_is_the_ladder(first: FirstStart) -> None:
    house = re.findall(r'href="/bots/([\w-]+)/"', first.pages["/"])
    assert len(set(house)) >= 3


def test_a_match_leads_to_the_replays_of_both_games(first: FirstStart) -> None:
    for replay in ("/match/games/1/", "/match/games/2/"):
        assert f'href="{replay}"' in first.pages["/match/"].replace(first.match, "/match/")
        assert 'id="controls"' in first.pages[replay]


def test_the_starter_bot_is_a_bot(first: FirstStart) -> None:
    assert "class " in first.pages["/starter.py"]
    assert "choose_discard" in first.pages["/starter.py"]


def test_the_welcome_names_what_a_newcomer_needs(first: FirstStart) -> None:
    assert first.arena.told("Site") == f"{first.arena.site}/"
    assert first.arena.told("Starter bot") == f"{first.arena.site}/starter.py"
    assert first.arena.told("Data") == str(first.arena.var)
    assert re.fullmatch(r"\w+, password \S+", first.arena.told("Sample account"))


def test_ctrl_c_ends_it_well_and_leaves_nothing(first: FirstStart) -> None:
    assert first.status == 0, "".join(first.arena.output)
    assert first.arena.output[-1].endswith("Stopped.\n")
    assert first.left == {}
    assert not listens(first.arena.port)


def test_it_prints_no_warning_and_no_traceback(first: FirstStart) -> None:
    output = "".join(first.arena.output)
    assert "Warning" not in output
    assert "Traceback" not in output


def log_in(site: str, username: str, password: str) -> int:
    """The status of /my/ after logging in through the form."""
    cookies = http.cookiejar.CookieJar()
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(cookies))
    form = browser.open(f"{site}/accounts/login/", timeout=PATIENCE).read().decode()
    (token,) = set(re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', form))
    fields = {"login": username, "password": password, "csrfmiddlewaretoken": token}
    with browser.open(f"{site}/accounts/login/", urllib.parse.urlencode(fields).encode(), timeout=PATIENCE) as reply:
        assert urllib.parse.urlsplit(reply.url).path == "/my/"
        return int(reply.status)


@pytest.fixture(scope="module")
def second(first: FirstStart, var: Path) -> Iterator[Arena]:
    """Started again on what the first start left, until the last test stops it."""
    with running(var) as arena:
        arena.wait_for_welcome()
        yield arena


def test_a_second_start_keeps_all_data(first: FirstStart, second: Arena) -> None:
    for match in first.matches:
        assert f'href="{match}games/1/"' in second.get(match)
    assert second.told("Sample account") == first.arena.told("Sample account")
    username, password = re.fullmatch(r"(\w+), password (\S+)", second.told("Sample account")).groups()  # type: ignore[union-attr]
    assert log_in(second.site, username, password) == 200


def test_another_start_on_the_same_data_is_refused(second: Arena) -> None:
    with running(second.var) as another:
        output, _ = another.process.communicate(timeout=PATIENCE)
        assert another.process.returncode != 0
        assert f"Another arena is running on the data in {second.var}." in output


def test_a_worker_that_dies_is_named_and_comes_back(second: Arena) -> None:
    mark = b"worker\0--loglevel\0WARNING\0-Q\0matches"

    def workers() -> set[int]:
        return {pid for pid, command in second.processes().items() if mark in command}

    before = workers()
    os.kill(min(before), signal.SIGKILL)
    wait_until(lambda: len(workers() - before) > 0, "another worker")
    # A match that was being played comes free with its lease; the next ones are played without waiting for that.
    finished = second.finished_matches()
    wait_until(lambda: bool(second.finished_matches() - finished), "the next match", every=0.5)


def test_sigterm_ends_it_well_and_leaves_nothing(second: Arena) -> None:
    assert second.stop(signal.SIGTERM) == 0
    # The worker was killed in the test before.
    assert "The worker ended by itself (SIGKILL); it is started again in 0.5 s." in "".join(second.output)
    assert second.processes() == {}
