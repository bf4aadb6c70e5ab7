"""Has Python itself call it wherever the runner works: tracing, profiling, audits, the collector, finalizers, exits."""

import atexit
import faulthandler
import gc
import sys
import threading
import weakref

from player import *


class Last:
    def __del__(self):
        Hostile.called = True


class Hostile(Plays):
    called = False

    def choose_discard(self, view):
        def stay(*_):
            while True:
                pass

        cycle = Last()
        cycle.itself = cycle
        weakref.finalize(cycle, stay)
        atexit.register(stay)
        faulthandler.disable()
        threading.settrace(stay)
        gc.callbacks.append(stay)
        sys.unraisablehook = sys.excepthook = stay
        sys.addaudithook(stay)
        sys.settrace(stay)
        sys.setprofile(stay)
        return super().choose_discard(view)
