"""Sends a reply of one byte more than is allowed."""

import sandbox.runner.mind

from player import *

honest = sandbox.runner.mind.encode_reply


class Hostile(Plays):
    def choose_discard(self, view):
        sandbox.runner.mind.encode_reply = lambda reply: honest(reply)[:-1].ljust(16 * 1024 + 1) + b"\n"
        return super().choose_discard(view)
