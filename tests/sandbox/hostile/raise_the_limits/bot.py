"""Raises its own limits."""

import os
import resource

from player import *


def try_everything():
    for limit in (resource.RLIMIT_CPU, resource.RLIMIT_DATA, resource.RLIMIT_NPROC, resource.RLIMIT_FSIZE):
        must_fail("setrlimit", resource.setrlimit, limit, (-1, -1))
    must_fail("nice", os.nice, -5)
    must_fail("sched_setaffinity", os.sched_setaffinity, 0, {0})


try_everything()


class Hostile(Plays):
    has_tried = False

    def choose_discard(self, view):
        if not self.has_tried:
            self.has_tried = True
            try_everything()
        return super().choose_discard(view)
