"""Tries every kind of socket there is."""

import gc
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
    (channel,) = (thing for thing in gc.get_objects() if isinstance(thing, socket.socket) and thing.fileno() == CHANNEL)
    must_fail("reconnecting", channel.connect, "/run/arena/control")
    must_fail("passing a descriptor", channel.sendmsg, [b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, b"\0\0\0\0")])


try_everything()


class Hostile(Plays):
    has_tried = False

    def choose_discard(self, view):
        if not self.has_tried:
            self.has_tried = True
            try_everything()
        return super().choose_discard(view)
