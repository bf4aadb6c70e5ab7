"""An arena's own workers as real processes on a database and a broker of their own, to be stopped and killed."""

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.services import environment_of

ROOT = Path(__file__).parents[2]
WAIT_SECONDS = 600
STATES = "select state from ladder_match order by state"


class Arena:
    """An arena of its own in a folder: database, broker, two workers and the scheduler."""

    def __init__(self, var: Path, environment: dict[str, str]) -> None:
        self.var = var
        self.environment = environment_of(var) | {
            "ARENA_SANDBOX": "process",
            "PYTHONPATH": os.pathsep.join((str(ROOT / "platform"), str(ROOT))),
            "PYTHONWARNINGS": "ignore::UserWarning:celery.platforms",
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "MATCH_LEASE_SECONDS": "2",
            "MATCH_RESEND_SECONDS": "2",
            "RECOVER_SECONDS": "1",
            # Leases this short also run out under a worker that waits for its turn on a busy machine.
            "MATCH_ATTEMPTS": "50",
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

    def set_up(self, code: str) -> None:
        """What every arena starts with, in an empty database, and then `code`: all in one process, for each takes
        seconds to start."""
        commands = "".join(f"call_command({name!r}, verbosity=0)\n" for name in ("migrate", "setup"))
        self.ask(f"from django.core.management import call_command\n{commands}{code}\nanswer = None")

    def start(self) -> None:
        """Two workers and beat."""
        self.start_worker("one")
        self.start_worker("two")
        self._run("beat", "--pidfile", "")

    def start_worker(self, name: str) -> None:
        """A parent and a child process."""
        self._run("worker", "--hostname", f"{name}@test", "--concurrency", "1", "--without-gossip", "--without-mingle")

    def _run(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "celery", "-A", "config", "--quiet", *arguments, "--loglevel", "WARNING"]
        with (self.var / "celery.log").open("ab") as log:
            self.running.append(
                subprocess.Popen(
                    command, env=self.environment, cwd=ROOT, stdout=log, stderr=log, start_new_session=True
                )
            )

    def stop(self) -> list[int]:
        """SIGTERM to the main process of each, and the exit statuses."""
        for process in self.running:
            process.terminate()
        statuses = [process.wait(timeout=WAIT_SECONDS) for process in self.running]
        self.running.clear()
        return statuses

    def kill(self) -> None:
        """SIGKILL to every process of the workers and of beat."""
        self._signal(signal.SIGKILL)
        for process in self.running:
            process.wait()
        self.running.clear()

    def kill_when(self, ready: Callable[[list[str]], bool]) -> list[str]:
        """Kills all while `ready` accepts the matches' states, which are returned: they are held still for the look."""
        while True:
            self.wait_for(ready)
            self._signal(signal.SIGSTOP)
            if ready(states := self.states()):
                self.kill()
                return states
            self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        for process in self.running:
            with contextlib.suppress(ProcessLookupError):  # it may have ended by itself
                os.killpg(process.pid, number)

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
