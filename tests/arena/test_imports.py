"""A box starts with `import arena`, so what that costs is paid by every bot of a match."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SLOW = {
    "dataclasses",
    "typing",
    "re",
    "random",
    "inspect",
    "hashlib",
    "asyncio",
    "json",
    "unittest",
    "socket",
    "logging",
}


def test_a_bot_imports_none_of_the_slow_parts_of_the_standard_library() -> None:
    script = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import arena; print(*sorted(sys.modules))"
    modules = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split()
    assert "arena.view" in modules
    assert not SLOW & set(modules)
    assert {name.partition(".")[0] for name in modules} <= sys.stdlib_module_names | {"arena", "__main__"}
