"""The first process of a box. It never runs bot code: it forks, on the host's command, one child for each game.

A fork gives a fresh mind in a millisecond instead of a fresh interpreter in twenty. Between the two stands the mind's
keeper (`keeper.py`), which obeys the host until that mind has ended; the zygote waits, and hears nothing of the game.
Neither is dumpable, and the mind can neither signal nor trace them, so that what they tell the host can be believed.

The host commands by JSON lines on one socket, and each has one reply:

    (on connecting)                          {"zygote": pid}
    {"do": "mind", "socket": name, ...}      {"pid": pid}         a child connects to that socket
    {"do": "seal"}                           {}                   the child looks up no files any more
    {"do": "cpu"}                            {"cpu": seconds}     what the child has used; for hosts that cannot see it
    {"do": "reap", "grace": seconds}         {"exit": code or null, "signal": number or null, "killed": bool,
                                              "left": bool}

When the host hangs up, the keeper kills the mind, and both end, and the box with them.
"""

from __future__ import annotations

import gc
import os
import random  # noqa: F401 - imported here, so that every child has it already

from arena.jsontext import read_json
from sandbox.runner import lockdown, mind
from sandbox.runner.keeper import keep
from sandbox.runner.line import connect, lines, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _socket
    from typing import Any, NoReturn

_CODE_ROOT = os.path.realpath(f"{os.path.dirname(__file__)}/../..")
_CODE = tuple(f"{_CODE_ROOT}/{folder}" for folder in ("arena", "sandbox", "packages"))


def main(folder: str) -> None:
    """Serve the host until it hangs up."""
    lockdown.hide()
    control = connect(f"{folder}/control")
    zygote = Zygote(folder, control)
    say(control, {"zygote": os.getpid()})
    gc.freeze()
    for line in lines(control):
        zygote.obey(read_json(line.decode()))


class Zygote:
    """At most one child at a time."""

    def __init__(self, folder: str, control: _socket.socket) -> None:
        self._folder = folder
        self._control = control
        self._null = mind.prepare()
        try:
            self._cage: lockdown.Cage | None = lockdown.Cage(_CODE)
            self._no_cage = ""
        except OSError as error:
            self._cage, self._no_cage = None, str(error)

    def obey(self, command: dict[str, Any]) -> None:
        """Carry out the one command that is for the zygote."""
        if command.pop("do") == "mind":
            self._live_once(**command)
        else:
            say(self._control, {"failed": "There is no mind to obey."})

    def _live_once(self, *, socket: str, memory_bytes: int, cpu_seconds: int, trusted: bool) -> None:
        """A mind's life, from its birth until its keeper has seen it end. Raises OSError when that one fails."""
        if self._cage is None and not trusted:
            say(self._control, {"failed": f"There is no inner filter: {self._no_cage}. Install libseccomp2."})
            return

        def live() -> NoReturn:
            address = f"{self._folder}/{socket}"
            mind.live(address, self._null, self._cage, memory_bytes=memory_bytes, cpu_seconds=cpu_seconds)

        keeper = os.fork()
        if keeper == 0:
            keep(self._control, self._cage, live)
        _, status = os.waitpid(keeper, 0)
        if status:
            raise OSError("The keeper of a mind has failed.")
