"""What the tests leave on a developer's own database server: nothing."""

from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from tests.databases import MADE, drop_made


def names(server: psycopg.Connection[tuple[str]]) -> set[str]:
    return {name for (name,) in server.execute("SELECT datname FROM pg_database")}


@pytest.mark.postgres
def test_what_a_run_made_on_a_server_goes_and_nothing_else(postgres_server: str, tmp_path: Path) -> None:
    drop_made(postgres_server, tmp_path)
    with psycopg.connect(postgres_server, autocommit=True) as server:
        before = names(server)
        server.execute('CREATE DATABASE "test_arena_gw0"')
        server.execute('CREATE DATABASE "arena_migrated"')
    # Still connected to, and one that a run broke off before it was there.
    with closing(psycopg.connect(postgres_server.rpartition("/")[0] + "/test_arena_gw0")) as used:
        used.execute("SELECT 1")
        (tmp_path / MADE).write_text("arena_migrated\ntest_arena_gw0\narena_migrated\ntest_arena_gw1\n")
        drop_made(postgres_server, tmp_path)
    with psycopg.connect(postgres_server, autocommit=True) as server:
        assert names(server) == before
