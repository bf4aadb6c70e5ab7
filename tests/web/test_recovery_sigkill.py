"""Real workers on a real broker, killed outright in the middle of matches: every match is finished once, none lost."""

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

ROOT = Path(__file__).parents[2]
MATCHES = 8
KILLS = 2
WAIT_SECONDS = 240

ENQUEUE = f"""
from bots.queries import active_versions
from ladder import services
from ladder.models import Ladder
ladder = Ladder.objects.get()
versions = list(active_versions())[:2]
for _ in range({MATCHES}):
    services.enqueue_match(ladder=ladder, versions=versions)
answer = None
"""
STATES = "select state from ladder_match order by state"
OUTCOME = """
from ladder.models import Game, Match, MatchRecordBlob, RatingChange
from arena.record import MatchRecord
matches = Match.objects.order_by("sequence")
answer = {
    "states": list(matches.values_list("state", flat=True)),
    "sequences": list(matches.values_list("sequence", flat=True)),
    "attempts": list(matches.values_list("attempt", flat=True)),
    "games": Game.objects.count(),
    "changes": RatingChange.objects.count(),
    "replayed": sum(
        len(MatchRecord.from_bytes(bytes(blob.data)).replay()) for blob in MatchRecordBlob.objects.all()
    ),
}
"""


class Arena:
    """An arena of its own in a folder: database, broker, two workers and the scheduler."""

    def __init__(self, var: Path, environment: dict[str, str]) -> None:
        self.var = var
        self.environment = {
            **{name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}},
            "ARENA_VAR": str(var),
            "ARENA_SANDBOX": "process",
            "PYTHONPATH": os.pathsep.join((str(ROOT / "platform"), str(ROOT))),
            "PYTHONWARNINGS": "ignore::UserWarning:celery.platforms",
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "MATCH_LEASE_SECONDS": "2",
            "MATCH_RESEND_SECONDS": "2",
            "RECOVER_SECONDS": "1",
            **environment,
        }
        self.running: list[subprocess.Popen[bytes]] = []

    def manage(self, *arguments: str) -> str:
        command = [sys.executable, str(ROOT / "manage.py"), *arguments]
        return subprocess.run(command, env=self.environment, check=True, stdout=subprocess.PIPE, text=True).stdout

    def ask(self, code: str) -> Any:
        lines = f"import django, json; django.setup()\n{code}\nprint(json.dumps(answer))"
        command = [sys.executable, "-c", lines]
        asked = subprocess.run(command, env=self.environment, check=True, stdout=subprocess.PIPE, cwd=self.var)
        return json.loads(asked.stdout)

    def start(self) -> None:
        """Two workers, each of them a parent and a child process, and beat."""
        celery = [sys.executable, "-m", "celery", "-A", "config", "--quiet"]
        alone = ["--concurrency", "1", "--without-gossip", "--without-mingle", "--loglevel", "WARNING"]
        self._run([*celery, "worker", "--hostname", "one@test", *alone])
        self._run([*celery, "worker", "--hostname", "two@test", *alone])
        self._run([*celery, "beat", "--schedule", str(self.var / "beat"), "--pidfile", "", "--loglevel", "WARNING"])

    def _run(self, command: list[str]) -> None:
        with (self.var / "celery.log").open("ab") as log:
            self.running.append(
                subprocess.Popen(
                    command, env=self.environment, cwd=ROOT, stdout=log, stderr=log, start_new_session=True
                )
            )

    def kill(self) -> None:
        """SIGKILL to every process of the workers and of beat."""
        for process in self.running:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self.running.clear()

    def states(self) -> list[str]:
        """Of all matches; read past Django, for a match lasts about as long as Django's start."""
        if "DATABASE_URL" in self.environment:
            with psycopg.connect(self.environment["DATABASE_URL"]) as postgres:
                return [state for (state,) in postgres.execute(STATES)]
        with contextlib.closing(sqlite3.connect(self.var / "arena.sqlite3", timeout=30)) as sqlite:
            return [state for (state,) in sqlite.execute(STATES)]

    def wait_for(self, ready: Callable[[list[str]], bool]) -> list[str]:
        """The matches' states once `ready` accepts them."""
        deadline = time.monotonic() + WAIT_SECONDS
        while not ready(states := self.states()):
            if time.monotonic() > deadline:
                log = (self.var / "celery.log").read_text()[-4000:]
                pytest.fail(f"After {WAIT_SECONDS} s the matches are {states}.\n{log}")
            time.sleep(0.05)
        return states


@pytest.fixture
def embedded() -> dict[str, str]:
    return {}


@pytest.fixture
def servers(postgres_server: str, redis_server: str) -> dict[str, str]:
    name = f"sigkill_{uuid.uuid4().hex[:8]}"  # of its own: the servers are the whole run's
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
    return {
        "DATABASE_URL": postgres_server.rpartition("/")[0] + f"/{name}",
        "REDIS_URL": redis_server.rpartition("/")[0] + "/7",
    }


@pytest.fixture(
    params=["embedded", pytest.param("servers", marks=[pytest.mark.postgres, pytest.mark.redis])],
)
def arena(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Arena]:
    arena = Arena(tmp_path, request.getfixturevalue(request.param))
    arena.manage("migrate", "--verbosity", "0")
    arena.manage("setup", "--verbosity", "0")
    yield arena
    arena.kill()


def in_the_middle(finished: int) -> Callable[[list[str]], bool]:
    """More matches are over than before, and one is being played."""
    return lambda states: states.count("finished") > finished and "running" in states


def test_workers_killed_in_mid_match_lose_and_repeat_nothing(arena: Arena) -> None:
    arena.ask("from ladder.models import Ladder\nanswer = Ladder.objects.update(is_open=False)")
    arena.ask(ENQUEUE)
    finished = 0
    for _ in range(KILLS):
        arena.start()
        states = arena.wait_for(in_the_middle(finished))
        arena.kill()
        finished = states.count("finished")
    assert arena.states().count("finished") < MATCHES
    arena.start()
    arena.wait_for(lambda states: states == ["finished"] * MATCHES)
    outcome = arena.ask(OUTCOME)
    assert outcome["sequences"] == list(range(1, MATCHES + 1))
    assert max(outcome["attempts"]) > 1, "No match was interrupted: the test has shown nothing."
    assert outcome["games"] == outcome["replayed"] == 2 * MATCHES
    assert outcome["changes"] == 2 * MATCHES
    assert "every rating is the fold" in arena.manage("ladder", "verify")
