"""Functions of C libraries, through the part of `ctypes` that is written in C.

The package around that part is large, and to import it costs every box more than all that the runner calls by it. So
structs are bytes here (`struct.pack`); who is given a pointer to them must only read.
"""

from __future__ import annotations

import os
from _ctypes import (
    FUNCFLAG_CDECL,
    FUNCFLAG_USE_ERRNO,
    Array,
    CFuncPtr,
    _SimpleCData,
    addressof,
    dlopen,
    dlsym,
    get_errno,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn


class Int(_SimpleCData):  # type: ignore[type-arg]
    """C's int."""

    _type_ = "i"


class Long(_SimpleCData):  # type: ignore[type-arg]
    """C's long, which is as wide as a pointer. Python's own numbers are handed on as int: wrap those that are more."""

    _type_ = "l"


class _Byte(_SimpleCData):  # type: ignore[type-arg]
    _type_ = "c"


class _IntFunction(CFuncPtr):
    _flags_ = FUNCFLAG_CDECL | FUNCFLAG_USE_ERRNO
    _restype_ = Int


class _LongFunction(CFuncPtr):
    _flags_ = FUNCFLAG_CDECL | FUNCFLAG_USE_ERRNO
    _restype_ = Long


class Library:
    """A shared library; without a name, what Python itself is linked with."""

    def __init__(self, name: str | None = None) -> None:
        """Raises OSError when it is not there."""
        self._handle = dlopen(name, 0)  # type: ignore[arg-type]

    def function(self, name: str, returns: type[Int] | type[Long] = Int) -> Callable[..., int]:
        """The function of that name. Raises OSError when there is none."""
        kind = _IntFunction if returns is Int else _LongFunction
        function: Callable[..., int] = kind(dlsym(self._handle, name))
        return function


class Block:
    """Bytes that stay where they are, for structs that point to them."""

    def __init__(self, data: bytes) -> None:
        array = type("Array", (Array,), {"_type_": _Byte, "_length_": len(data)})
        self._array: Array[Any] = array.from_buffer_copy(data)  # type: ignore[attr-defined]
        self.address = addressof(self._array)


def failure(what: str) -> NoReturn:
    """Raises the OSError that the last function has set."""
    number = get_errno()
    raise OSError(number, f"{what}: {os.strerror(number)}")


_LIBC = Library()
syscall = _LIBC.function("syscall", Long)
"""Takes the number, as a Long, and the arguments."""
_prctl = _LIBC.function("prctl")


def prctl(option: int, value: int, pointer: bytes | None = None) -> None:
    """One of the kernel's per-process switches. Raises OSError."""
    if _prctl(option, Long(value), pointer, None, None) != 0:
        failure(f"prctl({option}, {value})")
