"""The folder broker between several readers and writers: every message arrives whole and once."""

import json
import threading
from collections import Counter
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from kombu import Connection, Queue

from config import broker

WRITERS, READERS, EACH = 3, 4, 60


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("messages", "control"):
        (tmp_path / name).mkdir()
    return tmp_path


def connect(folder: Path) -> Connection:
    broker.register()
    return Connection(
        f"{broker.SCHEME}://",
        transport_options={
            "data_folder_in": str(folder / "messages"),
            "data_folder_out": str(folder / "messages"),
            "control_folder": str(folder / "control"),
        },
    )


def run(*works: Any) -> list[BaseException]:
    """Runs all at once; what they raised."""
    errors: list[BaseException] = []

    def guarded(work: Any) -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def test_every_message_is_read_whole_and_by_one_reader(folder: Path) -> None:
    received: Counter[str] = Counter()
    done = threading.Event()
    padding = "x" * 20_000

    def write(number: int) -> None:
        with connect(folder) as connection, connection.SimpleQueue("matches") as queue:
            for message in range(EACH):
                queue.put({"id": f"{number}-{message}", "padding": padding})

    def read() -> None:
        with connect(folder) as connection, connection.SimpleQueue("matches") as queue:
            while True:
                try:
                    message = queue.get(block=False)
                except Empty:
                    if done.is_set():
                        return
                    continue
                assert message.payload["padding"] == padding
                received[message.payload["id"]] += 1
                message.ack()

    readers = [threading.Thread(target=lambda: failures.extend(run(read))) for _ in range(READERS)]
    failures: list[BaseException] = []
    for reader in readers:
        reader.start()
    assert run(*(lambda number=number: write(number) for number in range(WRITERS))) == []
    done.set()
    for reader in readers:
        reader.join()
    assert failures == []
    assert received == Counter({f"{number}-{message}": 1 for number in range(WRITERS) for message in range(EACH)})
    assert list((folder / "messages").iterdir()) == []


def test_bindings_made_at_once_are_all_kept(folder: Path) -> None:
    names = [f"queue{number}" for number in range(12)]

    def bind(name: str) -> None:
        with connect(folder) as connection:
            Queue(name, exchange=connection.SimpleQueue("x").queue.exchange, routing_key=name)(
                connection.channel()
            ).declare()

    assert run(*(lambda name=name: bind(name) for name in names)) == []
    tables = [json.loads(file.read_text()) for file in (folder / "control").glob("*.exchange")]
    bound = {row[2] for table in tables for row in table}
    assert bound >= set(names)


def test_messages_are_served_in_the_order_of_sending(folder: Path) -> None:
    with connect(folder) as connection, connection.SimpleQueue("matches") as queue:
        for number in range(20):
            queue.put(number)
        read = []
        for _ in range(20):
            message = queue.get(block=False)
            message.ack()
            read.append(message.payload)
    assert read == list(range(20))


def test_a_message_whose_reader_leaves_in_good_order_is_put_back(folder: Path) -> None:
    with connect(folder) as connection, connection.SimpleQueue("matches") as queue:
        queue.put("again")
        queue.get(block=False)
    with connect(folder) as connection, connection.SimpleQueue("matches") as queue:
        assert queue.get(block=False).payload == "again"
