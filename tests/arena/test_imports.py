"""A bot's process starts afresh for every game, so what `import arena` costs is paid twice a game."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SLOW = {"dataclasses", "inspect", "hashlib", "asyncio", "json", "unittest", "socket", "logging"}


def test_a_bot_imports_none_of_the_slow_parts_of_the_standard_library() -> None:
    script = "import sys, arena; print(*sorted(sys.modules))"
    modules = subprocess.run(
        [sys.executable, "-S", "-c", script], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split()
    assert "arena.view" in modules
    assert not SLOW & set(modules)
    assert {name.partition(".")[0] for name in modules} <= sys.stdlib_module_names | {"arena", "__main__"}
