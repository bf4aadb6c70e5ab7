"""Replies with a line of ten megabytes."""

import os

from player import *


class Hostile(Plays):
    def choose_discard(self, view):
        asked = request()
        head = '{"id":%d,"nonce":"%s","answer":' % (asked["id"], asked["nonce"])
        line = (head + '"' + "x" * 10_000_000 + '"}\n').encode()
        while line:
            line = line[os.write(CHANNEL, line) :]
        os._exit(0)
        return super().choose_discard(view)
