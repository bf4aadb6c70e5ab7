"""Says that it printed brackets inside brackets."""

import os

from player import *


class Hostile(Plays):
    def choose_discard(self, view):
        asked = request()
        head = '{"id":%d,"nonce":"%s","answer":null,"log":' % (asked["id"], asked["nonce"])
        os.write(CHANNEL, (head + 2000 * '{"":[' + 2000 * "]}" + "}\n").encode())
        os._exit(0)
