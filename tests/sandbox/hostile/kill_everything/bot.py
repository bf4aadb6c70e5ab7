"""Sends SIGKILL to every process it may signal, and to its parent."""

import os
import signal
from player import *


class Hostile(Plays):
    def choose_draw(self, view):
        must_fail("killing all", os.kill, -1, signal.SIGKILL)
        must_fail("killing the runner", os.kill, os.getppid(), signal.SIGKILL)
        must_fail("killing process 1", os.kill, 1, signal.SIGKILL)
        must_fail("killing the group", os.killpg, 0, signal.SIGKILL)
        return super().choose_draw(view)
