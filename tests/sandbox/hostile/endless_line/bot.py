"""Replies with a line that never ends."""

import os

from player import *


class Hostile(Plays):
    def choose_discard(self, view):
        asked = request()
        head = '{"id":%d,"nonce":"%s","answer":' % (asked["id"], asked["nonce"])
        line = b"x" * 50_000_000
        while line:
            line = line[os.write(CHANNEL, line) :]
        os._exit(0)
        return super().choose_discard(view)
