"""The inner filter: the system calls a bot's process may make, put together by libseccomp.

The outer filter (`bot-seccomp.json`) guards the container, this one the bot: it leaves what Python needs to compute and
to import modules. A bot is one thread that reads files and talks on one descriptor. It cannot start a thread or a
process, run a program, open a socket, open a file for writing, signal anybody, lock a file or set a timer. That there
are no threads is deliberate: nothing is left that could ponder in the opponent's turn, and the counter of thread ids,
which the two games of a match share, is no letter box.
"""

import errno
import fcntl
import os
from struct import calcsize, pack

from sandbox.runner.libc import Block, Library, Long, failure, prctl, syscall

_ALLOW = 0x7FFF0000
_NOTIFY = 0x7FC00000
_ERRNO = 0x00050000
_API_WITH_NOTIFY = 5
_LESS, _EQUAL, _MASKED_EQUAL = 2, 4, 7
_UNKNOWN = -1
# linux/prctl.h, linux/seccomp.h, linux/filter.h
_PR_SET_SECCOMP, _MODE_FILTER = 22, 2
_SET_MODE_FILTER, _NEW_LISTENER = 1, 1 << 3
_STEP_BYTES, _MOST_STEPS = calcsize("=HBBI"), 4096

_PLAIN = """
    access brk close close_range dup dup2 exit exit_group faccessat faccessat2 fstat getcwd getdents64
    getegid geteuid getgid getpid getppid getrandom getrusage gettid
    gettimeofday getuid lseek lstat mprotect mremap munmap nanosleep newfstatat poll ppoll pread64 pselect6
    read readlink readlinkat readv restart_syscall rt_sigaction rt_sigprocmask rt_sigreturn
    sched_getaffinity sched_yield select sigaltstack stat statx time times uname write writev
"""

_LOOKUPS = """
    access faccessat faccessat2 getdents64 lstat newfstatat open openat readlink readlinkat stat statx
"""

_WRITING = os.O_ACCMODE | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_MAP_TYPE, _MAP_PRIVATE, _MAP_GROWSDOWN, _MAP_HUGETLB = 0x0F, 0x02, 0x100, 0x40000
_FUTEX_PRIVATE = 128
_MADV_DONTNEED, _MADV_FREE = 4, 8
_OWN_CLOCKS = 12
"""Clock ids below are the system's and the caller's own; those of other processes are encoded in huge numbers."""


_CONDITIONAL: tuple[tuple[str, tuple[tuple[int, int, int, int], ...]], ...] = (
    # Read-only opens. openat2 passes its flags in memory, where no filter sees them, so it is not allowed at all.
    ("open", ((1, _MASKED_EQUAL, _WRITING, 0),)),
    ("openat", ((2, _MASKED_EQUAL, _WRITING, 0),)),
    # Neither shared memory nor stacks count against the limit on a process's own data, and the machine's huge pages
    # count against none.
    ("mmap", ((3, _MASKED_EQUAL, _MAP_TYPE | _MAP_GROWSDOWN | _MAP_HUGETLB, _MAP_PRIVATE),)),
    # Lines on the channel, and none of the oddities of sockets, such as data out of band.
    ("recvfrom", ((3, _EQUAL, 0, 0),)),
    ("sendto", ((3, _EQUAL, 0, 0),)),
    # A futex on a page of a library is one for all who run that library: two boxes could wake each other.
    ("futex", ((1, _MASKED_EQUAL, _FUTEX_PRIVATE, _FUTEX_PRIVATE),)),
    # What allocators say. No other advice: which pages of files are in memory, and whether as huge ones, is seen by
    # whoever reads them next.
    *(("madvise", ((2, _EQUAL, advice, 0),)) for advice in (_MADV_DONTNEED, _MADV_FREE)),
    # No locks, no owners, no leases: they are seen by, or signal, others that hold the same file.
    ("fcntl", ((1, _EQUAL, fcntl.F_GETFD, 0),)),
    ("fcntl", ((1, _EQUAL, fcntl.F_SETFD, 0),)),
    ("fcntl", ((1, _EQUAL, fcntl.F_GETFL, 0),)),
    ("fcntl", ((1, _EQUAL, fcntl.F_DUPFD_CLOEXEC, 0),)),
    *((name, ((0, _LESS, _OWN_CLOCKS, 0),)) for name in ("clock_gettime", "clock_getres", "clock_nanosleep")),
    # Asking for limits, of oneself, and not setting them.
    ("getrlimit", ()),
    ("prlimit64", ((0, _EQUAL, 0, 0), (2, _EQUAL, 0, 0))),
)


