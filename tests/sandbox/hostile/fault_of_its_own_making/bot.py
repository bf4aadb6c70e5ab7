"""Tells of a fault itself, in all that such a report can hold, as large and as strange as it can be."""

import json
import os

from player import *

STRANGE = "\x1b]0;owned\x07\x1b[2J\u202e<script>alert(1)</script>\r\n\0"


class Hostile(Plays):
    def choose_discard(self, view):
        asked = request()
        error = {"kind": "start", "message": STRANGE * 60, "traceback": STRANGE * 60, "file": "../" * 300,
                 "line": 10**15 - 1, "code": STRANGE * 30}
        reply = {"id": asked["id"], "nonce": asked["nonce"], "error": error, "log": STRANGE * 60, "truncated": True}
        os.write(CHANNEL, json.dumps(reply, ensure_ascii=False).encode() + b"\n")
        os._exit(0)
