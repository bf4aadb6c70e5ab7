"""script/test: installs what the tests need, then runs pytest. Standard library only."""

import os
import sys
from pathlib import Path

import machine

NEEDS = {
    "bubblewrap": machine.on_path("bwrap"),
    "libseccomp2": machine.has_library("libseccomp.so.2"),
    "redis-server": machine.on_path("redis-server"),
    "postgresql": lambda: any(Path("/usr/lib/postgresql").glob("*/bin/initdb")),
    "chromium": lambda: any(
        machine.on_path(name)() for name in ("chromium-headless-shell", "chromium", "google-chrome")
    ),
}
"""What the tests use besides Python, by Debian package; Docker is used where an engine answers."""


def main() -> None:
    """Ends in pytest, or with one sentence."""
    packages = machine.missing_packages({machine.venv_package(): machine.has_venv} | NEEDS)
    if packages and machine.can_install():
        error = machine.apt_install(packages)
        if error is not None:
            machine.fail(f"The system packages for the tests could not be installed: {error}")
    elif packages:
        machine.say(f"Tests that need them are skipped: install `apt-get install {' '.join(packages)}` to run them.")
    machine.install(machine.ROOT / "requirements-dev.txt")
    os.chdir(machine.ROOT)
    python = str(machine.PYTHON)
    # More at a time than there are cores, for many tests wait for the most part.
    os.execv(python, [python, "-m", "pytest", *(sys.argv[1:] or ["-n", str((os.cpu_count() or 1) + 2)])])


if __name__ == "__main__":
    main()
