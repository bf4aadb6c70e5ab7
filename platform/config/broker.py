"""Celery's broker of a single machine: a folder of message files, safe between processes.

Kombu's filesystem transport writes a message under the name that readers look for (so that one may read half of it),
moves a claimed message through the system's temporary folder (a copy, hence delivered twice, where that is another
file system), and creates its binding tables without a lock. Here a file appears under its name only when it is whole,
and is claimed by a rename inside its folder: one reader wins. A message whose reader dies is gone; the site never
relies on a message to arrive (see `ladder.recovery`).
"""

import fcntl
import json
import os
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import TRANSPORT_ALIASES, filesystem, virtual

SCHEME = "folder"


class Channel(filesystem.Channel):
    """The reading and writing of message files and binding tables."""

    def _put(self, queue: str, payload: dict[str, Any], **kwargs: Any) -> None:  # type: ignore[override]
        # Wall-clock nanoseconds: first come, first served also across a reboot.
        name = f"{time.time_ns():020d}_{uuid.uuid4().hex}.{queue}.msg"
        _write_whole(Path(self.data_folder_out) / name, json.dumps(payload))

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        folder = Path(self.data_folder_in)
        suffix = f".{queue}.msg"
        for name in sorted(name for name in os.listdir(folder) if "." + name.partition(".")[2] == suffix):  # noqa: PTH208
            claimed = folder / f".{name}.{os.getpid()}"
            try:
                (folder / name).rename(claimed)
            except FileNotFoundError:
                continue  # another reader was faster
            text = claimed.read_text()
            claimed.unlink()
            return json.loads(text)
        raise Empty

    def get_table(self, exchange: str) -> list[Any]:
        """The queues bound to the exchange."""
        try:
            rows = json.loads(self._table_file(exchange).read_text())
        except FileNotFoundError:
            return []
        return [filesystem.exchange_queue_t(*row) for row in rows]

    def _queue_bind(self, exchange: str, routing_key: str | None, pattern: str | None, queue: str | None) -> None:
        row = filesystem.exchange_queue_t(routing_key or "", pattern or "", queue or "")
        with self._alone():
            table = self.get_table(exchange)
            if row not in table:
                self._write_table(exchange, [row, *table])

    def _delete(
        self, queue: str, exchange: str, routing_key: str | None, pattern: str | None, *args: Any, **kwargs: Any
    ) -> None:
        self._purge(queue)
        row = filesystem.exchange_queue_t(routing_key or "", pattern or "", queue or "")
        with self._alone():
            table = self.get_table(exchange)
            if row in table:
                self._write_table(exchange, [other for other in table if other != row])

    def _write_table(self, exchange: str, table: list[Any]) -> None:
        _write_whole(self._table_file(exchange), json.dumps(table))

    def _table_file(self, exchange: str) -> Path:
        # Exchange names are this site's own queue names and Celery's; none comes from outside.
        return Path(self.control_folder) / f"{exchange}.exchange"

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One process at a time changes binding tables; the lock ends with its holder."""
        with (Path(self.control_folder) / ".lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def _write_whole(file: Path, text: str) -> None:
    """Writes under a hidden name first: the file is whole from the moment it has its own."""
    part = file.with_name(f".{uuid.uuid4().hex}.part")
    part.write_text(text)
    part.rename(file)


class Transport(filesystem.Transport):
    """Kombu's filesystem transport on the channel above."""

    Channel = Channel

    def __init__(self, client: Any, **kwargs: Any) -> None:
        super().__init__(client, **kwargs)
        # What is declared stands in the folder; kombu's memory of it outlives a folder made anew.
        self.state = virtual.BrokerState()


def register() -> None:
    """Makes folder:// a broker URL."""
    TRANSPORT_ALIASES[SCHEME] = f"{__name__}:Transport"