class _Rules:
    """Rules, put together once by the zygote and taken by its children."""

    def __init__(self, otherwise: int) -> None:
        """`otherwise` is what happens to calls without a rule. Raises OSError where there is no libseccomp."""
        library = Library("libseccomp.so.2")
        self._api = library.function("seccomp_api_get")
        self._resolve = library.function("seccomp_syscall_resolve_name")
        self._add_rule = library.function("seccomp_rule_add_array")
        self._export = library.function("seccomp_export_bpf")
        self._release = library.function("seccomp_release")
        self._context = Long(library.function("seccomp_init", Long)(otherwise))
        if not self._context:
            raise OSError("libseccomp cannot make a filter.")

    def _number(self, name: str) -> int:
        """The number of a system call: -1 for one that this libseccomp does not know, others below 0 for those that
        other architectures have."""
        return self._resolve(name.encode())

    def _add(self, action: int, name: str, comparisons: tuple[tuple[int, int, int, int], ...] = ()) -> None:
        number = self._number(name)
        if number == _UNKNOWN:
            return  # it stays forbidden
        # struct scmp_arg_cmp { unsigned int arg; enum scmp_compare op; scmp_datum_t datum_a, datum_b; }
        array = b"".join(pack("=IiQQ", *comparison) for comparison in comparisons)
        # A call that exists on another architecture only (open, stat on aarch64) is ignored.
        result = self._add_rule(self._context, action, number, len(comparisons), array)
        if result < 0 and number >= 0:
            raise OSError(-result, f"libseccomp refuses the rule for {name}")

    def _program(self) -> bytes:
        """What the kernel takes, as a struct sock_fprog; the rules are gone after this. To put the program together
        takes most of a millisecond, which is why no child does it."""
        reader, writer = os.pipe()  # has room for the longest of programs, 4096 steps
        result = self._export(self._context, writer)
        self._release(self._context)
        os.close(writer)
        steps = b"" if result < 0 else os.read(reader, _MOST_STEPS * _STEP_BYTES)
        os.close(reader)
        if not steps:
            raise OSError(-result, "libseccomp cannot write down the filter")
        self._steps = Block(steps)
        return pack("@HP", len(steps) // _STEP_BYTES, self._steps.address)


class Filter(_Rules):
    """What a bot may call at all."""

    def __init__(self) -> None:
        """Raises OSError where the rules cannot be made."""
        super().__init__(_ERRNO | errno.EPERM)
        for name in _PLAIN.split():
            self._add(_ALLOW, name)
        for name, comparisons in _CONDITIONAL:
            self._add(_ALLOW, name, comparisons)
        self._filter = self._program()

    def load(self) -> None:
        """Take the filter, for good; needs no-new-privileges. Raises OSError."""
        prctl(_PR_SET_SECCOMP, _MODE_FILTER, self._filter)


class Watch(_Rules):
    """What somebody else is asked about: every call that looks up a file."""

    def __init__(self) -> None:
        """Raises OSError where the rules cannot be made, or the kernel asks nobody."""
        super().__init__(_ALLOW)
        if self._api() < _API_WITH_NOTIFY:
            raise OSError(errno.ENOSYS, "The kernel asks nobody about system calls")
        for name in _LOOKUPS.split():
            self._add(_NOTIFY, name)
        self._seccomp = Long(self._number("seccomp"))
        self._filter = self._program()

    def listen(self) -> int:
        """Take the filter, for good; the result is the descriptor on which the kernel asks. Needs no-new-privileges.
        Raises OSError."""
        listener = syscall(self._seccomp, _SET_MODE_FILTER, _NEW_LISTENER, self._filter)
        if listener < 0:
            failure("The kernel refuses the filter that asks")
        return listener
