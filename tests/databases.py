"""The site's empty database, migrated once for all the processes of a run: every other one is a copy."""

import fcntl
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from tests.services import environment_of

ROOT = Path(__file__).resolve().parents[1]
MADE = "postgres-databases"
"""In the run's folder: the names of what it has made on a server, to be dropped in the end."""


def migrated_sqlite(folder: Path) -> Path:
    """The file of a SQLite database to be copied; `folder` is the run's, common to its processes."""
    path = folder / "migrated-sqlite" / "arena.sqlite3"
    with (folder / "migrated.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            made = folder / "migrating"
            shutil.rmtree(made, ignore_errors=True)
            _migrate(made, database_url=None)
            made.rename(path.parent)
    return path


def copied_postgres(connection: Any, name: str, url: str, folder: Path) -> None:
    """Makes the database `name` on the server of Django's `connection`, whose own database has this URL; what was there
    under that name is gone, whoever uses it."""
    template = f"{connection.settings_dict['NAME']}_migrated"
    with (folder / "migrated.lock").open("w") as lock, connection.creation._nodb_cursor() as cursor:
        # Nobody may be connected to a template that is copied, nor do two copy at once.
        fcntl.flock(lock, fcntl.LOCK_EX)
        with (folder / MADE).open("a", encoding="utf-8") as made:
            made.write(f"{template}\n{name}\n")
        mark = folder / "migrated-postgres"
        if not mark.exists():
            cursor.execute(f'DROP DATABASE IF EXISTS "{template}" WITH (FORCE)')
            cursor.execute(f'CREATE DATABASE "{template}"')
            _migrate(folder / "migrating", database_url=f"{url.rpartition('/')[0]}/{template}")
            mark.touch()
        cursor.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        cursor.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')


def drop_made(url: str, folder: Path) -> None:
    """Drops what the processes of the run have made on the server, whoever uses it; nothing where they made nothing."""
    made = folder / MADE
    if not made.exists():
        return
    with psycopg.connect(f"{url.rpartition('/')[0]}/postgres", autocommit=True) as server:
        for name in dict.fromkeys(made.read_text(encoding="utf-8").splitlines()):
            server.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def _migrate(var: Path, *, database_url: str | None) -> None:
    environment = environment_of(var, **({} if database_url is None else {"DATABASE_URL": database_url}))
    command = [sys.executable, str(ROOT / "manage.py"), "migrate", "--skip-checks", "--verbosity", "0"]
    subprocess.run(command, env=environment, check=True)
