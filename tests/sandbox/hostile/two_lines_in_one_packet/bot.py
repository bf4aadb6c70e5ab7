"""Sends its reply and another line in one piece."""

import sandbox.runner.mind

from player import *

honest = sandbox.runner.mind.encode_reply


class Hostile(Plays):
    def choose_discard(self, view):
        sandbox.runner.mind.encode_reply = lambda reply: 2 * honest(reply)
        return super().choose_discard(view)
