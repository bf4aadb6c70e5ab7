"""Beat keeps its intervals whatever the machine's clock does, and adds nothing to a queue that nobody serves."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from celery import Celery
from celery.utils.imports import symbol_by_name
from kombu import Queue

from config import broker
from config.beat import MOST_WAITING, Scheduler
from config.celery import app as site

PLATFORM = Path(__file__).parents[2] / "platform"


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Celery]:
    """An application of its own on a folder of its own, with one task due every second."""
    broker.register()
    for name in ("messages", "control"):
        (tmp_path / name).mkdir()
    app = Celery("test-beat", broker="folder://localhost/", set_as_current=False)
    app.conf.update(
        broker_transport_options={
            "data_folder_in": str(tmp_path / "messages"),
            "data_folder_out": str(tmp_path / "messages"),
            "control_folder": str(tmp_path / "control"),
        },
        task_default_queue="control",
        task_queues=[Queue("control", routing_key="control")],
        task_ignore_result=True,
        beat_schedule={"tick": {"task": "tick", "schedule": 1}},
    )
    yield app
    app.close()


def test_a_task_is_sent_at_its_interval_though_the_clock_is_set_back(
    app: Celery, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduler = Scheduler(app)
    monkeypatch.setattr(app, "now", lambda: pytest.fail("The wall's clock was read."))
    steady = time.monotonic()
    sent = []
    for seconds in (0.5, 1.1, 1.5, 2.2, 3.3):
        monkeypatch.setattr("config.beat.time.monotonic", lambda seconds=seconds: steady + seconds)
        while not scheduler.tick():
            pass
        sent.append(len(list((tmp_path / "messages").iterdir())))
    scheduler.close()
    assert sent == [0, 1, 1, 2, 3]


def test_a_queue_that_nobody_serves_is_not_filled(app: Celery, tmp_path: Path) -> None:
    scheduler = Scheduler(app)
    entry = scheduler.schedule["tick"]
    for _ in range(3 * MOST_WAITING):
        scheduler.apply_entry(entry, producer=scheduler.producer)
    scheduler.close()
    assert len(list((tmp_path / "messages").iterdir())) == MOST_WAITING


def test_the_sites_beat_uses_it() -> None:
    assert symbol_by_name(site.conf.beat_scheduler) is Scheduler


def test_a_signal_that_comes_while_beat_starts_finds_its_scheduler_loaded() -> None:
    # What `celery beat` does before it listens to signals, in a process where nothing is loaded yet.
    started = "import sys; from config.celery import app; app.loader.init_worker(); print('config.beat' in sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", started], cwd=PLATFORM, capture_output=True, text=True, check=True, timeout=300
    )
    assert run.stdout == "True\n"


def test_a_signal_that_comes_while_the_scheduler_is_made_is_heard_afterwards(
    app: Celery, monkeypatch: pytest.MonkeyPatch
) -> None:
    happened = []

    def set_up(scheduler: Scheduler) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.05)  # for another thread to take it
        happened.append("made")

    # A thread that blocks nothing is one that the kernel may give the signal to.
    rest = threading.Event()
    other = threading.Thread(target=rest.wait)
    other.start()
    before = signal.signal(signal.SIGTERM, lambda *_: happened.append("told"))
    try:
        monkeypatch.setattr(Scheduler, "setup_schedule", set_up)
        Scheduler(app)
    finally:
        signal.signal(signal.SIGTERM, before)
        rest.set()
        other.join()
    assert happened == ["made", "told"]
