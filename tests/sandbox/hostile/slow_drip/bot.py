"""Sends its reply byte by byte, so that no single read ever runs into a deadline."""

import os
import time

from player import *


class Hostile(Plays):
    def choose_discard(self, view):
        while True:
            os.write(CHANNEL, b" ")
            time.sleep(0.05)
        return super().choose_discard(view)
