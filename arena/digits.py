"""Whole numbers as people and addresses write them."""

from __future__ import annotations

LARGEST = 2**63 - 1
"""What a column of a database holds at most."""


def whole_number(text: str, *, least: int = 0, most: int = LARGEST) -> int | None:
    """What `text` says in ASCII digits, without a sign; None where it says no number, or one out of bounds.

    Python's int() alone takes digits of every script, spaces and underscores, and raises on more than 4,300 digits.
    """
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(most))):
        return None
    number = int(text)
    return number if least <= number <= most else None
