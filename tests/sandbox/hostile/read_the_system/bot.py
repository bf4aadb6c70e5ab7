"""Reads what is none of its business."""

import os

from player import *


def names_in(folder):
    """The names; an empty folder counts as closed."""
    names = os.listdir(folder)
    if not names:
        raise OSError("there is nothing")
    return names


def try_everything():
    for path in ("/etc/shadow", "/etc/passwd", "/etc/hostname", "/etc/hosts", "/proc/1/environ", "/proc/cpuinfo",
                 "/proc/mounts", "/proc/self/mountinfo", "/proc/net/unix", "/sys/class/net", "/var/run/docker.sock",
                 "/run/docker.sock", "/root/.ssh/id_rsa", "/home", "/var/log", "/run/arena", "/dev/kmsg", "/dev/mem"):
        must_fail(path, lambda file: open(file, "rb").read(), path)
        must_fail(path, os.listdir, path)
    for path in ("/etc", "/proc", "/sys", "/dev", "/root", "/home", "/tmp", "/run"):
        must_fail(path, names_in, path)


try_everything()


class Hostile(Plays):
    has_tried = False

    def choose_discard(self, view):
        if not self.has_tried:
            self.has_tried = True
            try_everything()
        return super().choose_discard(view)
