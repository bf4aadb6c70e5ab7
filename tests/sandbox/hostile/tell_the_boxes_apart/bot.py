"""Looks for whatever names this box, so that two bots of one owner could find out where they run."""

import ctypes
import errno
import os
import platform
import socket
import time

from player import *

LIBC = ctypes.CDLL(None, use_errno=True)


def refused(name, number, *arguments):
    if platform.machine() != "x86_64":
        return
    if LIBC.syscall(number, *arguments) != -1:
        raise Escaped(f"{name} worked")
    if ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS, errno.EACCES):
        raise Escaped(f"{name} reached the kernel: {errno.errorcode[ctypes.get_errno()]}")


def try_everything():
    for path in ("/proc/sys/kernel/random/boot_id", "/etc/machine-id", "/var/lib/dbus/machine-id", "/proc/self/cgroup",
                 "/proc/1/cgroup", "/proc/self/mountinfo", "/proc/self/timens_offsets", "/proc/self/uid_map",
                 "/proc/self/loginuid", "/proc/self/sessionid", "/proc/self/cpuset", "/proc/self/ns/net", "/proc/cmdline",
                 "/proc/self/numa_maps", "/proc/self/smaps", "/proc/self/auxv", "/sys/class/dmi/id/product_uuid",
                 "/sys/hypervisor/uuid", "/etc/hostname", "/etc/hosts", "/etc/resolv.conf"):
        must_fail(path, lambda file: open(file, "rb").read(), path)
    if socket.gethostname() != "box" or os.uname().nodename != "box":
        raise Escaped(f"the box is called {os.uname().nodename}")
    if os.getpid() > 20 or os.getppid() > 20:
        raise Escaped(f"the machine's process numbers: {os.getpid()}, {os.getppid()}")
    if 0 in (os.getuid(), os.geteuid(), os.getgid(), os.getegid()):
        raise Escaped("root")
    if os.environ or os.getcwd() != "/":
        raise Escaped(f"{dict(os.environ)} {os.getcwd()}")
    must_fail("groups", os.getgroups)
    must_fail("/run/arena", os.listdir, "/run/arena")
    must_fail("interfaces", socket.if_nameindex)
    refused("sysinfo", 99, 0)
    refused("getcpu", 309, 0, 0, 0)
    refused("a time of its own", 272, 0x80)
    refused("clock_settime", 227, 0, 0)
    refused("adjtimex", 159, 0)
    refused("clock_adjtime", 305, 0, 0)


try_everything()


class Hostile(Plays):
    has_tried = False

    def choose_discard(self, view):
        if not self.has_tried:
            self.has_tried = True
            try_everything()
        return super().choose_discard(view)
