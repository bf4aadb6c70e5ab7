"""Searches its process for the source of the bot it plays against, and the folders for anything like an upload."""

import gc
import os
import sys

from player import *

NAME = "Ta" + "me"


def try_everything():
    if any(NAME in vars(module) for module in list(sys.modules.values()) if hasattr(module, "__dict__")):
        raise Escaped("the opponent's module is here")
    for thing in gc.get_objects():
        if isinstance(thing, dict) and any(
            isinstance(value, str) and f"class {NAME}" in value for value in list(thing.values())
        ):
            raise Escaped("the opponent's source is here")
    for folder in ("/opt/arena", "/usr/lib/python3", "/var/lib", "/srv"):
        for root, _, names in os.walk(folder):
            if "bot.py" in names and "arena/bot.py" not in f"{root}/bot.py":
                raise Escaped(f"an upload lies in {root}")


class Hostile(Plays):
    has_tried = False

    def choose_discard(self, view):
        if not self.has_tried:
            self.has_tried = True
            try_everything()
        return super().choose_discard(view)
