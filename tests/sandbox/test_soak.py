"""Match after match with bots that fault in every way: a short run of the long one."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MATCHES = 12


@pytest.mark.parametrize(
    "driver",
    [
        pytest.param("docker", marks=pytest.mark.docker),
        pytest.param("bubblewrap", marks=pytest.mark.bubblewrap),
    ],
)
def test_a_short_soak_leaves_nothing(driver: str) -> None:
    command = [sys.executable, "-m", "bench.soak", "-n", str(MATCHES), "--at-a-time", "2", "--driver", driver]
    result = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    assert f"{MATCHES} matches in {driver}" in result.stdout
