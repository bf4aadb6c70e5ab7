"""Writes wherever a file could be made, and changes what is there."""

import os
import tempfile

from player import *


def try_everything():
    folders = ["/", "/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run", "/run/arena", "/opt/arena", "/home", "/root",
               "/proc/self", "/sys/fs/cgroup", os.path.dirname(os.__file__), os.getcwd()]
    for folder in folders:
        path = folder.rstrip("/") + "/letter"
        must_fail(path, open, path, "w")
        must_fail(path, os.mkdir, path)
        must_fail(path, os.mkfifo, path)
        must_fail(path, os.symlink, "message", path)
        must_fail(path, os.link, os.__file__, path)
        must_fail(folder, os.open, folder, os.O_TMPFILE | os.O_RDWR)
        must_fail(folder, os.utime, folder, (1, 1))
        must_fail(folder, os.chmod, folder, 0o777)
    must_fail("append", open, os.__file__, "ab")
    must_fail("truncate", os.truncate, os.__file__, 0)
    must_fail("unlink", os.unlink, os.__file__)
    must_fail("rename", os.rename, os.__file__, os.__file__ + ".old")
    must_fail("utime", os.utime, os.__file__, (1, 1))
    must_fail("setxattr", os.setxattr, os.__file__, "user.letter", b"x")
    must_fail("memfd", os.memfd_create, "letter")
    must_fail("pipe", os.pipe)
    must_fail("/proc/self/oom_score_adj", open, "/proc/self/oom_score_adj", "w")
    must_fail("/proc/self/mem", open, "/proc/self/mem", "r+b")
    must_fail("mknod", os.mknod, "/tmp/letter")
    must_fail("temporary file", tempfile.TemporaryFile)


try_everything()


class Hostile(Plays):
    has_tried = False

    def choose_discard(self, view):
        if not self.has_tried:
            self.has_tried = True
            try_everything()
        return super().choose_discard(view)
