"""Play, validations and the schedule each have workers of their own, on one machine and on many."""

import re
from pathlib import Path

import pytest

from config.celery import app
from config.management.commands.serve import _programs
from ladder.services.matches import QUEUES
from tests.chaos.stage import PLAYED

ROOT = Path(__file__).resolve().parents[2]
APART = {
    "ladder.tasks.play_match": "worker",
    "bots.tasks.validate_version": "validator",
    "bots.tasks.report_sandbox": "validator",
    "ladder.tasks.schedule": "control",
    "ladder.tasks.recover": "control",
    "bots.tasks.requeue_stale_validations": "control",
    "tables.tasks.tend_tables": "control",
}
"""Who runs what, and nobody else."""
SHARED = {"trials": ["worker", "validator"]}
"""Somebody sits waiting for these: whoever is free first takes one."""
TABLES = "tables.tasks.host_table"
"""What waits for people needs a sandbox, and among many machines a worker of its own; on one machine threads do."""


def queues_of(command: str) -> set[str]:
    return {queue for found in re.findall(r"(?:-Q |--queues=)([\w,]+)", command) for queue in found.split(",") if queue}


def one_machine() -> dict[str, set[str]]:
    return {program.name: queues_of(" ".join(program.command)) for program in _programs(3)}


def many_machines() -> dict[str, set[str]]:
    text = (ROOT / "docker-compose.yml").read_text()
    return {name: queues_of(body) for name, body in re.findall(r"^  (\w+):\n((?:    .*\n)+)", text, re.MULTILINE)}


@pytest.mark.parametrize(
    ("served", "tables"), [(one_machine(), "control"), (many_machines(), "tables")], ids=["serve", "compose"]
)
def test_every_queue_has_its_worker_and_every_task_the_right_one(served: dict[str, set[str]], tables: str) -> None:
    serving = {queue: [name for name, queues in served.items() if queue in queues] for queue in app.amqp.queues}
    shared = {queue: names for queue, names in serving.items() if len(names) != 1}
    assert shared == SHARED
    for task, worker in (APART | {TABLES: tables}).items():
        assert serving[app.amqp.router.route({}, task)["queue"].name] == [worker], task


def test_the_stage_of_the_chaos_plays_whatever_is_played() -> None:
    assert set(PLAYED.split(",")) == set(QUEUES.values())


def test_everything_that_beat_asks_for_exists() -> None:
    app.loader.import_default_modules()
    assert {entry["task"] for entry in app.conf.beat_schedule.values()} <= set(app.tasks)
