"""The driver for machines without a Docker engine: bubblewrap around the same runner.

The box has namespaces of its own, no network, no capability, and a read-only root that holds Python, the C libraries,
`arena` and the runner: no /proc, no /sys, no /etc, no writable folder. It never runs as root, whose bubblewrap could
read files that only root may: a worker that is root gives every box a user id of its own. What a bot may use up is
limited by the kernel's limits on its process (`sandbox/runner/lockdown.py`); where control groups can be made, one is
put around the box as a second lock (`cgroup.py`).
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from arena.player import HouseFailure
from sandbox import libraries
from sandbox.drivers import cgroup
from sandbox.drivers.base import DriverUnavailable, Limits
from sandbox.drivers.box import ZygoteBox
from sandbox.drivers.process import PYTHON_FLAGS, RunnerProcess
from sandbox.drivers.slot import Slot, reap_slots, run_dir
from sandbox.interpreter import Interpreter, find_interpreter
from sandbox.packages import FOLDER, numpy_files, numpy_fingerprint
from sandbox.selftest import prove
from sandbox.sources import runner_digest, runner_files

_CODE = Path("/opt/arena")
_SOCKETS = Path("/run/arena")
_OLD_CODE_SECONDS = 24 * 3600.0
_DEVICES = ("/dev/null", "/dev/urandom")


class BoxedProcess(RunnerProcess):
    """An Enclosure: a process in bubblewrap, in a control group if there is one."""

    def __init__(self, command: list[str], slot: Slot, limits: Limits) -> None:
        uid = slot.uid if os.geteuid() == 0 else None
        # bubblewrap is to die with its parent, and the kernel takes that to be the thread which started it.
        _launcher().submit(super().__init__, command, {}, uid).result()
        self._group = cgroup.create(slot.group, limits)

    def contain(self, zygote: int) -> None:
        """Put the zygote, and with it all its children to come, into the control group."""
        if self._group is not None:
            self._group.add(zygote)

    def ran_out_of_memory(self) -> bool:
        """See Enclosure."""
        return self._group is not None and self._group.oom_kills() > 0

    def destroy(self) -> None:
        """See Enclosure."""
        super().destroy()
        if self._group is not None:
            self._group.remove()


class BubblewrapDriver:
    """See Driver."""

    name = "bubblewrap"
    trusted_only = False

    def check(self) -> None:
        """See Driver.check."""
        if shutil.which("bwrap") is None:
            raise DriverUnavailable("bubblewrap is not installed: apt-get install bubblewrap.")
        find_interpreter()
        prove(self)

    def open_box(self, limits: Limits) -> ZygoteBox:
        """See Driver.open_box."""
        python = find_interpreter()
        code, numpy = _stage_code(python), _stage_numpy(python)
        slot = Slot.take(time.time() + limits.box_seconds)
        try:
            with slot.listen("control") as listener:
                enclosure = BoxedProcess(_command(python, code, numpy, slot.sockets), slot, limits)
                try:
                    box = ZygoteBox.open(slot, listener, enclosure, limits)
                    enclosure.contain(box.zygote_pid)
                except BaseException:
                    enclosure.destroy()
                    raise
        except BaseException:
            slot.remove()
            raise
        return box

    def reap(self) -> int:
        """See Driver.reap. The processes end by themselves when their owner does; folders and groups stay behind."""
        return reap_slots(cgroup.remove)


_launchers: dict[int, ThreadPoolExecutor] = {}


def _launcher() -> ThreadPoolExecutor:
    """A thread that lives as long as this process; a process forked from it makes its own."""
    return _launchers.setdefault(os.getpid(), ThreadPoolExecutor(1, thread_name_prefix="bubblewrap"))


def _stage_code(python: Interpreter) -> Path:
    """A copy of arena and the runner, compiled, that every box's user may read wherever the project itself lies."""

    def fill(draft: Path) -> None:
        for path, data in runner_files().items():
            target = draft / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        (draft / FOLDER).mkdir()
        subprocess.run(
            [python.executable, "-I", "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", draft],
            check=True,
            capture_output=True,
        )

    return _stage(f"code-{runner_digest(str(python.executable).encode())}", fill)


