"""Leaves something running that could tell the second game about the first."""

import os
import signal
import threading
import time
from player import *


class Hostile(Plays):
    def end_game(self, end):
        must_fail("a thread", threading.Thread(target=time.sleep, args=(600,)).start)
        must_fail("a child", os.fork)
        must_fail("a new session", os.setsid)
        must_fail("a timer", signal.setitimer, signal.ITIMER_REAL, 1)
