"""The short run of `python -m tests.chaos`: everything is broken once while real workers play in real sandboxes."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MATCHES = 24


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.redis
@pytest.mark.bubblewrap
def test_no_match_is_lost_counted_twice_or_stuck_whatever_is_killed_meanwhile() -> None:
    command = [sys.executable, "-m", "tests.chaos", "--matches", str(MATCHES), "--quick"]
    run = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.splitlines()[-1] == "Nothing is wrong."
    assert f"{MATCHES} of {MATCHES} finished" in run.stdout
