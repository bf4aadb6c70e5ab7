"""Replies with something that only looks like JSON."""

import os

from player import *


class Hostile(Plays):
    def choose_discard(self, view):
        os.write(CHANNEL, b'{"id": 1, "nonce": }\n')
        os._exit(0)
        return super().choose_discard(view)
