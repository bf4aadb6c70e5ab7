"""What keeps the machine's networks from a browser."""

import ctypes.util
import subprocess
import sys

import pytest

from tests.conftest import require
from tests.e2e import deaf
from tests.parts import Part

LIBSECCOMP = Part(
    lambda: ctypes.util.find_library("seccomp") is not None, "libseccomp is missing: apt-get install libseccomp2."
)


@pytest.mark.parametrize(("family", "works"), [("AF_NETLINK", False), ("AF_INET", True), ("AF_UNIX", True)])
def test_a_program_hears_of_no_network_and_uses_them_as_ever(family: str, works: bool) -> None:
    require(LIBSECCOMP)
    opens = f"import socket; socket.socket(socket.{family}, socket.SOCK_DGRAM)"
    # A child of the program's: the network is the business of one of Chromium's.
    child = f"import subprocess, sys; sys.exit(subprocess.call([sys.executable, '-c', {opens!r}]))"
    command = [sys.executable, deaf.__file__, sys.executable, "-c", child]
    ended = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (ended.returncode == 0) is works, ended.stderr
    assert ("OSError: [Errno 97]" in ended.stderr) is not works
