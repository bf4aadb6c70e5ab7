"""Stops its own process."""

import os
import signal

from player import *


class Hostile(Plays):
    def choose_discard(self, view):
        os.kill(os.getpid(), signal.SIGSTOP)
        return super().choose_discard(view)
