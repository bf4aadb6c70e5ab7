"""What an operator sees of a start that cannot succeed: one sentence, and no traceback above it."""

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import pytest
from django.core.management import CommandError, call_command

from tests.services import free_port

ROOT = Path(__file__).resolve().parents[2]
OURS = ("DJANGO_SETTINGS_MODULE", "DATABASE_URL", "REDIS_URL", "SECRET_KEY", "ARENA_", "DEBUG")


def manage(
    var: Path,
    *arguments: str,
    variables: Mapping[str, str] = MappingProxyType({}),
    before: Callable[[], None] | None = None,
) -> tuple[int, list[str]]:
    """The exit status of a command and what it wrote to the error stream."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(OURS)}
    run = subprocess.run(
        [sys.executable, ROOT / "manage.py", *arguments],
        env=environment | {"ARENA_VAR": str(var), **variables},
        check=False,
        capture_output=True,
        text=True,
        preexec_fn=before,
    )
    return run.returncode, run.stderr.splitlines()


@pytest.mark.parametrize("command", ["migrate", "serve"])
@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        (
            {"MATCH_SECONDS": "soon"},
            "The environment variable MATCH_SECONDS must be a whole number, not 'soon'.",
        ),
        (
            {"SECRET_KEY": "short"},
            (
                "The environment variable SECRET_KEY must be at least 50 characters long. Make one with: "
                "python3 -c 'import secrets; print(secrets.token_urlsafe(50))'"
            ),
        ),
        (
            {"DEBUG": "perhaps"},
            "The environment variable DEBUG must be 1 or 0, not 'perhaps'.",
        ),
    ],
)
def test_a_malformed_environment_is_a_sentence(
    tmp_path: Path, command: str, variables: dict[str, str], sentence: str
) -> None:
    assert manage(tmp_path, command, variables=variables) == (1, [sentence])


def test_a_database_that_does_not_answer_is_a_sentence(tmp_path: Path) -> None:
    url = f"postgresql://arena:secret@127.0.0.1:{free_port()}/arena"
    status, lines = manage(tmp_path, "migrate", variables={"DATABASE_URL": url})
    assert status == 1
    assert len(lines) == 1
    assert lines[0].startswith("The database cannot be used: ")
    assert "Connection refused" in lines[0]
    assert "secret" not in lines[0]


def test_a_database_without_tables_is_a_sentence(tmp_path: Path) -> None:
    status, lines = manage(tmp_path, "ladder", "verify")
    sentence = "The database is not that of this release: no such table: ladder_ladder."
    assert (status, lines) == (1, [f"{sentence} Run `manage.py migrate` first, or start script/server."])


def test_a_shell_that_does_not_read_is_no_traceback(tmp_path: Path) -> None:
    closed = f"{sys.executable} {ROOT / 'manage.py'} help >&-; {sys.executable} {ROOT / 'manage.py'} help | true"
    run = subprocess.run(
        ["/bin/sh", "-c", closed], env=os.environ | {"ARENA_VAR": str(tmp_path)}, check=False, stderr=subprocess.PIPE
    )
    assert run.stderr == b""


@pytest.mark.parametrize("port", ["99999", "-1", "http"])
def test_a_port_that_is_none_is_a_sentence(tmp_path: Path, port: str) -> None:
    status, lines = manage(tmp_path, "serve", "--port", port)
    assert status != 0
    assert lines[-1].endswith(f"{port!r} is no port: it is a number from 0 to 65535.")


@pytest.mark.parametrize("command", ["migrate", "serve"])
def test_a_disk_without_room_is_a_sentence(tmp_path: Path, command: str) -> None:
    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))

    status, lines = manage(tmp_path, command, before=small_files)
    assert status == 1
    assert len(lines) == 1
    assert lines[0].startswith("The database cannot be used: disk I/O error.")


def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    status, lines = manage(tmp_path / "file" / "var", "migrate")
    assert status == 1
    assert len(lines) == 1
    assert "ARENA_VAR" in lines[0]


def test_ctrl_c_ends_a_command_quietly(tmp_path: Path) -> None:
    press = "import os, signal; signal.raise_signal(signal.SIGINT)"
    assert manage(tmp_path, "shell", "--no-imports", "--command", press) == (130, [])


@pytest.mark.parametrize("host", ["no-such-host.invalid", 64 * "a", "::1::"])
def test_a_host_that_is_none_is_a_sentence(host: str) -> None:
    with pytest.raises(CommandError, match=f"^'{host}' is no address of this machine. Choose another with HOST."):
        call_command("serve", host=host, port=0)


def test_no_host_is_not_every_host() -> None:
    with pytest.raises(CommandError, match="--host: an empty text is no address"):
        call_command("serve", "--host", "")


def test_who_asks_for_the_traceback_gets_it(tmp_path: Path) -> None:
    status, lines = manage(tmp_path, "migrate", "--traceback", variables={"MATCH_SECONDS": "soon"})
    assert status == 1
    assert lines[0].startswith("Traceback")
