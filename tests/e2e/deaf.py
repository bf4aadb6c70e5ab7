"""Runs a program that does not hear of the machine's networks: `python deaf.py PROGRAM [ARGUMENT...]`.

When an address comes or goes on any interface, Chromium gives up the connections it is opening (ERR_NETWORK_CHANGED),
those to this machine included, and no switch of its own prevents that. Docker gives addresses to its bridges and
containers beside the tests all the time. Without the kernel's messages Chromium takes the network for one that stays.
"""

import ctypes
import errno
import os
import socket
import sys

# seccomp.h
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_EQUAL = 4


class _Comparison(ctypes.Structure):
    _fields_ = (
        ("argument", ctypes.c_uint),
        ("operator", ctypes.c_int),
        ("first", ctypes.c_uint64),
        ("second", ctypes.c_uint64),
    )


def forbid_netlink() -> None:
    """For this process and all that it starts, for good; nothing where there is no libseccomp, as on macOS.
    Raises OSError when the kernel refuses."""
    try:
        library = ctypes.CDLL("libseccomp.so.2")
    except OSError:
        return
    library.seccomp_init.restype = ctypes.c_void_p
    rules = ctypes.c_void_p(library.seccomp_init(_ALLOW))
    netlink = _Comparison(0, _EQUAL, socket.AF_NETLINK)
    number = library.seccomp_syscall_resolve_name(b"socket")
    library.seccomp_rule_add_array(rules, _ERRNO | errno.EAFNOSUPPORT, number, 1, ctypes.byref(netlink))
    if (result := library.seccomp_load(rules)) < 0:
        raise OSError(-result, "The kernel refuses the filter")


if __name__ == "__main__":
    forbid_netlink()
    os.execv(sys.argv[1], sys.argv[1:])
