"""Sends its reply itself and goes on computing while the opponent thinks."""

import json
import os

from arena.actions import format_action

from player import *


class Hostile(Plays):
    def choose_discard(self, view):
        discard = super().choose_discard(view)
        asked = request()
        reply = {"id": asked["id"], "nonce": asked["nonce"], "answer": format_action(discard)}
        os.write(CHANNEL, json.dumps(reply).encode() + b"\n")
        while True:
            pass
        return super().choose_discard(view)
