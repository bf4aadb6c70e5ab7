"""Computes for ever as soon as it is imported."""

while True:
    pass
