"""Leaves a key in the kernel's keyrings, of the process, the session and the user, and looks for one."""

import ctypes
import errno
import os
import platform

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
    for keyring in (-1, -2, -3, -4, -5, -6):
        refused("add_key", 248, b"user", b"note", b"game one", 8, keyring)
        refused("keyctl get", 250, 0, keyring, 1, 0, 0)
        refused("keyctl search", 250, 10, keyring, b"user", b"note", 0)
    refused("keyctl join", 250, 1, b"note", 0, 0, 0)
    refused("request_key", 249, b"user", b"note", None, -4)


try_everything()


class Hostile(Plays):
    has_tried = False

    def choose_discard(self, view):
        if not self.has_tried:
            self.has_tried = True
            try_everything()
        return super().choose_discard(view)
