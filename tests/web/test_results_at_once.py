"""Eight processes on PostgreSQL hand in results of the same two bots at the same moment, and each result twice."""

import json
import os
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

from tests.services import environment_of

ROOT = Path(__file__).parents[2]
WORKERS = 8
ROUNDS = 5

PLAY = f"""
import json, sys
import django
django.setup()
from multiprocessing import get_context
from django.db import connection
from ladder import services
from ladder.models import Match, Rating, RatingChange
from tests.web.matches import make_ladder, make_version, record_of

ladder, versions = make_ladder(), [make_version("Ann"), make_version("Ben")]
results = []
for number in range({WORKERS * ROUNDS}):
    # Either sits first in half of the matches: an order of locking that goes by seats would deadlock.
    match = services.enqueue_match(ladder=ladder, versions=versions[:: 1 if number % 2 else -1])
    claim = services.claim_match(match_id=match.pk, worker="w")
    results.append((claim, record_of(claim, number % 5)))
connection.close()
fork = get_context("fork")
together, stored = fork.Barrier({WORKERS}), fork.Queue()

def work(number):
    for round in range({ROUNDS}):
        batch = results[round * {WORKERS} : (round + 1) * {WORKERS}]
        together.wait(600)
        for claim, record in (batch[number], batch[(number + 1) % {WORKERS}]):
            stored.put((claim.match_id, services.finish_match(claim=claim, record=record)))
        # What else locks the ladder, its matches and its ratings, meanwhile.
        waiting = services.enqueue_match(ladder=ladder, versions=versions)
        services.void_match(match_id=waiting.pk, error="")
    stored.close()
    stored.join_thread()

workers = [fork.Process(target=work, args=(number,)) for number in range({WORKERS})]
for worker in workers:
    worker.start()
answers = [stored.get(timeout=600) for _ in range(2 * len(results))]
for worker in workers:
    worker.join(600)
print(json.dumps({{
    "exits": [worker.exitcode for worker in workers],
    "stored": [match for match, was_stored in answers if was_stored],
    "refused": [match for match, was_stored in answers if not was_stored],
    "sequences": list(Match.objects.filter(state="finished").order_by("sequence").values_list("sequence", flat=True)),
    "ratings": [[r.milli, r.matches, r.wins, r.draws, r.losses] for r in Rating.objects.order_by("version__bot__name")],
    "deltas": [sum(c.delta_milli for c in RatingChange.objects.filter(rating=r))
               for r in Rating.objects.order_by("version__bot__name")],
    "problems": services.verify_ladder(ladder=ladder),
}}))
"""


@pytest.fixture
def environment(postgres_server: str, tmp_path: Path) -> dict[str, str]:
    name = f"at_once_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
    return environment_of(tmp_path) | {
        "DATABASE_URL": postgres_server.rpartition("/")[0] + f"/{name}",
        "PYTHONPATH": os.pathsep.join((str(ROOT / "platform"), str(ROOT))),
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }


@pytest.fixture
def outcome(environment: dict[str, str]) -> dict[str, Any]:
    migrate = [sys.executable, str(ROOT / "manage.py"), "migrate", "--verbosity", "0"]
    subprocess.run(migrate, env=environment, check=True)
    run = subprocess.run(
        [sys.executable, "-c", PLAY], env=environment, check=False, capture_output=True, text=True, timeout=1200
    )
    assert run.returncode == 0, run.stderr
    answer: dict[str, Any] = json.loads(run.stdout)
    answer["stderr"] = run.stderr
    return answer


@pytest.mark.slow
@pytest.mark.postgres
def test_no_update_is_lost_none_counted_twice_and_nobody_deadlocks(outcome: dict[str, Any]) -> None:
    matches = WORKERS * ROUNDS
    assert outcome["exits"] == [0] * WORKERS, outcome["stderr"]
    assert sorted(outcome["stored"]) == sorted(outcome["refused"])
    assert len(set(outcome["stored"])) == len(outcome["stored"]) == matches
    assert outcome["sequences"] == list(range(1, matches + 1))
    assert outcome["problems"] == []
    # Seat 0 scored 0, 1, 2, 3, 4 quarters in turns, and is Ann's with every odd number.
    ann = [number % 5 if number % 2 else 4 - number % 5 for number in range(matches)]
    won, drawn = sum(quarters > 2 for quarters in ann), ann.count(2)
    lost = matches - won - drawn
    (ann_milli, *ann_counts), (ben_milli, *ben_counts) = outcome["ratings"]
    assert ann_counts == [matches, won, drawn, lost]
    assert ben_counts == [matches, lost, drawn, won]
    assert [ann_milli, ben_milli] == [1_500_000 + delta for delta in outcome["deltas"]]
