"""Sees whether the process of the first game is still there in the second."""

import os
from player import *


class Hostile(Plays):
    def start_game(self, start):
        for pid in range(1, 200):
            if pid != os.getpid():
                must_fail(f"process {pid}", os.sched_getparam, pid)
                must_fail(f"process {pid}", os.kill, pid, 0)
