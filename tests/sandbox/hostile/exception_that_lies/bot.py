"""Raises exceptions in a circle, whose class has no name and which fail whenever they are looked at."""

from player import *


class Nameless(type):
    __name__ = property(lambda cls: 1 / 0)


class Text(str):
    def split(self, *_):
        raise SystemExit


class Trap(Exception, metaclass=Nameless):
    __class__ = property(lambda self: 1 / 0)
    __traceback__ = property(lambda self: 1 / 0)

    def __str__(self):
        return Text("x" * 10**6)


class Hostile(Plays):
    def choose_discard(self, view):
        first, second = Trap(), Trap()
        first.__cause__, second.__cause__ = second, first
        first.__context__, second.__context__ = second, first
        raise first