def _stage_numpy(python: Interpreter) -> Path | None:
    """A copy of numpy likewise, or None where the box's Python is of another version than the one it was made for."""
    files = numpy_files()
    if not files or python.stdlib.name != f"python{sys.version_info.major}.{sys.version_info.minor}":
        return None

    def fill(draft: Path) -> None:
        for path, found in files.items():
            target = draft / path
            target.parent.mkdir(parents=True, exist_ok=True)
            # With its time of change, by which Python knows whether the bytecode beside it is still good.
            shutil.copy2(found, target)

    return _stage(f"numpy-{hashlib.sha256(numpy_fingerprint()).hexdigest()[:16]}", fill)


def _stage(name: str, fill: Callable[[Path], None]) -> Path:
    """The folder of that name, made and filled if it is not there. Raises HouseFailure."""
    folder = run_dir() / name
    if folder.is_dir():
        return folder
    draft = folder.with_name(f"{folder.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        draft.mkdir()
        fill(draft)
        for made in (draft, *draft.rglob("*")):
            made.chmod(0o755 if made.is_dir() else 0o644)
        draft.rename(folder)
        _remove_old(folder)
    except (OSError, subprocess.SubprocessError) as error:
        shutil.rmtree(draft, ignore_errors=True)
        if not folder.is_dir():  # nobody else was faster either
            raise HouseFailure(f"What boxes run cannot be copied to {folder}: {error}") from error
    return folder


def _remove_old(current: Path) -> None:
    """Delete the copies of earlier versions. A worker that still runs one makes itself a new copy."""
    for other in current.parent.glob(f"{current.name.partition('-')[0]}-*"):
        with contextlib.suppress(OSError):
            if other != current and time.time() - other.stat().st_mtime > _OLD_CODE_SECONDS:
                shutil.rmtree(other)


def _command(python: Interpreter, code: Path, numpy: Path | None, sockets: Path) -> list[str]:
    command = [str(shutil.which("bwrap")), "--unshare-all", "--unshare-user", "--die-with-parent", "--new-session"]
    command += ["--cap-drop", "ALL", "--clearenv", "--hostname", "box"]
    for path in _of_this_machine(python):
        command += ["--ro-bind", str(path), str(path.parent.resolve() / path.name)]
    for folder in map(Path, libraries.FOLDERS):
        if folder.is_symlink():
            command += ["--symlink", str(folder.readlink()), str(folder)]
    for device in _DEVICES:
        command += ["--dev-bind", device, device]
    command += ["--ro-bind", str(code), str(_CODE)]
    if numpy is not None:
        command += ["--ro-bind", str(numpy), str(_CODE / FOLDER)]
    command += ["--ro-bind", str(sockets), str(_SOCKETS), "--remount-ro", "/"]
    runner = _CODE / "sandbox" / "runner" / "__main__.py"
    return [*command, "--chdir", "/", "--", str(python.executable), *PYTHON_FLAGS, str(runner), str(_SOCKETS)]


@functools.cache
def _of_this_machine(python: Interpreter) -> list[Path]:
    """Files and folders: Python, its library, what these are linked with, and where the loader looks for that.

    No more of the folders that hold them: whether a page of a file was ever read shows in how long reading it takes.
    """
    # A Python of its own prefix, such as /usr/local or ~/.pyenv, has its shared library and more beside the stdlib.
    in_place = python.stdlib if python.stdlib.is_relative_to("/usr/lib") else python.stdlib.parent
    linked = [path for path in libraries.libraries(python) if not path.resolve().is_relative_to(in_place)]
    return [python.executable, in_place, *sorted(linked), *filter(Path.exists, (Path("/etc/ld.so.cache"),))]
