"""Runs a Python module on a wall clock that can be made to jump while it runs.

    python -m tests.chaos.jumping FILE -m celery ...

FILE holds one double: how many seconds this program's clock is ahead. Everything that asks Python for the wall's time
gets the shifted one, as on a machine whose clock is wrong; the steady clocks run on, as they do there.
"""

import contextlib
import datetime as dt
import mmap
import runpy
import struct
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

_REAL = dt.datetime
_SECONDS = struct.Struct("d")


def set_ahead(file: Path, seconds: float) -> None:
    """Makes the clocks that go by `file` jump."""
    if not file.exists():
        file.write_bytes(_SECONDS.pack(0))
    with file.open("r+b") as opened:
        opened.write(_SECONDS.pack(seconds))


class _LooksReal(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _REAL)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, _REAL)


def install(ahead: Callable[[], float]) -> None:
    """Shifts the clocks of this process by what `ahead` returns at the time; before anything else is imported."""

    class Datetime(_REAL, metaclass=_LooksReal):
        def __new__(cls, *args: Any, **kwargs: Any) -> dt.datetime:  # type: ignore[misc]
            return _REAL(*args, **kwargs)

        @classmethod
        def now(cls, tz: dt.tzinfo | None = None) -> dt.datetime:  # type: ignore[override]
            return _REAL.now(tz) + dt.timedelta(seconds=ahead())

        @classmethod
        def utcnow(cls) -> dt.datetime:  # type: ignore[override]
            return cls.now(dt.UTC).replace(tzinfo=None)

    real_time, real_ns = time.time, time.time_ns
    time.time = lambda: real_time() + ahead()
    time.time_ns = lambda: real_ns() + int(ahead() * 1e9)
    dt.datetime = Datetime  # type: ignore[misc]


def main() -> None:
    """The command line."""
    file, flag, module, *arguments = sys.argv[1:]
    if flag != "-m":
        raise SystemExit(__doc__)
    with contextlib.suppress(ImportError):
        import numpy.random  # noqa: F401 - its compiled parts measure the real class when they are loaded
    with Path(file).open("rb") as opened:
        shared = mmap.mmap(opened.fileno(), _SECONDS.size, prot=mmap.PROT_READ)
    install(lambda: float(_SECONDS.unpack(shared[: _SECONDS.size])[0]))
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
