"""The files that make up the runner, and their fingerprint: what goes into images and boxes."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCKERFILE = "sandbox/Dockerfile"


@functools.cache
def runner_files() -> dict[str, bytes]:
    """Every module a box needs, by path relative to the project's root, as they were when this process first asked.

    A worker that runs on while its files are replaced thus keeps boxes of its own version. Tournaments are no part of
    a game, and their pairing needs more than the standard library, so boxes do without them.
    """
    paths = [
        *(path for path in (ROOT / "arena").rglob("*.py") if path.parent != ROOT / "arena" / "tournament"),
        ROOT / "sandbox" / "__init__.py",
        *(ROOT / "sandbox" / "runner").rglob("*.py"),
    ]
    return {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in sorted(paths)}


def runner_digest(*more: bytes) -> str:
    """16 hex digits that change whenever one of the files, or of the `more` parts, changes."""
    digest = hashlib.sha256()
    for path, data in runner_files().items():
        digest.update(f"{path}\0{len(data)}\0".encode())
        digest.update(data)
    for part in more:
        digest.update(f"\0{len(part)}\0".encode())
        digest.update(part)
    return digest.hexdigest()[:16]
