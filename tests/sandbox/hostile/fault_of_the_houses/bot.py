"""Says that it failed in a way that only the arena can see."""

import json
import os

from player import *


class Hostile(Plays):
    def choose_discard(self, view):
        asked = request()
        error = {"kind": "crash", "message": "The arena failed."}
        os.write(CHANNEL, json.dumps({"id": asked["id"], "nonce": asked["nonce"], "error": error}).encode() + b"\n")
        os._exit(0)
