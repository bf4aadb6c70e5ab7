"""Writes a reply with a nonce it has made up, before its own."""

import os

from player import *


class Hostile(Plays):
    def choose_discard(self, view):
        os.write(CHANNEL, b'{"id":1,"nonce":"0123456789abcdef","answer":null}\n')
        return super().choose_discard(view)
