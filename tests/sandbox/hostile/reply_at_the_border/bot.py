"""Sends replies of exactly as many bytes as are allowed, in pieces that end where somebody else's buffer may."""

import os
import time

import sandbox.runner.mind

from player import *

MOST = 16 * 1024
honest = sandbox.runner.mind.encode_reply


def filled(reply):
    line = honest(reply)[:-1].ljust(MOST) + b"\n"
    for start, end in ((0, 1), (1, MOST - 1)):
        os.write(CHANNEL, line[start:end])
        time.sleep(0.001)
    return line[MOST - 1 :]


class Hostile(Plays):
    def start_game(self, start):
        sandbox.runner.mind.encode_reply = filled
