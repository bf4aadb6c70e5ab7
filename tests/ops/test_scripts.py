"""script/server and script/test on machines where something is wrong: one clear sentence each, and a failing status."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.services import free_port

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("sh", "dirname", "env")
NOBODY = 65534
PYTHON = next(path for path in ("/usr/bin/python3", sys.executable) if Path(path).exists())
"""One that every user may run."""


def run(
    *command: str | Path, path: str | None = None, user: int | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": path or os.environ["PATH"], "HOME": "/nonexistent"} | variables
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=600, user=user, cwd="/"
    )


def one_sentence(done: subprocess.CompletedProcess[str]) -> str:
    """The single line on standard error of a run that failed."""
    assert done.returncode != 0
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    return lines[0]


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A PATH folder that holds nothing but what a shell script needs."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in TOOLS:
        (folder / tool).symlink_to(str(shutil.which(tool)))
    return folder


@pytest.mark.parametrize("script", ["server", "test"])
def test_no_python_at_all(tools: Path, script: str) -> None:
    sentence = one_sentence(run(ROOT / "script" / script, path=str(tools)))
    assert "needs Python 3.11 or newer" in sentence
    assert "there is no python3 on PATH" in sentence


@pytest.mark.parametrize("script", ["server", "test"])
def test_an_old_python(tools: Path, script: str) -> None:
    old = tools / "python3"
    old.write_text('#!/bin/sh\ncase "$2" in *exit*) exit 1;; esac\necho 3.9.2\n')
    old.chmod(0o755)
    sentence = one_sentence(run(ROOT / "script" / script, path=str(tools)))
    assert "needs Python 3.11 or newer" in sentence
    assert "python3 is 3.9.2" in sentence


def test_a_newer_python_beside_an_old_one_is_taken(tools: Path) -> None:
    old = tools / "python3"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    (tools / "python3.11").symlink_to(sys.executable)
    done = run(ROOT / "script" / "server", "--help", path=str(tools))
    assert done.returncode == 0, done.stderr
    assert "--port" in done.stdout


@pytest.fixture
def free_tcp_port() -> int:
    return free_port()


def test_a_busy_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        sentence = one_sentence(run(ROOT / "script" / "server", PORT=port))
        assert sentence == one_sentence(run(ROOT / "script" / "server", "--port", port))
    assert f"cannot listen on 127.0.0.1 port {port}" in sentence
    assert "choose another port" in sentence


@pytest.mark.parametrize("port", ["http", "0", "65536", "-1", "8000.5"])
def test_a_port_that_is_none(port: str) -> None:
    sentence = one_sentence(run(ROOT / "script" / "server", PORT=port))
    assert "PORT must be a number from 1 to 65535" in sentence


def test_an_address_of_another_machine(free_tcp_port: int) -> None:
    sentence = one_sentence(run(ROOT / "script" / "server", HOST="192.0.2.1", PORT=str(free_tcp_port)))
    assert "cannot listen on 192.0.2.1" in sentence


def test_a_data_folder_that_is_a_file(tmp_path: Path, free_tcp_port: int) -> None:
    file = tmp_path / "var"
    file.touch()
    sentence = one_sentence(run(ROOT / "script" / "server", ARENA_VAR=str(file), PORT=str(free_tcp_port)))
    assert f"{file} is in the way" in sentence


@pytest.fixture
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The scripts alone, where any user may read them."""
    folder = Path(tempfile.mkdtemp(prefix="arena-copy-"))
    shutil.copytree(ROOT / "script", folder / "script")
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def as_nobody(*command: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs as an unprivileged user: to root every folder is writable, and root may install packages."""
    return run(*command, user=NOBODY if os.geteuid() == 0 else None, path="/usr/bin:/bin", **variables)


def test_a_data_folder_without_write_permission(copy: Path, free_tcp_port: int) -> None:
    locked = copy / "locked"
    locked.mkdir(mode=0o555)
    sentence = one_sentence(
        as_nobody(copy / "script/server", ARENA_VAR=str(locked / "var"), PYTHON=PYTHON, PORT=str(free_tcp_port))
    )
    assert f"{locked} cannot be written" in sentence


def test_a_checkout_without_write_permission(copy: Path, tmp_path: Path, free_tcp_port: int) -> None:
    (copy / "requirements.txt").touch()
    data = copy / "data"
    data.mkdir()
    data.chmod(0o777)
    copy.chmod(0o555)
    sentence = one_sentence(
        as_nobody(copy / "script/server", ARENA_VAR=str(data), PYTHON=PYTHON, PORT=str(free_tcp_port))
    )
    assert f"{copy} cannot be written" in sentence


def test_no_venv_module_and_no_right_to_install_it(copy: Path, free_tcp_port: int) -> None:
    (copy / "requirements.txt").touch()
    copy.chmod(0o777)
    # Debian's own packing of Python without python3-venv: `import ensurepip` fails.
    python = copy / "python3"
    python.write_text(f'#!/bin/sh\ncase "$*" in *ensurepip*) exit 1;; esac\nexec {PYTHON} "$@"\n')
    python.chmod(0o755)
    block = copy / "script/lib/sitecustomize.py"
    block.write_text("import sys\nsys.executable = " + repr(str(python)) + "\n")
    sentence = one_sentence(
        as_nobody(
            copy / "script/server",
            ARENA_VAR=str(copy / "var"),
            PYTHON=str(python),
            PYTHONPATH=str(block.parent),
            PORT=str(free_tcp_port),
        )
    )
    assert "venv module is missing" in sentence
    assert "apt-get install python3" in sentence


def test_a_package_that_cannot_be_had(copy: Path, free_tcp_port: int) -> None:
    copy.chmod(0o777)
    (copy / "requirements.txt").write_text("no-such-package==1.0 --hash=sha256:" + "0" * 64 + "\n")
    done = as_nobody(
        copy / "script/server",
        ARENA_VAR=str(copy / "var"),
        PYTHON=PYTHON,
        PIP_INDEX_URL="http://127.0.0.1:9/simple",
        PIP_RETRIES="0",
        PORT=str(free_tcp_port),
    )
    sentence = one_sentence(done)
    assert "The Python packages of requirements.txt could not be installed" in sentence
    assert "no-such-package" in sentence
