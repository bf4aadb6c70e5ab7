"""The driver that confines nothing it could not do without: a plain process, for the house's own bots.

The runner and the transport are those of the other drivers; the inner filter is taken where libseccomp is there.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from arena.player import HouseFailure
from sandbox.drivers.base import Limits
from sandbox.drivers.box import ZygoteBox
from sandbox.drivers.slot import Slot, reap_slots, run_dir

PYTHON_FLAGS = ("-I", "-S", "-B", "-X", "utf8")
"""Isolated from the surroundings, no site packages, nothing written, UTF-8 whatever the locale."""
RUNNER = Path(__file__).resolve().parents[1] / "runner" / "__main__.py"

_END_SECONDS = 5.0


class RunnerProcess:
    """An Enclosure that is a process of this machine."""

    kernel_pid = None

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], uid: int | None = None) -> None:
        """Start the command, as user and group `uid` if that is given. Raises HouseFailure."""
        try:
            self._process = subprocess.Popen(
                command,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                cwd="/",
                start_new_session=True,
                user=uid,
                group=uid,
                extra_groups=[] if uid is not None else None,
            )
        except OSError as error:
            raise HouseFailure(f"{command[0]} cannot be started: {error}") from error

    def is_running(self) -> bool:
        """See Enclosure."""
        return self._process.poll() is None

    def epitaph(self) -> str:
        """See Enclosure."""
        lines = (
            self._process.stderr.read().decode(errors="replace").strip().splitlines() if self._process.stderr else []
        )
        return lines[-1] if lines else f"exit status {self._process.returncode}"

    def ran_out_of_memory(self) -> bool:
        """See Enclosure. Without a control group of its own nothing here is ended for its memory."""
        return False

    def destroy(self) -> None:
        """See Enclosure."""
        # The zygote ends when the host hangs up, which has happened by now; this is for one that does not.
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_SECONDS)
        if self._process.stderr:
            self._process.stderr.close()


class ProcessDriver:
    """See Driver."""

    name = "process"
    trusted_only = True

    def check(self) -> None:
        """See Driver.check."""
        run_dir()

    def open_box(self, limits: Limits) -> ZygoteBox:
        """See Driver.open_box."""
        slot = Slot.take(time.time() + limits.box_seconds)
        try:
            with slot.listen("control") as listener:
                enclosure = RunnerProcess([sys.executable, *PYTHON_FLAGS, str(RUNNER), str(slot.sockets)], {})
                try:
                    return ZygoteBox.open(slot, listener, enclosure, limits, trusted=True)
                except BaseException:
                    enclosure.destroy()
                    raise
        except BaseException:
            slot.remove()
            raise

    def reap(self) -> int:
        """See Driver.reap. A runner ends by itself when its owner does; the folders stay behind."""
        return reap_slots()
