"""The wheel: arena/ alone, the same bytes whoever builds it, and a tool that works where it is installed."""

from __future__ import annotations

import base64
import hashlib
import io
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

from arena import wheel as wheels
from tests.arena.commands import ROOT

PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--isolated"]


@pytest.fixture(scope="module")
def archive() -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(wheels.wheel().data))


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that pip installed the wheel into, after building it from the checkout."""
    folder = tmp_path_factory.mktemp("installed")
    built = folder / "built"
    subprocess.run([*PIP, "wheel", "--quiet", "--no-index", "--wheel-dir", str(built), str(ROOT)], check=True)
    (path,) = built.iterdir()
    assert (path.name, path.read_bytes()) == (wheels.wheel().filename, wheels.wheel().data)
    target = folder / "site"
    subprocess.run([*PIP, "install", "--quiet", "--no-index", "--target", str(target), str(path)], check=True)
    return target


def test_it_holds_the_package_and_what_a_wheel_needs(archive: zipfile.ZipFile) -> None:
    paths = {path for path in archive.namelist() if path.startswith("arena/")}
    assert paths == {
        path.relative_to(ROOT).as_posix() for path in (ROOT / "arena").rglob("*") if path.suffix in (".py", ".typed")
    }
    info = f"gin_rummy_arena-{wheels.wheel().version}.dist-info"
    assert set(archive.namelist()) - paths == {
        f"{info}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt")
    }
    told = Parser().parsestr(archive.read(f"{info}/METADATA").decode())
    assert (told["Name"], told["Requires-Python"]) == ("gin-rummy-arena", ">=3.11")
    assert told["Requires-Dist"] is None
    assert "Tag: py3-none-any" in archive.read(f"{info}/WHEEL").decode()
    for line in archive.read(f"{info}/RECORD").decode().splitlines():
        path, digest, size = line.split(",")
        if not path.endswith("RECORD"):
            data = archive.read(path)
            assert digest == "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            assert int(size) == len(data)


def test_another_process_builds_the_same_bytes() -> None:
    script = "import hashlib, arena.wheel; print(hashlib.sha256(arena.wheel.wheel().data).hexdigest())"
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True, capture_output=True, text=True)
    assert run.stdout.strip() == hashlib.sha256(wheels.wheel().data).hexdigest()


def test_other_code_is_another_version(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "arena").mkdir()
    (tmp_path / "arena" / "__init__.py").write_text("", encoding="utf-8")
    monkeypatch.setattr(wheels, "ROOT", tmp_path)
    assert wheels.installed_version() != wheels.wheel().version
    assert wheels.installed_version().startswith("0.1.0+")


def test_the_installed_tool_plays(installed: Path, tmp_path: Path) -> None:
    environment = {"PYTHONPATH": str(installed)}
    version = subprocess.run(
        [installed / "bin" / "arena", "--version"],
        env=environment,
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    assert version.stdout == f"arena {wheels.wheel().version}\n"
    play = subprocess.run(
        [installed / "bin" / "arena", "play", "house:simple", "house:random", "-n", "1", "--jobs", "2"],
        env=environment,
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    assert "house:simple won " in play.stdout


def test_the_source_distribution_builds_the_same_wheel(tmp_path: Path) -> None:
    name = wheels.build_sdist(str(tmp_path))
    assert name == f"gin_rummy_arena-{wheels.wheel().version}.tar.gz"
    # Not by Python: before 3.11.4 it knows no filter, and from 3.12 on it wants one.
    subprocess.run(["tar", "-xzf", tmp_path / name, "-C", tmp_path], check=True)
    unpacked = tmp_path / name.removesuffix(".tar.gz")
    assert (unpacked / "PKG-INFO").is_file()
    script = "import sys, arena.wheel; arena.wheel.build_wheel(sys.argv[1])"
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], cwd=unpacked, check=True)
    assert (tmp_path / wheels.wheel().filename).read_bytes() == wheels.wheel().data
