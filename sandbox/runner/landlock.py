"""A second wall inside the box: the folders a bot's process may read, by the kernel's Landlock.

Python's library and `arena` stay readable; /proc, /sys, /etc and /dev do not. Besides hiding what is there, this closes
the counters in /proc and /sys that run on from one game to the next. Kernels before 5.13, and gVisor, lack Landlock;
the filter, the read-only root and the masked paths remain.
"""

from __future__ import annotations

import os
import sys
from struct import pack

from sandbox.runner.libc import Long, failure, syscall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# The numbers are the same on every architecture: Documentation/userspace-api/landlock.rst and linux/landlock.h.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = Long(444), Long(445), Long(446)
_GET_VERSION = 1
_PATH_BENEATH = 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_RIGHTS_BY_VERSION = {1: 13, 2: 14, 3: 15, 4: 15}
_RIGHTS_SINCE_5 = 16

# As sysconfig has it, which is slow to import and to ask.
STDLIB = {
    f"{prefix}/{sys.platlibdir}/python{sys.version_info.major}.{sys.version_info.minor}"
    for prefix in (sys.base_prefix, sys.base_exec_prefix)
}
LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo")


class Landlock:
    """The rules, built once by the zygote and taken by each of its children; `version` is 0 where there are none."""

    def __init__(self, code: Iterable[str]) -> None:
        self.version = max(0, syscall(_CREATE_RULESET, None, Long(0), _GET_VERSION))
        self._ruleset = self._build(code) if self.version else None

    def _build(self, code: Iterable[str]) -> int:
        # struct landlock_ruleset_attr { __u64 handled_access_fs; }
        attr = pack("=Q", (1 << _RIGHTS_BY_VERSION.get(self.version, _RIGHTS_SINCE_5)) - 1)
        ruleset = _check(syscall(_CREATE_RULESET, attr, Long(len(attr)), 0))
        for folder in {*code, *STDLIB, *LIBRARIES}:
            try:
                parent = os.open(folder, os.O_PATH | os.O_CLOEXEC)
            except OSError:
                continue
            # struct landlock_path_beneath_attr { __u64 allowed_access; __s32 parent_fd; }, packed
            _check(syscall(_ADD_RULE, ruleset, _PATH_BENEATH, pack("=Qi", _READ_FILE | _READ_DIR, parent), 0))
            os.close(parent)
        return ruleset

    def load(self) -> None:
        """Take the rules, for good; needs no-new-privileges. Raises OSError."""
        if self._ruleset is not None:
            _check(syscall(_RESTRICT_SELF, self._ruleset, 0))


def _check(result: int) -> int:
    if result < 0:
        failure("Landlock fails")
    return result
