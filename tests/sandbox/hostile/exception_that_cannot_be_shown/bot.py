"""Raises an exception whose text raises another."""

from player import *


class Trap(BaseException):
    def __str__(self):
        raise SystemExit

    __repr__ = __str__


class Hostile(Plays):
    def choose_discard(self, view):
        raise Trap
        return super().choose_discard(view)
