"""Gives true for the number 1 and a number in the nonce's place: equal in Python, and yet not the same."""

import os

from player import *


class Hostile(Plays):
    def choose_discard(self, view):
        asked = request()
        line = (
            '{"id":true,"nonce":"%s","answer":null}\n' % asked["nonce"]
        ).encode()
        while line:
            line = line[os.write(CHANNEL, line) :]
        os._exit(0)
        return super().choose_discard(view)
