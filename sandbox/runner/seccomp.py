"""The inner filter: the system calls a bot's process may make, by libseccomp through ctypes.

The outer filter (`bot-seccomp.json`) guards the container, this one the bot: it leaves what Python needs to compute and
to import modules. A bot is one thread that reads files and talks on one descriptor. It cannot start a thread or a
process, run a program, open a socket, open a file for writing, signal anybody, lock a file or set a timer. That there
are no threads is deliberate: nothing is left that could ponder in the opponent's turn, and the counter of thread ids,
which the two games of a match share, is no letter box.
"""

import ctypes
import errno
import fcntl
import os

_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000
_LESS, _EQUAL, _MASKED_EQUAL = 2, 4, 7
_UNKNOWN = -1

_PLAIN = """
    access brk clock_getres clock_nanosleep close close_range dup dup2 exit exit_group faccessat faccessat2 fadvise64
    fstat fstatfs futex getcwd getdents64 getegid geteuid getgid getpid getppid getrandom getrusage gettid
    gettimeofday getuid lseek lstat madvise mprotect mremap munmap nanosleep newfstatat poll ppoll pread64 pselect6
    read readlink readlinkat readv recvfrom restart_syscall rt_sigaction rt_sigprocmask rt_sigreturn
    sched_getaffinity sched_yield select sendto sigaltstack stat statfs statx time times uname write writev
"""

_WRITING = os.O_ACCMODE | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_MAP_TYPE, _MAP_PRIVATE = 0x0F, 0x02
_OWN_CLOCKS = 12
"""Clock ids below are the system's and the caller's own; those of other processes are encoded in huge numbers."""


class _Comparison(ctypes.Structure):
    _fields_ = [
        ("arg", ctypes.c_uint),
        ("op", ctypes.c_int),
        ("datum_a", ctypes.c_uint64),
        ("datum_b", ctypes.c_uint64),
    ]


_CONDITIONAL: tuple[tuple[str, tuple[tuple[int, int, int, int], ...]], ...] = (
    # Read-only opens. openat2 passes its flags in memory, where no filter sees them, so it is not allowed at all.
    ("open", ((1, _MASKED_EQUAL, _WRITING, 0),)),
    ("openat", ((2, _MASKED_EQUAL, _WRITING, 0),)),
    # Shared memory would not count against the limit on a process's own data.
    ("mmap", ((3, _MASKED_EQUAL, _MAP_TYPE, _MAP_PRIVATE),)),
    # No locks, no owners, no leases: they are seen by, or signal, others that hold the same file.
    ("fcntl", ((1, _EQUAL, fcntl.F_GETFD, 0),)),
    ("fcntl", ((1, _EQUAL, fcntl.F_SETFD, 0),)),
    ("fcntl", ((1, _EQUAL, fcntl.F_GETFL, 0),)),
    ("fcntl", ((1, _EQUAL, fcntl.F_DUPFD_CLOEXEC, 0),)),
    ("clock_gettime", ((0, _LESS, _OWN_CLOCKS, 0),)),
    # Asking for limits, of oneself, and not setting them.
    ("getrlimit", ()),
    ("prlimit64", ((0, _EQUAL, 0, 0), (2, _EQUAL, 0, 0))),
)


class Filter:
    """The filter, built once by the zygote and taken by each of its children. Raises OSError where it cannot be."""

    def __init__(self) -> None:
        lib = ctypes.CDLL("libseccomp.so.2", use_errno=True)
        lib.seccomp_init.restype = ctypes.c_void_p
        lib.seccomp_init.argtypes = [ctypes.c_uint32]
        lib.seccomp_syscall_resolve_name.argtypes = [ctypes.c_char_p]
        lib.seccomp_rule_add_array.argtypes = [
            ctypes.c_void_p,
            ctypes.c_uint32,
            ctypes.c_int,
            ctypes.c_uint,
            ctypes.POINTER(_Comparison),
        ]
        lib.seccomp_load.argtypes = [ctypes.c_void_p]
        self._lib = lib
        self._context = lib.seccomp_init(_ERRNO | errno.EPERM)
        if not self._context:
            raise OSError("libseccomp cannot make a filter.")
        for name in _PLAIN.split():
            self._allow(name, ())
        for name, comparisons in _CONDITIONAL:
            self._allow(name, comparisons)

    def _allow(self, name: str, comparisons: tuple[tuple[int, int, int, int], ...]) -> None:
        number = self._lib.seccomp_syscall_resolve_name(name.encode())
        if number == _UNKNOWN:
            return  # a call that this libseccomp has never heard of; it stays forbidden
        array = (_Comparison * len(comparisons))(*(_Comparison(*comparison) for comparison in comparisons))
        # A call that exists on another architecture only (open, stat on aarch64) has a negative number and is ignored.
        result = self._lib.seccomp_rule_add_array(self._context, _ALLOW, number, len(comparisons), array)
        if result < 0 and number >= 0:
            raise OSError(-result, f"libseccomp refuses the rule for {name}")

    def load(self) -> None:
        """Take the filter, for good. Sets no-new-privileges as well."""
        result = self._lib.seccomp_load(self._context)
        if result < 0:
            raise OSError(-result, "The kernel refuses the inner seccomp filter")
