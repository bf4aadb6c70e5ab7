"""A slot: a folder of the host's for one box, with the sockets its processes connect to.

    RUN_DIR/          0711
      200017/         0711    one slot; its name is the user id of the box, which nobody else has while it exists
        owner         0600    who opened it and until when
        sockets/      0711    the only part the box sees, read-only
          control     0600, of the box's user, and gone as soon as the zygote has connected
          mind-1      likewise, for the first game

The folder must have the same path for the worker and for the Docker engine. It is SANDBOX_RUN_DIR, or
/run/gin-rummy-arena for root, or /tmp/gin-rummy-arena-UID for others.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import socket
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from arena.player import HouseFailure
from sandbox.drivers.base import DriverUnavailable
from sandbox.drivers.owner import Owner, is_left_behind

USER_IDS = range(200_000, 260_000)
"""For boxes opened by root. Above what distributions give to people and services."""
_LONGEST_ADDRESS = 107
_HALF_MADE_SECONDS = 60.0
"""A slot without an owner file is being made right now, unless it is older than this."""


def run_dir() -> Path:
    """The folder of all slots, made if it is missing. Raises DriverUnavailable."""
    uid = os.geteuid()
    default = "/run/gin-rummy-arena" if uid == 0 else f"/tmp/gin-rummy-arena-{uid}"
    folder = Path(os.environ.get("SANDBOX_RUN_DIR") or default)
    if len(str(folder / "200000" / "sockets" / "control")) > _LONGEST_ADDRESS:
        raise DriverUnavailable(
            f"The path {folder} is too long for a socket in it: set SANDBOX_RUN_DIR to a shorter one."
        )
    try:
        folder.mkdir(mode=0o711, parents=True, exist_ok=True)
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != uid:
            raise DriverUnavailable(f"{folder} belongs to somebody else: set SANDBOX_RUN_DIR to a folder of your own.")
        folder.chmod(0o711)
    except OSError as error:
        raise DriverUnavailable(
            f"{folder} cannot be made ({error}): set SANDBOX_RUN_DIR to a folder that can."
        ) from None
    return folder.resolve()


@dataclass(frozen=True, slots=True)
class Slot:
    """One box's folder and user."""

    folder: Path
    uid: int
    gid: int

    @property
    def name(self) -> str:
        """Unique while the slot exists."""
        return self.folder.name

    @property
    def group(self) -> str:
        """A name for a control group, unique among all run folders of the machine while the slot exists."""
        return group_name(self.folder)

    @property
    def sockets(self) -> Path:
        """The folder that the box sees."""
        return self.folder / "sockets"

    @classmethod
    def take(cls, deadline: float) -> Slot:
        """A new slot, until `deadline` (seconds since the epoch). Raises HouseFailure."""
        base = run_dir()
        try:
            folder, uid = _make_folder(base)
            slot = cls(folder, uid if os.geteuid() == 0 else os.geteuid(), uid if os.geteuid() == 0 else os.getegid())
            (folder / "owner").write_text(f"{Owner.me()}\n{deadline}\n")
            slot.sockets.mkdir()
            slot.sockets.chmod(0o711)
        except OSError as error:
            raise HouseFailure(f"A slot cannot be made in {base}: {error}") from error
        return slot

    @contextlib.contextmanager
    def listen(self, name: str) -> Iterator[Listener]:
        """A socket in the slot, for one connection."""
        path = self.sockets / name
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
            try:
                server.bind(str(path))
                path.chmod(0o600)
                if os.geteuid() == 0:
                    os.chown(path, self.uid, self.gid)
                server.listen(1)
                yield Listener(server)
            except OSError as error:
                raise HouseFailure(f"The box did not connect to its socket {name}: {error}") from error
            finally:
                path.unlink(missing_ok=True)

    def remove(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class Listener:
    """A socket that waits for its one connection."""

    server: socket.socket

    def accept(self, seconds: float) -> socket.socket | None:
        """The connection, or None if nobody came in time."""
        self.server.settimeout(seconds)
        try:
            connection, _ = self.server.accept()
        except TimeoutError:
            return None
        return connection


def group_name(folder: Path) -> str:
    """See Slot.group."""
    return f"{folder.parent.name}-{folder.name}"


def reap_slots(remove_group: Callable[[str], None] | None = None) -> int:
    """Delete the slots whose owners are dead, and their control groups; how many there were."""
    count = 0
    for folder in run_dir().iterdir():
        if folder.name.isdigit() and _is_left_behind(folder):
            if remove_group is not None:
                remove_group(group_name(folder))
            shutil.rmtree(folder, ignore_errors=True)
            count += 1
    return count


def _make_folder(base: Path) -> tuple[Path, int]:
    """mkdir is atomic, so that two workers never get the same slot."""
    first = random.randrange(len(USER_IDS))
    for step in range(len(USER_IDS)):
        uid = USER_IDS[(first + step) % len(USER_IDS)]
        folder = base / str(uid)
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        folder.chmod(0o711)
        return folder, uid
    raise HouseFailure(f"All slots in {base} are taken.")


def _is_left_behind(folder: Path) -> bool:
    try:
        owner, deadline = (folder / "owner").read_text().split()
    except (OSError, ValueError):
        with contextlib.suppress(OSError):
            return time.time() - folder.stat().st_mtime > _HALF_MADE_SECONDS
        return False
    return is_left_behind(owner, deadline)
