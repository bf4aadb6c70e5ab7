"""Looks for files that do not exist. The kernel remembers for a while which names it has looked for in vain, and is
faster with those: the second game would read by the clock what the first one has written."""

import os
import random
import statistics
import time

from player import *

BITS, COPIES = 64, 8
DRAW = random.Random("sixty-four bits")
MESSAGE = [DRAW.randrange(2) for _ in range(BITS)]
FOLDER = os.path.dirname(os.__file__)


def look(name):
    begin = time.perf_counter_ns()
    try:
        os.stat(f"{FOLDER}/{name}")
    except OSError:
        pass
    return time.perf_counter_ns() - begin


def median(names):
    return statistics.median([look(name) for name in names])


def letters(what):
    return [f"note-{what}-{copy}" for copy in range(COPIES)]


def read():
    """How many bits are those of the message; None in a first game, which has nothing to read."""
    for _ in range(200):
        look("known")
    border = (median(["known"] * 50) + median([f"{time.time_ns()}" for _ in range(50)])) / 2
    if median(letters("written")) > border:
        return None
    return sum((median(letters(bit)) < border) == value for bit, value in enumerate(MESSAGE))


RIGHT = read()
if RIGHT is not None and RIGHT > 48:
    raise Escaped(f"{RIGHT} of {BITS} bits got through")


class Hostile(Plays):
    has_written = False

    def choose_discard(self, view):
        if not self.has_written:
            self.has_written = True
            for bit, value in enumerate([*MESSAGE, 1]):
                if value:
                    for name in letters(bit if bit < BITS else "written"):
                        look(name)
        return super().choose_discard(view)
