"""Production takes its configuration from the environment alone, and says by name what is missing or wrong."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMPLETE = {
    "ARENA_PRODUCTION": "1",
    "SECRET_KEY": "k3y" * 20 + "-!;:abcdefghijklmnop",
    "ALLOWED_HOSTS": "arena.example",
    "DATABASE_URL": "postgresql://arena:pw@127.0.0.1:1/arena",
    "REDIS_URL": "redis://127.0.0.1:1/0",
}


def check(tmp_path: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """`manage.py check --deploy` with this environment and nothing else; warnings fail it."""
    base = {"PATH": os.environ["PATH"], "ARENA_VAR": str(tmp_path / "var")}
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), "check", "--deploy", "--fail-level", "WARNING"],
        env=base | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_a_complete_environment_passes_the_deployment_check(tmp_path: Path) -> None:
    done = check(tmp_path, COMPLETE)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "var" / "secret_key").exists()


@pytest.mark.parametrize("name", sorted(COMPLETE.keys() - {"ARENA_PRODUCTION"}))
def test_each_missing_variable_stops_the_start_by_name(tmp_path: Path, name: str) -> None:
    environment = {key: value for key, value in COMPLETE.items() if key != name}
    done = check(tmp_path, environment)
    assert done.returncode != 0
    assert f"The environment variable {name} is not set." in done.stderr


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SECRET_KEY", "short"),
        ("ALLOWED_HOSTS", "*"),
        ("DATABASE_URL", "sqlite:///arena.db"),
        ("REDIS_URL", "localhost"),
        ("ARENA_SANDBOX", "process"),
        ("ARENA_PRODUCTION", "maybe"),
        ("ARENA_MAX_LIVE_BOTS", "many"),
    ],
)
def test_each_malformed_variable_stops_the_start_by_name(tmp_path: Path, name: str, value: str) -> None:
    done = check(tmp_path, COMPLETE | {name: value})
    assert done.returncode != 0
    assert f"The environment variable {name} " in done.stderr


def test_debug_pages_are_refused_in_production(tmp_path: Path) -> None:
    done = check(tmp_path, COMPLETE | {"DEBUG": "1"})
    assert done.returncode != 0
    assert "DEBUG must be off" in done.stderr


def test_one_machine_needs_no_environment_and_keeps_its_key(tmp_path: Path) -> None:
    command = [
        sys.executable,
        str(ROOT / "manage.py"),
        "shell",
        "-c",
        "from django.conf import settings as s; print(s.SECRET_KEY)",
    ]
    environment = {"PATH": os.environ["PATH"], "ARENA_VAR": str(tmp_path / "var")}
    keys = {
        subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout for _ in range(2)
    }
    assert len(keys) == 1
    file = tmp_path / "var" / "secret_key"
    assert file.read_text() in keys.pop()
    assert file.stat().st_mode & 0o077 == 0
