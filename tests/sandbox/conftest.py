"""A run folder of the tests' own, the drivers, and the proof after every test that nothing is left behind."""

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sandbox.drivers.base import Driver, DriverUnavailable
from sandbox.drivers.docker import DockerDriver
from sandbox.select import DRIVERS
from tests.conftest import CI
from tests.sandbox import residue

SANDBOXES = [
    pytest.param("docker", marks=pytest.mark.docker),
    pytest.param("runsc", marks=pytest.mark.runsc),
    pytest.param("bubblewrap", marks=pytest.mark.bubblewrap),
]
"""The drivers that confine what they run; Docker with runc, or what SANDBOX_DOCKER_RUNTIME says, and with gVisor."""
REAL_DRIVERS = [*SANDBOXES, "process"]

_MAKERS: dict[str, Callable[[], Driver]] = {
    **DRIVERS,
    "runsc": lambda: DockerDriver("runsc"),
}


@pytest.fixture(scope="session", autouse=True)
def run_dir() -> Iterator[Path]:
    """Where these tests' slots are; sockets need a short path, and boxes of other users one they may enter."""
    folder = Path(tempfile.mkdtemp(prefix="arena-", dir="/tmp"))
    before = os.environ.get("SANDBOX_RUN_DIR")
    os.environ["SANDBOX_RUN_DIR"] = str(folder)
    yield folder
    if before is None:
        del os.environ["SANDBOX_RUN_DIR"]
    else:
        os.environ["SANDBOX_RUN_DIR"] = before
    shutil.rmtree(folder)


@pytest.fixture(autouse=True)
def nothing_is_left_behind(run_dir: Path) -> Iterator[None]:
    """No container, process, folder, socket or control group outlives a test.

    What tests of killed workers have left in this folder before is theirs: their arenas never start again to reap it.
    """
    before = set(residue.of_this_process(run_dir))
    yield
    # What was killed is gone once the kernel has come to it.
    deadline = time.monotonic() + 60
    while not (left := set(residue.of_this_process(run_dir))) <= before and time.monotonic() < deadline:
        time.sleep(0.1)
    assert left <= before


_checked: dict[str, Driver | str] = {}


def checked_driver(name: str) -> Driver:
    """A driver that has proved itself, once for all tests; ends the test where it cannot."""
    if name not in _checked:
        driver = _MAKERS[name]()
        try:
            driver.check()
        except DriverUnavailable as reason:
            _checked[name] = str(reason)
        else:
            _checked[name] = driver
    found = _checked[name]
    if isinstance(found, str):
        if CI:
            pytest.fail(found, pytrace=False)
        pytest.skip(found)
    return found


@pytest.fixture
def driver(request: pytest.FixtureRequest) -> Driver:
    """The driver that the test is parameterised with, by name."""
    return checked_driver(request.param)
