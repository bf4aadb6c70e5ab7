"""Runs a few programs as one: all start together, and when one ends or a signal comes, all stop.

Nothing is restarted. On one machine a program that dies is a fault that its owner should see at once; in production
the container engine restarts what fails.
"""

import contextlib
import ctypes
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
"""prctl(2) from <linux/prctl.h>."""

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_POLL_SECONDS = 0.1


@dataclass(frozen=True)
class Program:
    """One program to keep running."""

    name: str
    command: Sequence[str]
    pass_fds: tuple[int, ...] = ()


@dataclass(frozen=True)
class Died:
    """The program whose end stopped the rest."""

    name: str
    status: int
    """Its exit status; negative for a signal."""

    def __str__(self) -> str:
        how = f"exit status {self.status}" if self.status >= 0 else signal.Signals(-self.status).name
        return f"The {self.name} ended by itself ({how})"


def run(
    programs: Sequence[Program],
    *,
    environment: Mapping[str, str],
    folder: Path,
    grace_seconds: float,
    when_started: Callable[[Callable[[], bool]], None],
) -> Died | None:
    """Starts `programs` in `folder` and waits.

    `when_started` is called once all are running, with a function that says whether to give up waiting for them.
    Returns None after SIGINT, SIGTERM or SIGHUP, else the program that ended first. Either way every process that
    came from these programs is gone: they get SIGTERM, and after `grace_seconds` SIGKILL.
    Must be called from the main thread.
    """
    libc = ctypes.CDLL(None)
    # What a dying program leaves behind becomes our child, so that it can be found and ended.
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    stop = threading.Event()
    running: list[tuple[Program, subprocess.Popen[bytes]]] = []

    def first_dead() -> Died | None:
        for program, process in running:
            status = process.poll()
            if status is not None:
                return Died(program.name, status)
        return None

    with _handlers(stop):
        try:
            for program in programs:
                process = subprocess.Popen(
                    program.command,
                    env=environment,
                    cwd=folder,
                    stdin=subprocess.DEVNULL,
                    pass_fds=program.pass_fds,
                    # A group of its own: Ctrl-C in the terminal reaches only this process, which then stops the
                    # others in order.
                    start_new_session=True,
                    # Should this process be killed outright, the programs get the signal it could not send.
                    # No other thread runs here, so that a function between fork and exec is safe.
                    preexec_fn=lambda: libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0),  # noqa: PLW1509
                )
                running.append((program, process))
            when_started(lambda: stop.is_set() or first_dead() is not None)
            died = None
            while not stop.is_set() and died is None:
                died = first_dead()
                stop.wait(_POLL_SECONDS)
            return died
        finally:
            _end([process for _, process in running], grace_seconds)


@contextlib.contextmanager
def _handlers(stop: threading.Event) -> Iterator[None]:
    def ask(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    before = [signal.signal(number, ask) for number in STOP_SIGNALS]
    try:
        yield
    finally:
        for number, handler in zip(STOP_SIGNALS, before, strict=True):
            signal.signal(number, handler)


def _end(processes: Sequence[subprocess.Popen[bytes]], grace_seconds: float) -> None:
    for process in processes:
        if process.poll() is None:
            process.terminate()
    deadline = time.monotonic() + grace_seconds
    for process in processes:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=max(0.0, deadline - time.monotonic()))
    for process in processes:
        # The group outlives its leader, and so may its members.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    # Whatever left its group as well: the kernel hands us orphans one generation at a time.
    while orphans := _children():
        for pid in orphans:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


def _children() -> list[int]:
    own = str(os.getpid())
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # "pid (name) state ppid ...", and the name may hold spaces and parentheses.
            if stat.read_text().rpartition(")")[2].split()[1] == own:
                found.append(int(stat.parent.name))
    return found
