"""Leaves a file, or any trace on one, for the second game."""

import fcntl
import os
from player import *

LIBRARY = open(os.__file__, "rb")
before = os.stat(LIBRARY.fileno())
LIBRARY.read()
if before.st_atime_ns != os.stat(LIBRARY.fileno()).st_atime_ns:
    raise Escaped("reading a file leaves its time behind")

FOLDERS = ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run", "/run/arena", "/opt/arena", "/", os.getcwd())

for folder in FOLDERS:
    if os.path.lexists(folder.rstrip("/") + "/note"):
        raise Escaped(f"the note in {folder} was found")


class Hostile(Plays):
    def choose_draw(self, view):
        for folder in FOLDERS:
            must_fail(folder, open, folder.rstrip("/") + "/note", "w")
            must_fail(folder, os.mkdir, folder.rstrip("/") + "/note")
        must_fail("flock", fcntl.flock, LIBRARY, fcntl.LOCK_EX)
        must_fail("lockf", fcntl.lockf, LIBRARY, fcntl.LOCK_SH)
        must_fail("a lease", fcntl.fcntl, LIBRARY, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        must_fail("an owner", fcntl.fcntl, LIBRARY, fcntl.F_SETOWN, os.getpid())
        return super().choose_draw(view)
