"""Opens terminals in the first game; their numbers would run on in the second."""

import os

from player import *

HELD = []


def open_terminal():
    """The highest number there is afterwards, or None."""
    try:
        HELD.append(os.open("/dev/ptmx", os.O_RDONLY))
        return max(int(name) for name in os.listdir("/dev/pts") if name.isdigit())
    except (OSError, ValueError):
        return None


if open_terminal() not in (None, 0):
    raise Escaped("terminals were opened here before")


class Hostile(Plays):
    def choose_discard(self, view):
        open_terminal()
        return super().choose_discard(view)
