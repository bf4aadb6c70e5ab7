"""A second wall inside the box: the folders a bot's process may read, by the kernel's Landlock.

Python's library and `arena` stay readable; /proc, /sys, /etc and /dev do not. Besides hiding what is there, this closes
the counters in /proc and /sys that run on from one game to the next. Kernels before 5.13, and gVisor, lack Landlock;
the filter, the read-only root and the masked paths remain.
"""

import ctypes
import os
import sys
from collections.abc import Iterable

# The numbers are the same on every architecture: Documentation/userspace-api/landlock.rst and linux/landlock.h.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_GET_VERSION = 1
_PATH_BENEATH = 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_RIGHTS_BY_VERSION = {1: 13, 2: 14, 3: 15, 4: 15}
_RIGHTS_SINCE_5 = 16

# As sysconfig has it, which is slow to import and to ask.
_STDLIB = {
    f"{prefix}/{sys.platlibdir}/python{sys.version_info.major}.{sys.version_info.minor}"
    for prefix in (sys.base_prefix, sys.base_exec_prefix)
}
_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo")


class _RulesetAttr(ctypes.Structure):
    _fields_ = [("handled_access_fs", ctypes.c_uint64)]


class _PathBeneathAttr(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32)]


class Landlock:
    """The rules, built once by the zygote and taken by each of its children; `version` is 0 where there are none."""

    def __init__(self, code: Iterable[str]) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self.version = max(0, self._call(_CREATE_RULESET, None, 0, _GET_VERSION))
        self._ruleset = self._build(code) if self.version else None

    def _build(self, code: Iterable[str]) -> int:
        rights = _RIGHTS_BY_VERSION.get(self.version, _RIGHTS_SINCE_5)
        attr = _RulesetAttr((1 << rights) - 1)
        ruleset = self._check(self._call(_CREATE_RULESET, ctypes.byref(attr), ctypes.sizeof(attr), 0))
        for folder in {*code, *_STDLIB, *_LIBRARIES}:
            try:
                parent = os.open(folder, os.O_PATH | os.O_CLOEXEC)
            except OSError:
                continue
            rule = _PathBeneathAttr(_READ_FILE | _READ_DIR, parent)
            self._check(self._call(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(rule), 0))
            os.close(parent)
        return ruleset

    def load(self) -> None:
        """Take the rules, for good; needs no-new-privileges. Raises OSError."""
        if self._ruleset is not None:
            self._check(self._call(_RESTRICT_SELF, self._ruleset, 0))

    def _call(self, number: int, *args: object) -> int:
        result: int = self._libc.syscall(ctypes.c_long(number), *args)
        return result

    @staticmethod
    def _check(result: int) -> int:
        if result < 0:
            number = ctypes.get_errno()
            raise OSError(number, f"Landlock fails: {os.strerror(number)}")
        return result
