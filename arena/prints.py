"""What a bot printed in one game, cut at the moves that it came with."""

from __future__ import annotations

from collections.abc import Sequence

Mark = tuple[int, int]
"""A step of the game as `arena.steps` numbers them, and how much of the log, in characters, was there before it."""


def prints_of(log: str, marks: Sequence[Mark]) -> list[tuple[int | None, str]]:
    """The log in parts, each with the step it came with; a log without marks is one part, of no step that is known.

    What came with step 0 was printed while the bot was loaded and started, with a fault what led to it, with the last
    step of a finished game also what came after it.
    """
    if not marks:
        return [(None, log)] if log else []
    ends = [*(before for _, before in marks[1:]), len(log)]
    return [(step, log[before:end]) for (step, before), end in zip(marks, ends, strict=True)]
