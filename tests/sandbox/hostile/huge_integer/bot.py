"""Replies with an integer of thousands of digits."""

import os

from player import *


class Hostile(Plays):
    def choose_discard(self, view):
        asked = request()
        head = '{"id":%d,"nonce":"%s","answer":' % (asked["id"], asked["nonce"])
        line = (head + "9" * 10000 + "}\n").encode()
        while line:
            line = line[os.write(CHANNEL, line) :]
        os._exit(0)
        return super().choose_discard(view)
