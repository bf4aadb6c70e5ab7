"""Everything that plays, on a stage of its own: PostgreSQL, Redis, two machines' workers, control and beat."""

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.chaos import jumping
from tests.chaos.engine import EngineDoor
from tests.services import PostgresServer, RedisServer

ROOT = Path(__file__).resolve().parents[2]
QUICK = {
    "MATCH_LEASE_SECONDS": "4",
    "MATCH_RESEND_SECONDS": "2",
    "RECOVER_SECONDS": "1",
    "DRAIN_SECONDS": "1",
    "MATCH_ATTEMPTS": "50",
}
"""For a run of a minute: what a dead worker had comes free in seconds instead of a minute. On a busy machine so short a
lease runs out under the living, too, and each time that is an attempt."""
PLAYED = "matches,challenges,tournaments"
"""The queues of those who play."""
RESTART_SECONDS = 0.5
"""Until somebody starts what has died, as a supervisor or a container engine does."""


@dataclass
class Program:
    """One program of the arena, started again whenever it is dead."""

    name: str
    command: list[str]
    clock: Path
    """Its own clock's file (`tests.chaos.jumping`)."""
    process: subprocess.Popen[bytes] | None = None
    died_at: float | None = None

    @property
    def pid(self) -> int:
        """Of its main process; 0 while there is none."""
        return self.process.pid if self.process is not None and self.process.poll() is None else 0

    def children(self) -> list[int]:
        """The processes of its pool."""
        try:
            return [int(pid) for pid in Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()]
        except OSError:
            return []


class Stage:
    """The programs and servers of one run, in a folder that is deleted at the end."""

    def __init__(self, *, driver: str, quick: bool) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="chaos-", dir="/tmp"))
        self.folder.chmod(0o755)
        self.run_dir = self.folder / "run"
        self.log = self.folder / "programs.log"
        self.postgres = PostgresServer()
        self.redis = RedisServer(self.folder)
        self.door = EngineDoor(self.folder / "engine.sock")
        self.driver = driver
        self.environment = {
            **os.environ,
            "ARENA_VAR": str(self.folder / "var"),
            "DATABASE_URL": self.postgres.url,
            "REDIS_URL": self.redis.url,
            "ARENA_SANDBOX": driver,
            "SANDBOX_RUN_DIR": str(self.run_dir),
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "PYTHONPATH": os.pathsep.join((str(ROOT / "platform"), str(ROOT))),
            "PYTHONWARNINGS": "ignore::UserWarning:celery.platforms",
            **(QUICK if quick else {}),
        }
        self._programs_environment = self.environment | {"CHAOS": str(self.folder)}
        if driver == "docker":
            self._programs_environment["DOCKER_HOST"] = f"unix://{self.door.path}"
        self.programs: dict[str, Program] = {}

    def set_up(self) -> None:
        """Servers, database, house bots, programs."""
        self.postgres.create()
        self.redis.start()
        self.door.open()
        self.manage("migrate", "--verbosity", "0")
        self.manage("setup", "--verbosity", "0")
        threads = ["--pool", "threads", "--concurrency", "4"]
        play = ["-Q", PLAYED]
        # Worker one and worker two stand for two machines: names and clocks of their own.
        self._add("worker one", "worker", "--hostname", "matches@one", *play, "--concurrency", "2")
        self._add("worker two", "worker", "--hostname", "matches@two", *play, "--concurrency", "1")
        self._add("control", "worker", "--hostname", "control@one", "-Q", "control", *threads)
        self._add("beat", "beat", "--pidfile", "")

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A command of the site's, as its operator gives it."""
        command = [sys.executable, str(ROOT / "manage.py"), *arguments]
        try:
            return subprocess.run(command, env=self.environment, check=True, capture_output=True, text=True)
        except subprocess.CalledProcessError as failed:
            failed.add_note(failed.stderr)
            raise

    def _add(self, name: str, kind: str, *arguments: str) -> None:
        clock = self.folder / f"clock-{name.replace(' ', '-')}"
        jumping.set_ahead(clock, 0)
        celery = ["-m", "tests.chaos.jumping", str(clock), "-m", "celery", "--app", "config", "--quiet", kind]
        self.programs[name] = Program(name, [sys.executable, *celery, "--loglevel", "WARNING", *arguments], clock)
        self._start(self.programs[name])

    def keep_up(self) -> None:
        """Start what has been dead for RESTART_SECONDS."""
        for program in self.programs.values():
            if program.pid:
                continue
            if program.died_at is None:
                program.died_at = time.monotonic()
            elif time.monotonic() - program.died_at > RESTART_SECONDS:
                self._start(program)

    def _start(self, program: Program) -> None:
        with self.log.open("ab") as log:
            program.process = subprocess.Popen(
                program.command,
                env=self._programs_environment,
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        program.died_at = None

    def workers(self) -> list[Program]:
        """The programs that play and live."""
        return [program for name, program in self.programs.items() if name.startswith("worker") and program.pid]

    def a_worker(self, rng: random.Random) -> Program:
        """One of those, waited for."""
        while not (alive := self.workers()):
            time.sleep(0.1)
            self.keep_up()
        return rng.choice(alive)

    def stop(self, seconds: float = 300) -> list[str]:
        """Ends the programs in good order; the names of those that had to be killed."""
        running = [program for program in self.programs.values() if program.pid]
        for program in running:
            assert program.process is not None
            program.process.terminate()
        deadline = time.monotonic() + seconds
        stubborn = []
        for program in running:
            assert program.process is not None
            try:
                program.process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                stubborn.append(program.name)
                os.killpg(program.process.pid, signal.SIGKILL)
                program.process.wait()
        return stubborn

    def processes(self) -> list[str]:
        """Whatever is alive and descends from the stage's programs."""
        mark = f"CHAOS={self.folder}\0".encode()
        found = []
        for environ in Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):
                if mark in environ.read_bytes():
                    line = (environ.parent / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                    found.append(f"{environ.parent.name} {line[:120]}")
        return found

    def tear_down(self, *, keep: bool) -> None:
        """Ends everything and deletes the folder."""
        self.stop(5)
        self.door.shut()
        self.redis.stop()
        self.postgres.remove()
        if not keep:
            shutil.rmtree(self.folder, ignore_errors=True)
