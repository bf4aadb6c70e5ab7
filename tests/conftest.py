"""What every test may use: markers for parts that a machine may lack, and servers of their own for those that need one.

A test marked `docker`, `compose`, `runsc`, `bubblewrap`, `redis`, `postgres` or `browser` is skipped where that part is
missing, with a reason that says how to get it. With CI set a missing part, and any other skip, fails the run: a green
run there has run everything.
"""

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from pytest_django import DjangoDbBlocker

from tests import databases, parts, services

CI = bool(os.environ.get("CI"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--on-database` runs what may turn out otherwise on another database than SQLite, and nothing else."""
    parser.addoption("--on-database", action="store_true", help="only the tests that use the site's database")


def pytest_configure() -> None:
    """Lets Ctrl-C reach what the tests start: a shell that runs this in the background has it ignored, and a child
    inherits that."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Puts files with a test marked `slow` first: begun last, one would be waited for while the other cores idle."""
    if config.getoption("on_database"):
        used = [item for item in items if uses_the_database(item)]
        config.hook.pytest_deselected(items=[item for item in items if item not in used])
        items[:] = used
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


def uses_the_database(item: pytest.Item) -> bool:
    """Whether a test is given the site's database; one that starts an arena with a database of its own is not."""
    return item.get_closest_marker("django_db") is not None or "db" in getattr(item, "fixturenames", ())


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips a test whose markers name a part that is not here; in CI it fails instead."""
    for marker in item.iter_markers():
        part = parts.PARTS.get(marker.name)
        if part is not None:
            require(part)


def require(part: parts.Part) -> None:
    """Ends the running test, as a skip or in CI as a failure, when `part` is missing."""
    missing = part.missing()
    if missing is None:
        return
    if CI:
        pytest.fail(missing, pytrace=False)
    pytest.skip(missing)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """In CI a run with a skipped test is a failed run. What the run's processes made on a database server goes."""
    if not hasattr(session.config, "workerinput") and (url := os.environ.get("DATABASE_URL")):
        factory: pytest.TempPathFactory = session.config._tmp_path_factory  # type: ignore[attr-defined]
        databases.drop_made(url, factory.getbasetemp())
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if CI and reporter is not None and reporter.stats.get("skipped"):
        reporter.write_line("CI runs every test: a skipped one fails the run.", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def run_folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all the processes of this run."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if hasattr(request.config, "workerinput") else own


@pytest.fixture(scope="session")
def migrated_sqlite(run_folder: Path) -> Path:
    """The file of an empty site's database, to be copied."""
    return databases.migrated_sqlite(run_folder)


@pytest.fixture(scope="session")
def django_db_keepdb(
    request: pytest.FixtureRequest,
    django_db_modify_db_settings: None,
    django_db_blocker: DjangoDbBlocker,
    run_folder: Path,
) -> bool:
    """That pytest-django finds its database there, with every migration applied: a copy of one that the whole run
    shares."""
    creation: Any = connection.creation
    name = creation._get_test_db_name()
    if connection.vendor == "sqlite":
        shutil.copy(request.getfixturevalue("migrated_sqlite"), name)
    else:
        with django_db_blocker.unblock():
            databases.copied_postgres(connection, name, os.environ["DATABASE_URL"], run_folder)
    return True


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a Redis server of this run's own; mark the test `redis`."""
    with services.redis_server(Path(tmp_path_factory.mktemp("redis"))) as url:
        yield url


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a PostgreSQL server of this run's own; mark the test `postgres`."""
    with services.postgres_server() as url:
        yield url
