"""Asks for a hundred gigabytes at once."""

from player import *

hoard = bytearray(100 * 1024**3)


class Hostile(Plays):
    pass
