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
_NOTIFY = 0x7FC00000
_ERRNO = 0x00050000
_API_WITH_NOTIFY = 5
_LESS, _EQUAL, _MASKED_EQUAL = 2, 4, 7
_UNKNOWN = -1

_PLAIN = """
    access brk clock_getres clock_nanosleep close close_range dup dup2 exit exit_group faccessat faccessat2 fstat
    getcwd getdents64 getegid geteuid getgid getpid getppid getrandom getrusage gettid
    gettimeofday getuid lseek lstat mprotect mremap munmap nanosleep newfstatat poll ppoll pread64 pselect6
    read readlink readlinkat readv restart_syscall rt_sigaction rt_sigprocmask rt_sigreturn
    sched_getaffinity sched_yield select sigaltstack stat statx time times uname write writev
"""

_LOOKUPS = """
    access faccessat faccessat2 getdents64 lstat newfstatat open openat readlink readlinkat stat statx
"""

_WRITING = os.O_ACCMODE | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_MAP_TYPE, _MAP_PRIVATE, _MAP_GROWSDOWN = 0x0F, 0x02, 0x100
_FUTEX_PRIVATE = 128
_MADV_DONTNEED, _MADV_FREE, _MADV_HUGEPAGE = 4, 8, 14
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
    # Neither shared memory nor stacks count against the limit on a process's own data.
    ("mmap", ((3, _MASKED_EQUAL, _MAP_TYPE | _MAP_GROWSDOWN, _MAP_PRIVATE),)),
    # Lines on the channel, and none of the oddities of sockets, such as data out of band.
    ("recvfrom", ((3, _EQUAL, 0, 0),)),
    ("sendto", ((3, _EQUAL, 0, 0),)),
    # A futex on a page of a library is one for all who run that library: two boxes could wake each other.
    ("futex", ((1, _MASKED_EQUAL, _FUTEX_PRIVATE, _FUTEX_PRIVATE),)),
    # What allocators say. No other advice: which pages of files are in memory is seen by whoever reads them next.
    *(("madvise", ((2, _EQUAL, advice, 0),)) for advice in (_MADV_DONTNEED, _MADV_FREE, _MADV_HUGEPAGE)),
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


class _Rules:
    """Rules, built once by the zygote and taken by its children. Raises OSError where they cannot be."""

    def __init__(self, otherwise: int) -> None:
        """`otherwise` is what happens to calls without a rule."""
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
        self._context = lib.seccomp_init(otherwise)
        if not self._context:
            raise OSError("libseccomp cannot make a filter.")

    def _add(self, action: int, name: str, comparisons: tuple[tuple[int, int, int, int], ...] = ()) -> None:
        number = self._lib.seccomp_syscall_resolve_name(name.encode())
        if number == _UNKNOWN:
            return  # a call that this libseccomp has never heard of; it stays forbidden
        array = (_Comparison * len(comparisons))(*(_Comparison(*comparison) for comparison in comparisons))
        # A call that exists on another architecture only (open, stat on aarch64) has a negative number and is ignored.
        result = self._lib.seccomp_rule_add_array(self._context, action, number, len(comparisons), array)
        if result < 0 and number >= 0:
            raise OSError(-result, f"libseccomp refuses the rule for {name}")

    def load(self) -> None:
        """Take the filter, for good. Sets no-new-privileges as well."""
        result = self._lib.seccomp_load(self._context)
        if result < 0:
            raise OSError(-result, "The kernel refuses the inner seccomp filter")


class Filter(_Rules):
    """What a bot may call at all."""

    def __init__(self) -> None:
        super().__init__(_ERRNO | errno.EPERM)
        for name in _PLAIN.split():
            self._add(_ALLOW, name)
        for name, comparisons in _CONDITIONAL:
            self._add(_ALLOW, name, comparisons)


class Watch(_Rules):
    """What somebody else is asked about: every call that looks up a file."""

    def __init__(self) -> None:
        super().__init__(_ALLOW)
        if self._lib.seccomp_api_get() < _API_WITH_NOTIFY:
            raise OSError(errno.ENOSYS, "The kernel asks nobody about system calls")
        self._lib.seccomp_notify_fd.argtypes = [ctypes.c_void_p]
        for name in _LOOKUPS.split():
            self._add(_NOTIFY, name)

    def listen(self) -> int:
        """Take the filter; the result is the descriptor on which the kernel asks. Raises OSError."""
        self.load()
        listener: int = self._lib.seccomp_notify_fd(self._context)
        return listener
