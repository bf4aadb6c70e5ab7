"""Hypothesis counts examples here, not milliseconds: exhaustive search takes its time on a busy machine."""

from hypothesis import settings

settings.register_profile("arena", deadline=None)
settings.load_profile("arena")
