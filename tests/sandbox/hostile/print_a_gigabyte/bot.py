"""Prints a gigabyte to stdout, stderr and the descriptors below them."""

import os
import sys
from player import *

MEGABYTE = "x" * 2**20


class Hostile(Plays):
    def start_game(self, start):
        for _ in range(300):
            print(MEGABYTE)
            print(MEGABYTE, file=sys.stderr)
            os.write(1, MEGABYTE.encode())
            os.write(2, MEGABYTE.encode())
