"""`manage.py serve`: the whole arena on one machine, until Ctrl-C."""

import fcntl
import os
import socket
import sys
import urllib.request
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from accounts.sample import sample_account
from arena.digits import whole_number
from bots import sandboxes
from config import folder, supervisor
from ladder.queries import activity
from sandbox.drivers.base import Driver, DriverUnavailable

GRACE_SECONDS = 5.0
"""How long a program may take to stop."""
DRAIN_SECONDS = 2
"""Of these, for matches to finish. One that does not is handed back, and played again after the next start."""
_CELERY = [sys.executable, "-m", "celery", "--app", "config", "--quiet"]


def _host(text: str) -> str:
    """A type for argparse. To the system an empty text is every address, which nobody means who left one out."""
    if not text:
        raise ArgumentTypeError("an empty text is no address; 0.0.0.0 listens on all of this machine's.")
    return text


def _port(text: str) -> int:
    """A type for argparse; 0 lets the system choose."""
    port = whole_number(text, most=65535)
    if port is None:
        raise ArgumentTypeError(f"{text!r} is no port: it is a number from 0 to 65535.")
    return port


class Command(BaseCommand):  # noqa: D101
    help = "Prepares the database, then runs the site, the worker and the scheduler until Ctrl-C."

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("--host", default="127.0.0.1", type=_host)
        parser.add_argument("--port", default=8000, type=_port)

    def handle(self, *_args: Any, host: str, port: int, **_options: Any) -> None:
        """Run until stopped; CommandError when one of the programs dies again and again."""
        try:
            with self._only_one(), self._listening(host, port) as listener:
                self._prepare()
                driver = self._sandbox()
                died = self._run(listener, driver)
                self._reap(driver)
        except KeyboardInterrupt:
            # Before the supervisor took over nothing was running yet.
            sys.exit(130)
        if cut_off := activity().running:
            self.stdout.write(
                f"Unfinished matches were cut off ({cut_off}); they are played again after the next start."
            )
        if died is not None:
            raise CommandError(f"{died} again and again; everything was stopped. What it wrote above says why.")
        self.stdout.write("Stopped.")

    def _say(self, text: str) -> None:
        """At once, into a file too: what is said of errors meanwhile comes after it."""
        self.stdout.write(text)
        self.stdout.flush()

    def _only_one(self) -> IO[str]:
        lock = (folder.made(settings.VAR) / "serve.lock").open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CommandError(
                f"Another arena is running on the data in {settings.VAR}. End it, or choose other data with ARENA_VAR."
            ) from None
        return lock

    def _listening(self, host: str, port: int) -> socket.socket:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            # `create_server` says of a name that is none what it says of a port that is taken.
            socket.getaddrinfo(host, port, family)
        except (socket.gaierror, UnicodeError):  # the second where a part of the name is too long
            raise CommandError(f"{host!r} is no address of this machine. Choose another with HOST.") from None
        try:
            return socket.create_server((host, port), family=family, backlog=512)
        except OSError as error:
            raise CommandError(
                f"The arena cannot listen on {host} port {port} ({error.strerror}). Choose another port with PORT."
            ) from None

    def _prepare(self) -> None:
        if settings.DEBUG:
            self.stderr.write(
                "DEBUG is on: a page that fails shows its source and settings to whoever asked for it. Unset it unless "
                "you develop the site."
            )
        self._say("Preparing the database")
        call_command("migrate", verbosity=0, interactive=False)
        call_command("collectstatic", verbosity=0, interactive=False)
        call_command("setup", verbosity=0)

    def _sandbox(self) -> Driver:
        self._say("Checking the sandbox")
        # Opens or closes uploads now, and not when a worker has come round to it.
        sandboxes.report_sandbox()
        try:
            driver = sandboxes.get_driver()
        except DriverUnavailable as error:
            raise CommandError(str(error)) from None
        self._reap(driver)
        connection.close()
        return driver

    def _reap(self, driver: Driver) -> None:
        try:
            driver.reap()
        except DriverUnavailable as error:
            # An engine that went away took its containers with it, or the next start finds them.
            self.stderr.write(str(error))

    def _run(self, listener: socket.socket, driver: Driver) -> supervisor.Died | None:
        host, port = listener.getsockname()[:2]
        environment = os.environ | {
            "ARENA_VAR": str(settings.VAR),
            "ARENA_SANDBOX": driver.name,
            "DRAIN_SECONDS": str(DRAIN_SECONDS),
            "PYTHONPATH": os.pathsep.join((str(settings.ROOT / "platform"), str(settings.ROOT))),
            # That a worker runs as root is the owner's choice here: the sandboxes give up root themselves.
            "PYTHONWARNINGS": "ignore::UserWarning:celery.platforms",
        }
        if host not in {"127.0.0.1", "::1"}:
            # Whoever listens on the network is reached under names only they know.
            environment.setdefault("ALLOWED_HOSTS", "*")
        here = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
        site = f"http://{here}:{port}"
        environment.setdefault("SITE_URL", site)

        def is_ready() -> bool:
            if not _answers(f"{site}/healthz"):
                return False
            self._welcome(site, driver)
            return True

        return supervisor.run(
            _programs(listener.fileno()),
            environment=environment,
            folder=settings.ROOT,
            grace_seconds=GRACE_SECONDS,
            is_ready=is_ready,
            say=self.stderr.write,
        )

    def _welcome(self, site: str, driver: Driver) -> None:
        account = sample_account()
        uploads = f"{site}/bots/new/"
        if driver.trusted_only:
            uploads = "closed: no sandbox. Start a Docker engine or `apt-get install bubblewrap`, then start again."
        lines = {
            "Site": f"{site}/",
            "Sample account": f"{account.username}, password {account.password}",
            "Starter bot": f"{site}/starter.py",
            "Upload": uploads,
            "Sandbox": driver.name,
            "Data": str(settings.VAR),
        }
        self.stdout.write("\nThe arena is running; Ctrl-C stops it.\n")
        for name, value in lines.items():
            self.stdout.write(f"  {name:<16}{value}")
        self.stdout.flush()


def _programs(listener: int) -> list[supervisor.Program]:
    gunicorn_conf = str(Path(__file__).resolve().parents[2] / "gunicorn_conf.py")
    gunicorn = [sys.executable, "-m", "gunicorn", "--config", gunicorn_conf, "--bind", f"fd://{listener}"]
    # One match a core: more would only slow each other down and use up the bots' clocks.
    cores = str(len(os.sched_getaffinity(0)))
    # Validations and what the scheduler asks for are few, and a table mostly waits for a person: threads of one process
    # do. The scheduler's tasks have four that no table takes.
    threads = ["--pool", "threads"]
    return [
        supervisor.Program("site", gunicorn, pass_fds=(listener,)),
        supervisor.Program("worker", _worker("matches,challenges,tournaments,trials", "--concurrency", cores)),
        supervisor.Program("validator", _worker("validations,trials", *threads, "--concurrency", "1")),
        supervisor.Program(
            "control", _worker("control,tables", *threads, "--concurrency", str(4 + settings.ARENA_MAX_TABLES))
        ),
        supervisor.Program("scheduler", [*_CELERY, "beat", "--loglevel", "WARNING", "--pidfile", ""]),
    ]


def _worker(queues: str, *pool: str) -> list[str]:
    alone = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    name = f"{queues.partition(',')[0]}@%h"
    return [*_CELERY, "worker", "--loglevel", "WARNING", "-Q", queues, "--hostname", name, *pool, *alone]


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False
