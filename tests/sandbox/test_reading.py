"""What of the machine a bot can read, and that none of it is slow to read for who reads it first."""

import ctypes
import mmap
import os
from pathlib import Path

import pytest

from arena.protocol import Loaded, decode_reply, encode_request
from sandbox import selftest
from sandbox.drivers.base import Limits
from sandbox.interpreter import find_interpreter
from sandbox.libraries import libraries
from tests.sandbox.bots import BOT, loading
from tests.sandbox.conftest import checked_driver

pytestmark = pytest.mark.bubblewrap
PAGE = mmap.PAGESIZE


def resident(path: Path) -> int:
    """How many pages of a file are in memory."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE) as pages:
        start = ctypes.addressof(ctypes.c_char.from_buffer(pages))
        found = (ctypes.c_ubyte * -(-len(pages) // PAGE))()
        assert ctypes.CDLL(None).mincore(ctypes.c_void_p(start), ctypes.c_size_t(len(pages)), found) == 0
        return sum(page & 1 for page in found)


def test_no_file_is_left_that_nobody_has_read(run_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    driver = checked_driver("bubblewrap")
    file = next(run_dir.glob("code-*")) / "arena" / "cli" / "__pycache__"
    file = next(file.iterdir())
    with file.open("rb") as cold:
        os.fsync(cold.fileno())
        os.posix_fadvise(cold.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    if resident(file):
        pytest.skip("This file system keeps all in memory.")
    monkeypatch.setattr(selftest, "_read_at", {})
    selftest.read_all_files(driver)
    assert resident(file) == -(-file.stat().st_size // PAGE)


def test_of_the_machines_libraries_a_box_holds_those_that_python_needs() -> None:
    needed = {path.name: path for path in libraries(find_interpreter())}
    folder = needed["libc.so.6"].parent.resolve()
    source = f"import os\n{BOT}    __doc__ = ' '.join(sorted(os.listdir({str(folder)!r})))\n"
    box = checked_driver("bubblewrap").open_box(Limits())
    try:
        mind = box.new_mind()
        mind.send(encode_request(loading(source)))
        answer = decode_reply(mind.receive(cpu_budget=5.0, wall_budget=30.0).line, loading(source)).answer
    finally:
        box.close()
    assert isinstance(answer, Loaded)
    assert "libc.so.6" in answer.doc
    # The last name may be cut off.
    assert set(answer.doc.split()[:-1]) <= needed.keys()
    assert len(needed) < len(list(folder.iterdir()))
