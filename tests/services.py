"""Redis and PostgreSQL servers for a test run: own folders, free ports, stopped at the end.

`python -m tests.services COMMAND...` runs a command with DATABASE_URL and REDIS_URL pointing at two of them.
"""

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

PATIENCE = 300.0
"""Seconds: what a wait for something that must happen may take on a machine that is busy with other tests."""

OURS = ("DJANGO_", "DATABASE_URL", "REDIS_URL", "PYTEST_", "COVERAGE")
"""How the variables begin that the tests' own processes have and others must not."""


def environment_of(var: Path, **more: str) -> dict[str, str]:
    """The variables of an arena's programs, by its data folder, as somebody at a terminal would start them: nothing of
    the tests' own settings and servers."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    return kept | {"ARENA_VAR": str(var)} | more


def free_port() -> int:
    """A TCP port of 127.0.0.1 that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(ready: Callable[[], bool], what: str, seconds: float = PATIENCE, *, every: float = 0.05) -> None:
    """Polls `ready` in intervals of `every` seconds until it is true; TimeoutError naming `what` after `seconds`."""
    deadline = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} did not answer within {seconds:.0f} seconds.")
        time.sleep(every)


def listens(port: int) -> bool:
    """Whether somebody accepts connections on this port of 127.0.0.1."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


class RedisServer:
    """A Redis server that keeps nothing, on a port of its own; it may be stopped and started again."""

    def __init__(self, folder: Path) -> None:
        self._port = free_port()
        self._folder = folder
        self._server: subprocess.Popen[bytes] | None = None
        self.url = f"redis://127.0.0.1:{self._port}/0"

    def start(self) -> None:
        command = ["redis-server", "--port", str(self._port), "--bind", "127.0.0.1", "--save", ""]
        command += ["--dir", str(self._folder)]
        self._server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        wait_until(lambda: listens(self._port), "redis-server")

    def stop(self) -> None:
        if self._server is not None:
            self._server.terminate()
            self._server.wait(timeout=PATIENCE)


@contextlib.contextmanager
def redis_server(folder: Path) -> Iterator[str]:
    """A Redis server that keeps nothing; yields its URL."""
    server = RedisServer(folder)
    try:
        server.start()
        yield server.url
    finally:
        server.stop()


def postgres_programs() -> Path | None:
    """The folder of the newest installed PostgreSQL's server programs (Debian keeps them off PATH)."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).resolve().parent if on_path else None


class PostgresServer:
    """A PostgreSQL server in a temporary folder with a database `arena`; it may be stopped and started again.

    PostgreSQL refuses to run as root; then it runs as the `postgres` user that Debian's package made.
    """

    def __init__(self) -> None:
        programs = postgres_programs()
        if programs is None:
            raise RuntimeError("PostgreSQL is not installed.")
        self._programs = programs
        self._user = "postgres" if os.geteuid() == 0 else None
        # Not in pytest's own temporary folder: another user could not pass through that.
        self._folder = Path(tempfile.mkdtemp(prefix="arena-pg-"))
        self._port = free_port()
        self._server: subprocess.Popen[bytes] | None = None
        self._base = f"postgresql://arena@127.0.0.1:{self._port}"
        self.url = f"{self._base}/arena"

    def create(self) -> None:
        """Makes the files and the database, and starts."""
        if self._user is not None:
            os.chown(self._folder, pwd.getpwnam(self._user).pw_uid, pwd.getpwnam(self._user).pw_gid)
        command: list[str | Path] = [self._programs / "initdb", "-D", self._folder / "data", "-U", "arena"]
        command += ["--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, user=self._user, cwd=self._folder)
        self.start()
        self._ask("postgres", "create database arena")

    def start(self) -> None:
        # Durability costs time and a test's database is thrown away.
        options = ["-F", "-c", "listen_addresses=127.0.0.1", "-c", f"unix_socket_directories={self._folder}"]
        self._server = subprocess.Popen(
            [self._programs / "postgres", "-D", self._folder / "data", "-p", str(self._port), *options],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            user=self._user,
            cwd=self._folder,
        )
        # It listens a moment before it lets anybody in.
        wait_until(lambda: self._asked("postgres", "select 1"), "PostgreSQL")

    def stop(self, *, crash: bool = False) -> None:
        """Drops open connections and ends, in good order or leaving the rest to the recovery at the next start."""
        if self._server is not None:
            self._server.send_signal(signal.SIGQUIT if crash else signal.SIGINT)
            self._server.wait(timeout=PATIENCE)

    def remove(self) -> None:
        """Stops and deletes the files."""
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _ask(self, database: str, command: str) -> None:
        subprocess.run(self._psql(database, command), check=True, capture_output=True)

    def _asked(self, database: str, command: str) -> bool:
        return subprocess.run(self._psql(database, command), check=False, capture_output=True).returncode == 0

    def _psql(self, database: str, command: str) -> list[str]:
        return [str(self._programs / "psql"), "-qc", command, f"{self._base}/{database}"]


@contextlib.contextmanager
def postgres_server() -> Iterator[str]:
    """A PostgreSQL server in a temporary folder; yields the URL of its database `arena`."""
    server = PostgresServer()
    try:
        server.create()
        yield server.url
    finally:
        server.remove()


def main(command: list[str]) -> int:
    """Runs `command` beside both servers; returns its exit status."""
    with tempfile.TemporaryDirectory(prefix="arena-redis-") as folder, contextlib.ExitStack() as stack:
        redis = stack.enter_context(redis_server(Path(folder)))
        postgres = stack.enter_context(postgres_server())
        environment = os.environ | {"REDIS_URL": redis, "DATABASE_URL": postgres}
        return subprocess.run(command, check=False, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
