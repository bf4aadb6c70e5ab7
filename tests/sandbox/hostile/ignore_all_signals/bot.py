"""Refuses to be told anything while it computes."""

import signal

from player import *


class Hostile(Plays):
    def choose_discard(self, view):
        for number in range(1, 65):
            try:
                signal.signal(number, lambda *_: None)
            except (OSError, ValueError):
                pass
        while True:
            pass
        return super().choose_discard(view)
