"""Sends its reply, and then lets the runner send it again."""

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
        return discard
        return super().choose_discard(view)
