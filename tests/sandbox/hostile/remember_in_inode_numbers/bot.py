"""Moves the machine's counter of inodes by asking for files in /proc and /dev, and reads it from their numbers."""

import os

from player import *


def try_everything():
    for name in ("self", "thread-self", "self/fd/3", "self/task", "self/status", f"{os.getpid()}/fd", "1", "1/ns/pid",
                 "self/net", "sys/kernel", "mounts", "self/attr/current"):
        must_fail(f"/proc/{name}", os.lstat, f"/proc/{name}")
        must_fail(f"/proc/{name}", os.stat, f"/proc/{name}")
        must_fail(f"/proc/{name}", os.readlink, f"/proc/{name}")
    for name in ("fd/3", "stdin", "stdout"):
        must_fail(f"/dev/{name}", os.stat, f"/dev/{name}")
    must_fail("a pipe", os.pipe)
    must_fail("memory", os.memfd_create, "letter")
    must_fail("an event", os.eventfd, 0)


try_everything()


class Hostile(Plays):
    has_tried = False

    def choose_discard(self, view):
        if not self.has_tried:
            self.has_tried = True
            try_everything()
        return super().choose_discard(view)
