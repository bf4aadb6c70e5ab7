"""Builds the wheel: arena/ alone, from the checkout or image that this very code runs from.

The site serves what `wheel` gives, and pip builds the same by the hooks at the end (PEP 517), so there is one way to
make it and it needs nothing but the standard library. The version ends in a fingerprint of the code (PEP 440's local
part), so that two wheels of one version never differ and pip replaces an older one. The bytes are the same everywhere.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import io
import tarfile
import tomllib
import zipfile
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PYPROJECT = ROOT / "pyproject.toml"
_PACKAGE = "arena"
_KEPT = (".py", "py.typed")
_EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The time of every file in the zip: the earliest that it can hold."""


class Wheel(NamedTuple):
    """A built wheel."""

    filename: str
    """As pip wants it."""
    version: str
    data: bytes


@functools.cache
def wheel() -> Wheel:
    """The wheel of this code as it was when this was first asked. Raises OSError without the project's files."""
    project = _project()
    files = _sources()
    version = _version(project, files)
    name = project["name"].replace("-", "_")
    info = f"{name}-{version}.dist-info"
    files |= {
        f"{info}/METADATA": _metadata(project, version).encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: arena.wheel\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": _entry_points(project).encode(),
    }
    files[f"{info}/RECORD"] = _record(files, f"{info}/RECORD").encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            member = zipfile.ZipInfo(path, _EARLIEST)
            member.external_attr = 0o100644 << 16
            archive.writestr(member, data, zipfile.ZIP_DEFLATED)
    return Wheel(f"{name}-{version}-py3-none-any.whl", version, out.getvalue())


def installed_version() -> str:
    """The version of the arena that runs: that of its checkout, or that of the wheel it was installed from."""
    if PYPROJECT.is_file():
        return _version(_project(), _sources())
    return metadata.version("gin-rummy-arena")


def _project() -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    return project


def _sources() -> dict[str, bytes]:
    """The package's files by their path in the wheel, in order."""
    paths = sorted(path for path in (ROOT / _PACKAGE).rglob("*") if path.name.endswith(_KEPT) and path.is_file())
    return {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in paths}


def _version(project: Mapping[str, Any], files: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for path, data in files.items():
        digest.update(f"{path}\0{len(data)}\0".encode())
        digest.update(data)
    return f"{project['version']}+{digest.hexdigest()[:10]}"


def _metadata(project: Mapping[str, Any], version: str) -> str:
    return (
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {version}\nSummary: {project['description']}\n"
        f"License: {project['license']['text']}\nRequires-Python: {project['requires-python']}\n"
    )


def _entry_points(project: Mapping[str, Any]) -> str:
    return "[console_scripts]\n" + "".join(f"{name} = {target}\n" for name, target in project["scripts"].items())


def _record(files: Mapping[str, bytes], own_path: str) -> str:
    """The list of the files with their hashes, as the wheel format wants it."""
    lines = []
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(data)}\n")
    return "".join(lines) + f"{own_path},,\n"


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: str | None = None) -> str:
    """PEP 517: write the wheel into the folder and return its name."""
    built = wheel()
    (Path(wheel_directory) / built.filename).write_bytes(built.data)
    return built.filename


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    """PEP 517: write what the wheel is built from into the folder, as a .tar.gz, and return its name."""
    project = _project()
    stem = f"{project['name'].replace('-', '_')}-{wheel().version}"
    files = {"pyproject.toml": PYPROJECT.read_bytes(), "PKG-INFO": _metadata(project, wheel().version).encode()}
    with tarfile.open(Path(sdist_directory) / f"{stem}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path, data in (files | _sources()).items():
            member = tarfile.TarInfo(f"{stem}/{path}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return f"{stem}.tar.gz"
