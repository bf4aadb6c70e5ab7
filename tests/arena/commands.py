"""The author's tool as its users run it: in a process of its own, in a folder of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def environment(**more: str) -> dict[str, str]:
    """What a user's shell would give, on any locale."""
    return {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"], "PYTHONUTF8": "1", **more}


def arena(*arguments: object, cwd: Path | None = None, **more: str) -> subprocess.CompletedProcess[str]:
    """Run the tool to its end."""
    return subprocess.run(
        [sys.executable, "-m", "arena", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=cwd or ROOT,
        env=environment(**more),
        timeout=300,
    )
