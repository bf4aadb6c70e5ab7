"""Replies with a number whose exponent would fill the memory of whoever computes it."""

import os

from player import *


class Hostile(Plays):
    def choose_discard(self, view):
        asked = request()
        line = (
            '{"id":%d,"nonce":"%s","answer":1e999999999}\n' % (asked["id"], asked["nonce"])
        ).encode()
        while line:
            line = line[os.write(CHANNEL, line) :]
        os._exit(0)
        return super().choose_discard(view)
