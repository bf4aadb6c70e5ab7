"""Leaves a file, or any trace on one, for the second game."""

import fcntl
import os
from player import *

FOLDERS = ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run", "/run/arena", "/opt/arena", "/", os.getcwd())

for folder in FOLDERS:
    if os.path.lexists(folder.rstrip("/") + "/note"):
        raise Escaped(f"the note in {folder} was found")


class Hostile(Plays):
    def choose_draw(self, view):
        for folder in FOLDERS:
            must_fail(folder, open, folder.rstrip("/") + "/note", "w")
            must_fail(folder, os.mkdir, folder.rstrip("/") + "/note")
        with open(os.__file__, "rb") as library:
            before = os.stat(os.__file__)
            library.read()
            after = os.stat(os.__file__)
            must_fail("flock", fcntl.flock, library, fcntl.LOCK_EX)
            must_fail("lockf", fcntl.lockf, library, fcntl.LOCK_SH)
            must_fail("a lease", fcntl.fcntl, library, fcntl.F_SETLEASE, fcntl.F_RDLCK)
            must_fail("an owner", fcntl.fcntl, library, fcntl.F_SETOWN, os.getpid())
        if before.st_atime_ns != after.st_atime_ns:
            raise Escaped("reading a file leaves its time behind")
        return super().choose_draw(view)
