"""Runs a few programs as one: all start together, what dies is started again, and a signal stops all.

A program that dies once (the kernel was short of memory, somebody killed it) is back in a moment. One that dies at
once, again and again, has a fault that its owner should see: then everything stops, and says which it was.
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
QUICK_SECONDS = 15.0
"""A program that lived longer than this had started well."""
PAUSES = (0.5, 1.0, 2.0, 4.0)
"""Seconds before each new start of a program that died quicker, counted from its last good one; then it is given up."""


@dataclass(frozen=True)
class Program:
    """One program to keep running."""

    name: str
    command: Sequence[str]
    pass_fds: tuple[int, ...] = ()


@dataclass(frozen=True)
class Died:
    """The program whose deaths stopped the rest."""

    name: str
    status: int
    """Its last exit status; negative for a signal."""

    def __str__(self) -> str:
        how = f"exit status {self.status}" if self.status >= 0 else signal.Signals(-self.status).name
        return f"The {self.name} ended by itself ({how})"


class _Kept:
    """A program and its present process."""

    def __init__(self, program: Program, start: Callable[[Program], subprocess.Popen[bytes]]) -> None:
        self.program = program
        self._start = start
        self._deaths = 0
        self._start_at: float | None = None
        self._started()

    def _started(self) -> None:
        self.process = self._start(self.program)
        self._started_at = time.monotonic()

    def tend(self, say: Callable[[str], None]) -> Died | None:
        """Starts it again when it is dead, after a pause; what it died of once it is given up."""
        status = self.process.poll()
        if status is None:
            return None
        if self._start_at is None:
            if time.monotonic() - self._started_at > QUICK_SECONDS:
                self._deaths = 0
            died = Died(self.program.name, status)
            if self._deaths == len(PAUSES):
                return died
            pause = PAUSES[self._deaths]
            self._deaths += 1
            self._start_at = time.monotonic() + pause
            # What it leaves of its own would work on beside its successor.
            _kill_group(self.process)
            say(f"{died}; it is started again in {pause:g} s.")
        elif time.monotonic() >= self._start_at:
            self._start_at = None
            self._started()
        return None


def run(
    programs: Sequence[Program],
    *,
    environment: Mapping[str, str],
    folder: Path,
    grace_seconds: float,
    is_ready: Callable[[], bool],
    say: Callable[[str], None],
) -> Died | None:
    """Starts `programs` in `folder` and keeps them running.

    `is_ready` is called every now and then until it returns True; `say` with a sentence when a program has died.
    Returns None after SIGINT, SIGTERM or SIGHUP, else the program that died too often. Either way every process that
    came from these programs is gone: they get SIGTERM, and after `grace_seconds` SIGKILL.
    Must be called from the main thread, and while no other runs.
    """
    libc = ctypes.CDLL(None)
    # What a dying program leaves behind becomes our child, so that it can be found and ended.
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    stop = threading.Event()
    kept: list[_Kept] = []

    def start(program: Program) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            program.command,
            env=environment,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            pass_fds=program.pass_fds,
            # A group of its own: Ctrl-C in the terminal reaches only this process, which then stops the others in
            # order.
            start_new_session=True,
            # Should this process be killed outright, the programs get the signal it could not send.
            # No other thread runs here, so that a function between fork and exec is safe.
            preexec_fn=lambda: libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0),  # noqa: PLW1509
        )

    with _handlers(stop):
        try:
            for program in programs:
                kept.append(_Kept(program, start))  # noqa: PERF401 - those started so far must end when one fails to
            ready = False
            while not stop.is_set():
                for one in kept:
                    died = one.tend(say)
                    if died is not None:
                        return died
                ready = ready or is_ready()
                stop.wait(_POLL_SECONDS)
            return None
        finally:
            _end([one.process for one in kept], grace_seconds)


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
        _kill_group(process)
        process.wait()
    # Whatever left its group as well: the kernel hands us orphans one generation at a time.
    while orphans := _children():
        for pid in orphans:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    # The group outlives its leader, and so may its members.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _children() -> list[int]:
    own = str(os.getpid())
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # "pid (name) state ppid ...", and the name may hold spaces and parentheses.
            if stat.read_text().rpartition(")")[2].split()[1] == own:
                found.append(int(stat.parent.name))
    return found
