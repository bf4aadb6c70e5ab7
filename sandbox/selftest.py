"""Whether a driver's walls hold, found out by a bot that tries them: no sandbox is ever assumed to be one."""

from __future__ import annotations

import logging
import os
import time

from arena.player import BotFault, HouseFailure
from arena.protocol import Ask, Loaded, ProtocolError, Reply, Request, decode_reply, encode_request
from sandbox.drivers.base import Driver, DriverUnavailable, Limits

READ_AGAIN_SECONDS = 3600.0
"""A machine that is short of memory forgets what was read."""
_READING = Limits(start_seconds=60.0)

logger = logging.getLogger(__name__)
_read_at: dict[str, float] = {}
"""When all files were last read, on the steady clock, by driver."""

_PROBE = """
import ctypes, os, socket, sys, threading
from arena import Bot

def attempt(name, action):
    try:
        action()
    except OSError:
        return
    except RuntimeError as error:
        if "start new thread" in str(error):
            return
        raise
    raise RuntimeError("it lets a bot " + name)

def run_program():
    os.execv(sys.executable, [sys.executable, "-c", ""])

def signal_the_runner():
    os.kill(os.getppid(), 0)

attempt("start a process", os.fork)
attempt("start a thread", threading.Thread(target=int).start)
attempt("run a program", run_program)
attempt("open a network socket", lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM))
attempt("open a local socket", lambda: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
attempt("signal another process", signal_the_runner)
attempt("write to /tmp", lambda: open("/tmp/probe", "w"))
attempt("write to /dev/shm", lambda: open("/dev/shm/probe", "w"))
attempt("write beside its own code", lambda: open("/opt/arena/probe", "w"))
attempt("read /etc/shadow", lambda: open("/etc/shadow"))
attempt("read the runner's environment", lambda: open("/proc/1/environ").read(1) or open("/"))
if os.environ:
    raise RuntimeError("it hands a bot an environment")
if os.getuid() == 0:
    raise RuntimeError("it runs a bot as root")

class Probe(Bot):
    def choose_draw(self, view): ...
    def choose_discard(self, view): ...
"""

_NUMPY = """
import numpy
from arena import Bot

class Probe(Bot):
    __doc__ = numpy.__version__
    def choose_draw(self, view): ...
    def choose_discard(self, view): ...
"""


_READER = """
import os
import arena
from arena import Bot
from sandbox.runner.landlock import LIBRARIES, STDLIB

root = os.path.dirname(os.path.dirname(arena.__file__))
for top in {*LIBRARIES, *STDLIB, *(f"{root}/{folder}" for folder in ("arena", "sandbox", "packages"))}:
    for folder, _, names in os.walk(top):
        for name in names:
            try:
                with open(f"{folder}/{name}", "rb", buffering=0) as file:
                    while file.read(1 << 20):
                        pass
            except OSError:
                continue

class Reader(Bot):
    def choose_draw(self, view): ...
    def choose_discard(self, view): ...
"""


def prove(driver: Driver, limits: Limits | None = None) -> None:
    """Open a box, let the probe loose in it, and close it. Raises DriverUnavailable."""
    error = _load(driver, _PROBE, limits or Limits()).error
    if error is not None:
        raise DriverUnavailable(f"The sandbox {driver.name} does not hold: {error.message}")


def read_all_files(driver: Driver) -> None:
    """Have a bot read all that bots may, at most once in READ_AGAIN_SECONDS of this process.

    A file that nobody has read since the machine started is slow to read once: a bit for each of its pages, by which
    the first game of a match could tell the second what it saw.
    """
    now = time.monotonic()
    if now < _read_at.get(driver.name, -READ_AGAIN_SECONDS) + READ_AGAIN_SECONDS:
        return
    _read_at[driver.name] = now
    try:
        error = _load(driver, _READER, _READING).error
    except DriverUnavailable as unavailable:
        logger.warning("Not all files that bots may read are in memory: %s", unavailable)
        return
    if error is not None:
        logger.warning("Not all files that bots may read are in memory: %s", error.message)


def numpy_version(driver: Driver, limits: Limits | None = None) -> str:
    """The release of numpy that bots may import there, or "" if they may not. Raises DriverUnavailable."""
    answer = _load(driver, _NUMPY, limits or Limits()).answer
    return answer.doc if isinstance(answer, Loaded) else ""


def _load(driver: Driver, source: str, limits: Limits) -> Reply:
    """What comes of loading a bot in a box of its own."""
    request = Request(Ask.LOAD, 1, os.urandom(8).hex(), {"files": {"probe.py": source}, "entry": "probe.py"})
    try:
        box = driver.open_box(limits)
        try:
            channel = box.new_mind()
            channel.send(encode_request(request))
            budget = limits.start_seconds
            received = channel.receive(cpu_budget=budget, wall_budget=limits.wall_seconds(budget))
            return decode_reply(received.line, request)
        finally:
            box.close()
    except DriverUnavailable:
        raise
    except (HouseFailure, BotFault, ProtocolError) as error:
        raise DriverUnavailable(f"The sandbox {driver.name} does not work here: {error}") from error
