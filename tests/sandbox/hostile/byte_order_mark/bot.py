"""Puts a byte order mark before an otherwise well-formed reply."""

import os

from player import *


class Hostile(Plays):
    def choose_discard(self, view):
        asked = request()
        line = b"\xef\xbb\xbf" + (
            '{"id":%d,"nonce":"%s","answer":null}\n' % (asked["id"], asked["nonce"])
        ).encode()
        while line:
            line = line[os.write(CHANNEL, line) :]
        os._exit(0)
        return super().choose_discard(view)
