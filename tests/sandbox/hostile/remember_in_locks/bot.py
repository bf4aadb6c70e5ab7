"""Leaves a lock, a semaphore, a queue, a watch or a listening socket for the second game or the other box."""

import ctypes
import errno
import fcntl
import os
import platform
import socket
import struct

from player import *

LIBC = ctypes.CDLL(None, use_errno=True)
LIBRARY = open(os.__file__, "rb")


def refused(name, number, *arguments):
    if platform.machine() != "x86_64":
        return
    if LIBC.syscall(number, *arguments) != -1:
        raise Escaped(f"{name} worked")
    if ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS, errno.EACCES):
        raise Escaped(f"{name} reached the kernel: {errno.errorcode[ctypes.get_errno()]}")


def try_everything():
    number = LIBRARY.fileno()
    refused("flock", 73, number, 2)
    lock = struct.pack("hhqqi4x", fcntl.F_RDLCK, os.SEEK_SET, 0, 0, 0)
    for name, command in {"F_SETLK": 6, "F_SETLKW": 7, "F_OFD_SETLK": 37, "F_OFD_GETLK": 36, "F_GETLK": 5,
                          "F_SETLEASE": 1024, "F_GETLEASE": 1025, "F_NOTIFY": 1026, "F_SETOWN": 8, "F_GETOWN": 9,
                          "F_SETSIG": 10, "F_ADD_SEALS": 1033, "F_GET_RW_HINT": 1035, "F_SET_RW_HINT": 1036,
                          "F_SETFL": 4, "F_SETPIPE_SZ": 1031}.items():
        must_fail(name, fcntl.fcntl, number, command, lock)
    LIBC.sem_open.restype = ctypes.c_void_p
    if LIBC.sem_open(b"/note", os.O_CREAT, 0o666, 1):
        raise Escaped("a semaphore with a name")
    refused("mq_open", 240, b"note", os.O_CREAT | os.O_RDWR, 0o666, 0)
    for name, number in {"shmget": 29, "semget": 64, "msgget": 68}.items():
        refused(name, number, 0x1234, 1, 0o1666)
    refused("inotify_init", 253)
    refused("inotify_add_watch", 254, 3, b"/usr/lib", 0xFFF)
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
        must_fail("a socket", socket.socket, socket.AF_UNIX, kind)
        must_fail("a pair of sockets", socket.socketpair, socket.AF_UNIX, kind)


try_everything()


class Hostile(Plays):
    has_tried = False

    def choose_discard(self, view):
        if not self.has_tried:
            self.has_tried = True
            try_everything()
        return super().choose_discard(view)
