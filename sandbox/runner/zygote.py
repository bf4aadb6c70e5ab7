"""The first process of a box. It never runs bot code: it forks, on the host's command, one child for each game.

A fork gives a fresh mind in a millisecond instead of a fresh interpreter in twenty. The zygote is not dumpable, and the
child can neither signal nor trace it, so that what the zygote tells the host can be believed.

The host commands by JSON lines on one socket, and each has one reply:

    (on connecting)                          {"zygote": pid}
    {"do": "mind", "socket": name, ...}      {"pid": pid}         a child connects to that socket
    {"do": "seal"}                           {}                   the child looks up no files any more
    {"do": "cpu"}                            {"cpu": seconds}     what the child has used; for hosts that cannot see it
    {"do": "reap", "grace": seconds}         {"exit": code or null, "signal": number or null, "killed": bool,
                                              "cpu": seconds, "left": bool}

When the host hangs up, the zygote kills its child and ends, and the box with it.
"""

from __future__ import annotations

import gc
import os
import random  # noqa: F401 - imported here, so that every child has it already
import time

from arena.jsontext import read_json
from sandbox.runner import lockdown, mind
from sandbox.runner.keeper import Keeper
from sandbox.runner.libc import prctl
from sandbox.runner.line import connect, lines, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

_CODE_ROOT = os.path.realpath(f"{os.path.dirname(__file__)}/../..")
_CODE = tuple(f"{_CODE_ROOT}/{folder}" for folder in ("arena", "sandbox", "packages"))
_PR_SET_CHILD_SUBREAPER = 36
_POLL_SECONDS = 0.001


def main(folder: str) -> None:
    """Serve the host until it hangs up."""
    lockdown.hide()
    # Whatever a child might leave behind becomes this process's child, where waitpid sees it.
    prctl(_PR_SET_CHILD_SUBREAPER, 1)
    control = connect(f"{folder}/control")
    zygote = Zygote(folder)
    say(control, {"zygote": os.getpid()})
    gc.freeze()
    try:
        for line in lines(control):
            say(control, zygote.obey(read_json(line.decode())))
    finally:
        zygote.end_mind(grace=0)


class Zygote:
    """At most one child at a time."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._pid: int | None = None
        self._keeper: Keeper | None = None
        self._null = mind.prepare()
        try:
            self._cage: lockdown.Cage | None = lockdown.Cage(_CODE)
            self._no_cage = ""
        except OSError as error:
            self._cage, self._no_cage = None, str(error)

    def obey(self, command: dict[str, Any]) -> dict[str, Any]:
        """Carry out one command; the result is the reply."""
        match command.pop("do"):
            case "mind":
                return self._start_mind(**command)
            case "seal":
                if self._keeper:
                    self._keeper.seal()
                return {}
            case "cpu":
                return {"cpu": self._cpu()}
            case "reap":
                return self.end_mind(**command)
            case unknown:
                return {"failed": f"The zygote does not know the command {unknown!r}."}

    def _start_mind(self, *, socket: str, memory_bytes: int, cpu_seconds: int, trusted: bool) -> dict[str, Any]:
        if self._cage is None and not trusted:
            return {"failed": f"There is no inner filter: {self._no_cage}. Install libseccomp2."}

        def live() -> NoReturn:
            address = f"{self._folder}/{socket}"
            mind.live(address, self._null, self._cage, memory_bytes=memory_bytes, cpu_seconds=cpu_seconds)

        if self._cage and self._cage.can_watch:
            self._keeper = Keeper(self._cage, live)
            self._pid = self._keeper.mind_pid
        elif (pid := os.fork()) == 0:
            live()
        else:
            self._pid = pid
        return {"pid": self._pid}

    def _cpu(self) -> float:
        """Seconds of CPU time the child has used, by the kernel's clock of that process."""
        return 0.0 if self._pid is None else time.clock_gettime(~self._pid << 3 | 2)

    def end_mind(self, grace: float) -> dict[str, Any]:
        """See the child end: by itself within `grace` seconds, else by SIGKILL."""
        if self._pid is None:
            return {"exit": None, "signal": None, "killed": False, "cpu": 0.0, "left": self._has_children()}
        deadline = time.monotonic() + grace
        killed = False
        # A keeper ends when the mind has, and leaves it to us.
        first = self._keeper.pid if self._keeper else self._pid
        while os.waitid(os.P_PID, first, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            if time.monotonic() >= deadline:
                os.kill(self._pid, lockdown.SIGKILL)
                killed = True
                break
            time.sleep(_POLL_SECONDS)
        os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
        if self._keeper:
            os.waitpid(first, 0)
            self._keeper.close()
            self._keeper = None
            os.waitid(os.P_PID, self._pid, os.WEXITED | os.WNOWAIT)
        cpu = self._cpu()
        _, status = os.waitpid(self._pid, 0)
        self._pid = None
        return {
            "exit": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
            "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
            "killed": killed,
            "cpu": cpu,
            "left": self._has_children(),
        }

    @staticmethod
    def _has_children() -> bool:
        try:
            os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False
        return True
