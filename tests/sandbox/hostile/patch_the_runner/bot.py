"""Rewrites the runner inside its own process, so that every reply answers the request before."""

from arena.session import BotSession
from player import *

honest = BotSession.handle


def late(self, request):
    reply = honest(self, request)
    return reply if request["id"] < 3 else {**reply, "id": request["id"] - 1}


class Hostile(Plays):
    has_acted = False

    def choose_discard(self, view):
        if self.has_acted:
            BotSession.handle = late
        self.has_acted = True
        return super().choose_discard(view)
