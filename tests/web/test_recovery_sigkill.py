"""Real workers on a real broker, killed outright in the middle of matches: every match is finished once, none lost."""

import shutil
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from tests.web.workers import Arena

MATCHES = 8
KILLS = 2

SET_UP = f"""
from bots.queries import active_versions
from ladder import services
from ladder.models import Ladder
Ladder.objects.update(is_open=False)
ladder = Ladder.objects.get()
versions = list(active_versions())[:2]
for _ in range({MATCHES}):
    services.enqueue_match(ladder=ladder, versions=versions)
"""
OUTCOME = """
from ladder.models import Game, Match, MatchRecordBlob, RatingChange
from arena.record import MatchRecord
matches = Match.objects.order_by("sequence")
answer = {
    "states": list(matches.values_list("state", flat=True)),
    "sequences": list(matches.values_list("sequence", flat=True)),
    "attempts": list(matches.values_list("attempt", flat=True)),
    "games": Game.objects.count(),
    "changes": RatingChange.objects.count(),
    "replayed": sum(
        len(MatchRecord.from_bytes(bytes(blob.data)).replay()) for blob in MatchRecordBlob.objects.all()
    ),
}
"""

pytestmark = pytest.mark.slow


@pytest.fixture
def embedded(tmp_path: Path, migrated_sqlite: Path) -> dict[str, str]:
    shutil.copy(migrated_sqlite, tmp_path)
    return {}


@pytest.fixture
def servers(postgres_server: str, redis_server: str) -> dict[str, str]:
    name = f"sigkill_{uuid.uuid4().hex[:8]}"  # of its own: the servers are the whole run's
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
    return {
        "DATABASE_URL": postgres_server.rpartition("/")[0] + f"/{name}",
        "REDIS_URL": redis_server.rpartition("/")[0] + "/7",
    }


@pytest.fixture(
    params=["embedded", pytest.param("servers", marks=[pytest.mark.postgres, pytest.mark.redis])],
)
def arena(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Arena]:
    arena = Arena(tmp_path, request.getfixturevalue(request.param))
    arena.set_up(SET_UP)
    yield arena
    arena.kill()


def in_the_middle(finished: int) -> Callable[[list[str]], bool]:
    """More matches are over than before, and one is being played."""
    return lambda states: states.count("finished") > finished and "running" in states


def test_workers_killed_in_mid_match_lose_and_repeat_nothing(arena: Arena) -> None:
    finished = 0
    for _ in range(KILLS):
        arena.start()
        finished = arena.kill_when(in_the_middle(finished)).count("finished")
    arena.start()
    arena.wait_for(lambda states: states == ["finished"] * MATCHES)
    outcome = arena.ask(OUTCOME)
    assert outcome["sequences"] == list(range(1, MATCHES + 1))
    assert max(outcome["attempts"]) > 1, "No match was interrupted: the test has shown nothing."
    assert outcome["games"] == outcome["replayed"] == 2 * MATCHES
    assert outcome["changes"] == 2 * MATCHES
    assert "every rating" in arena.manage("ladder", "verify")
