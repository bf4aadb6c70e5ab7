"""Looks for counters and shared objects that run on from game to game."""

import ctypes
import os
import threading
from multiprocessing import shared_memory

from player import *


def try_everything():
    libc = ctypes.CDLL(None, use_errno=True)
    for path in ("/proc/loadavg", "/proc/stat", "/proc/uptime", "/proc/meminfo", "/proc/vmstat", "/proc/schedstat",
                 "/proc/sys/fs/inode-nr", "/proc/sys/fs/file-nr", "/proc/sys/kernel/ns_last_pid", "/proc/sys/kernel/random",
                 "/proc/interrupts", "/proc/softirqs", "/proc/locks", "/proc/sysvipc/shm", "/proc/1/stat", "/proc/1/io",
                 "/proc/self/stat", "/proc/self/sched", "/sys/fs/cgroup/cpuacct/cpuacct.usage",
                 "/sys/fs/cgroup/memory/memory.max_usage_in_bytes", "/sys/fs/cgroup/cpu.stat",
                 "/sys/fs/cgroup/memory.peak"):
        must_fail(path, lambda file: open(file, "rb").read(), path)
    must_fail("thread ids", threading.Thread(target=int).start)
    must_fail("load average", os.getloadavg)
    must_fail("shared memory", shared_memory.SharedMemory, name="note", create=True, size=4096)
    if libc.shmget(0x1234, 4096, 0o1666) != -1 or libc.semget(0x1234, 1, 0o1666) != -1:
        raise Escaped("System V objects can be made")


try_everything()


class Hostile(Plays):
    has_tried = False

    def choose_discard(self, view):
        if not self.has_tried:
            self.has_tried = True
            try_everything()
        return super().choose_discard(view)
