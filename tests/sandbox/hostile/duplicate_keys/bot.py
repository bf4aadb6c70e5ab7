"""Names its answer twice, once so that it is legal and once so that it is not."""

import os

from player import *


class Hostile(Plays):
    def choose_discard(self, view):
        asked = request()
        line = (
            '{"id":%d,"nonce":"%s","answer":null,"answer":"none"}\n' % (asked["id"], asked["nonce"])
        ).encode()
        while line:
            line = line[os.write(CHANNEL, line) :]
        os._exit(0)
        return super().choose_discard(view)
