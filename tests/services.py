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

START_SECONDS = 30.0


def free_port() -> int:
    """A TCP port of 127.0.0.1 that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(ready: Callable[[], bool], what: str, seconds: float = START_SECONDS) -> None:
    """Polls `ready` until it is true; TimeoutError naming `what` after `seconds`."""
    deadline = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} did not answer within {seconds:.0f} seconds.")
        time.sleep(0.05)


def listens(port: int) -> bool:
    """Whether somebody accepts connections on this port of 127.0.0.1."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextlib.contextmanager
def redis_server(folder: Path) -> Iterator[str]:
    """A Redis server that keeps nothing; yields its URL."""
    port = free_port()
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    try:
        wait_until(lambda: listens(port), "redis-server")
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        server.terminate()
        server.wait(timeout=10)


def postgres_programs() -> Path | None:
    """The folder of the newest installed PostgreSQL's server programs (Debian keeps them off PATH)."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).resolve().parent if on_path else None


@contextlib.contextmanager
def postgres_server() -> Iterator[str]:
    """A PostgreSQL server in a temporary folder; yields the URL of its database `arena`.

    PostgreSQL refuses to run as root; then it runs as the `postgres` user that Debian's package made.
    """
    programs = postgres_programs()
    if programs is None:
        raise RuntimeError("PostgreSQL is not installed.")
    user = "postgres" if os.geteuid() == 0 else None
    # Not in pytest's own temporary folder: another user could not pass through that.
    folder = Path(tempfile.mkdtemp(prefix="arena-pg-"))
    if user is not None:
        os.chown(folder, pwd.getpwnam(user).pw_uid, pwd.getpwnam(user).pw_gid)
    port = free_port()
    data = folder / "data"
    initdb: list[str | Path] = [
        programs / "initdb",
        "-D",
        data,
        "-U",
        "arena",
        "--auth=trust",
        "--no-sync",
        "-E",
        "UTF8",
        "--locale=C",
    ]
    subprocess.run(initdb, check=True, stdout=subprocess.DEVNULL, user=user, cwd=folder)
    # Durability costs time and a test's database is thrown away.
    options = ["-F", "-c", "listen_addresses=127.0.0.1", "-c", f"unix_socket_directories={folder}"]
    server = subprocess.Popen(
        [programs / "postgres", "-D", data, "-p", str(port), *options],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        user=user,
        cwd=folder,
    )
    try:
        wait_until(lambda: listens(port), "PostgreSQL")
        url = f"postgresql://arena@127.0.0.1:{port}"

        def created() -> bool:
            # It listens a moment before it lets anybody in.
            command = [str(programs / "psql"), "-qc", "create database arena", f"{url}/postgres"]
            return subprocess.run(command, check=False, capture_output=True).returncode == 0

        wait_until(created, "PostgreSQL")
        yield f"{url}/arena"
    finally:
        server.send_signal(signal.SIGINT)  # fast shutdown: open connections are dropped
        server.wait(timeout=30)
        shutil.rmtree(folder, ignore_errors=True)


def main(command: list[str]) -> int:
    """Runs `command` beside both servers; returns its exit status."""
    with tempfile.TemporaryDirectory(prefix="arena-redis-") as folder, contextlib.ExitStack() as stack:
        redis = stack.enter_context(redis_server(Path(folder)))
        postgres = stack.enter_context(postgres_server())
        environment = os.environ | {"REDIS_URL": redis, "DATABASE_URL": postgres}
        return subprocess.run(command, check=False, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
