"""What a box imports when it starts is paid by both bots of every match; what a bot imports, by that bot alone."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SLOW = {
    "dataclasses",
    "typing",
    "re",
    "inspect",
    "hashlib",
    "asyncio",
    "json",
    "unittest",
    "socket",
    "logging",
    "contextlib",
    "ctypes",
    "traceback",
    "signal",
    "pathlib",
}


@pytest.mark.parametrize(("module", "slow"), [("arena", {*SLOW, "random"}), ("sandbox.runner.zygote", SLOW)])
def test_a_box_imports_none_of_the_slow_parts_of_the_standard_library(module: str, slow: set[str]) -> None:
    script = f"import sys; sys.path.append({str(ROOT)!r}); import {module}; print(*sorted(sys.modules))"
    modules = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split()
    assert "arena.view" in modules
    assert not slow & set(modules)
    ours = {"arena", "sandbox", "__main__"}
    assert {name.partition(".")[0] for name in modules} <= sys.stdlib_module_names | ours
