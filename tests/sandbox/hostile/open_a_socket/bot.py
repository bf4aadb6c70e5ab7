"""Tries every kind of socket there is."""

import os
import socket

from player import *


def try_everything():
    for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.AF_NETLINK, socket.AF_PACKET, 40, 38, 16, 31):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
            must_fail(f"socket {family} {kind}", socket.socket, family, kind)
    must_fail("socketpair", socket.socketpair)
    must_fail("connect", socket.create_connection, ("169.254.169.254", 80), 0.1)
    must_fail("name lookup", socket.getaddrinfo, "example.com", 80)
    # With all that could be asked about it said, Python asks the kernel for nothing that it must know.
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, fileno=CHANNEL)
    must_fail("reconnecting", channel.connect, "/run/arena/control")
    must_fail("passing a descriptor", channel.sendmsg, [b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, b"\0\0\0\0")])
    channel.detach()


try_everything()


class Hostile(Plays):
    has_tried = False

    def choose_discard(self, view):
        if not self.has_tried:
            self.has_tried = True
            try_everything()
        return super().choose_discard(view)
