"""What script/server and script/test do to a machine first: system packages and the virtual environment.

Standard library only: this runs with whatever Python the machine has, before anything is installed.
"""

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"


def fail(sentence: str) -> NoReturn:
    """Ends the run with one sentence."""
    print(sentence, file=sys.stderr)
    sys.exit(1)


def say(sentence: str) -> None:
    """Tells what takes the time now."""
    print(sentence, flush=True)


def on_path(program: str) -> Callable[[], bool]:
    """A probe for a program."""
    return lambda: shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin") is not None


def has_library(name: str) -> Callable[[], bool]:
    """A probe for a shared library by its soname."""

    def probe() -> bool:
        try:
            ctypes.CDLL(name)
        except OSError:
            return False
        return True

    return probe


def has_venv() -> bool:
    """Whether this Python can make a virtual environment with pip in it (Debian packs both apart)."""
    probe = [sys.executable, "-c", "import ensurepip, venv"]
    return subprocess.run(probe, check=False, capture_output=True).returncode == 0


def engine_answers() -> bool:
    """Whether a Docker engine answers this user."""
    docker = shutil.which("docker")
    if docker is None:
        return False
    try:
        probe = subprocess.run([docker, "version"], check=False, capture_output=True, timeout=20)
    except subprocess.TimeoutExpired:
        return False
    return probe.returncode == 0


def missing_packages(needs: Mapping[str, Callable[[], bool]]) -> list[str]:
    """The Debian packages whose probes fail."""
    return [package for package, probe in needs.items() if not probe()]


def can_install() -> bool:
    """Whether this user may install Debian packages."""
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def apt_install(packages: list[str]) -> str | None:
    """Installs Debian packages; returns None, or what apt-get said last when it failed."""
    say(f"Installing system packages: {' '.join(packages)}")
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for arguments in (["update"], ["install", "-y", "--no-install-recommends", *packages]):
        done = subprocess.run(
            ["apt-get", "-q", *arguments],
            check=False,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if done.returncode != 0:
            return last_line(done.stdout)
    return None


def last_line(output: str) -> str:
    """The last line that says something."""
    return next((line.strip() for line in reversed(output.splitlines()) if line.strip()), "no message")


def reason(output: str) -> str:
    """What pip says went wrong: its first error, for the later ones only follow from it."""
    errors = (line.removeprefix("ERROR:").strip() for line in output.splitlines() if line.startswith("ERROR:"))
    return next(errors, last_line(output))


def venv_package() -> str:
    """The Debian package with this Python's venv module."""
    default = Path("/usr/bin/python3")
    if default.exists() and default.resolve() == Path(sys.executable).resolve():
        return "python3-venv"
    return f"python3.{sys.version_info.minor}-venv"


def need_venv_module() -> None:
    """Makes sure that a virtual environment can be made; as root it installs what that takes."""
    if has_venv():
        return
    package = venv_package()
    if not can_install():
        fail(f"Python's venv module is missing: install it with `apt-get install {package}`, then start again.")
    error = apt_install([package])
    if error is not None or not has_venv():
        fail(f"Python's venv module is missing and {package} could not be installed: {error or 'it did not help'}.")


def need_writable(folder: Path) -> None:
    """Makes sure that `folder` can be made and written."""
    existing = folder
    while not existing.exists():
        existing = existing.parent
    if not existing.is_dir():
        fail(f"{existing} is in the way: it must be a folder.")
    if not os.access(existing, os.W_OK | os.X_OK):
        fail(f"{existing} cannot be written by user {os.geteuid()}: make it writable, or start as its owner.")


def install(lock: Path) -> None:
    """Makes the virtual environment and installs `lock` into it; does nothing when that very lock is installed."""
    stamp = VENV / f"installed-{lock.name}"
    wanted = lock.read_text()
    if _works(PYTHON) and stamp.exists() and stamp.read_text() == wanted:
        return
    need_venv_module()
    need_writable(VENV)
    say("Installing the Python packages into .venv (the first time takes a minute)")
    try:
        if not _works(PYTHON):
            made = _run([sys.executable, "-m", "venv", "--clear", str(VENV)])
            if made.returncode != 0:
                fail(f"The virtual environment {VENV} could not be made: {last_line(made.stdout)}")
        pip = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--quiet"]
        installed = _run([*pip, "--require-hashes", "--requirement", str(lock)])
        if installed.returncode != 0:
            fail(f"The Python packages of {lock.name} could not be installed: {reason(installed.stdout)}")
        stamp.write_text(wanted)
    except OSError as error:
        fail(f"The virtual environment {VENV} could not be made: {error}.")


def _works(python: Path) -> bool:
    return python.exists() and _run([str(python), "-c", "import pip"]).returncode == 0


def _run(command: list[str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
