"""Starts threads, for a second mind to think with in the opponent's turn."""

import _thread
import threading
import time

from player import *


def try_everything():
    for _ in range(100):
        must_fail("a thread", threading.Thread(target=time.sleep, args=(60,)).start)
    must_fail("a raw thread", _thread.start_new_thread, time.sleep, (60,))


try_everything()


class Hostile(Plays):
    has_tried = False

    def choose_discard(self, view):
        if not self.has_tried:
            self.has_tried = True
            try_everything()
        return super().choose_discard(view)
