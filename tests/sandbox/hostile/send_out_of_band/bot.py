"""Uses the corners of sockets on its channel: urgent data, peeking, ancillary data, options, shutdown."""

import ctypes
import errno
import os
import platform
import socket

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
    letter = ctypes.create_string_buffer(b"x")
    for flag in (1, 2, 4, 0x10, 0x40, 0x80, 0x8000, 0x4000000, 0x20000000):
        refused(f"sendto {flag:#x}", 44, CHANNEL, letter, 1, flag, 0, 0)
        refused(f"recvfrom {flag:#x}", 45, CHANNEL, letter, 1, flag, 0, 0)
    for name, number in {"sendmsg": 46, "recvmsg": 47, "sendmmsg": 307, "recvmmsg": 299, "shutdown": 48, "getsockname": 51,
                         "getpeername": 52, "setsockopt": 54, "getsockopt": 55, "connect": 42, "accept": 43, "bind": 49,
                         "listen": 50, "ioctl": 16, "sendfile": 40, "splice": 275, "tee": 276}.items():
        refused(name, number, CHANNEL, 0, 0, 0, 0, 0)
    must_fail("another socket", socket.socket, fileno=os.dup(CHANNEL))


try_everything()


class Hostile(Plays):
    has_tried = False

    def choose_discard(self, view):
        if not self.has_tried:
            self.has_tried = True
            try_everything()
        return super().choose_discard(view)
