"""Tracebacks as an author wants them: the upload's own frames, with paths inside the upload and source lines."""

from __future__ import annotations

import traceback

from arena.value import Value

MAX_FRAMES = 40
"""Frames shown; of a longer chain, the first and last halves."""


class Trace(Value):
    """Where in an upload an exception came from."""

    text: str
    """As Python prints it, without the frames that are not the upload's."""
    file: str | None
    """Path inside the upload of the innermost frame there, or None when the upload has no frame in it."""
    line: int | None
    """Line in `file`, counted from 1."""


def describe(error: BaseException) -> str:
    """The exception on one line, such as "KeyError: 'x'", whatever its own `__str__` does."""
    name = type(error).__name__
    try:
        text = " ".join(str(error).split())
    except BaseException:
        text = "(an exception whose text cannot be shown)"
    return f"{name}: {text[:300]}" if text else name


def trace_of(error: BaseException, prefix: str) -> Trace:
    """The trace of `error` in the upload whose file names begin with `prefix`."""
    try:
        frames = _own_frames(error, prefix)
        lines = _syntax_lines(error, prefix) if isinstance(error, SyntaxError) else []
    except BaseException:
        return Trace(describe(error), None, None)
    file, line = _place(error, prefix) or ((frames[-1].filename, frames[-1].lineno) if frames else (None, None))
    shown: list[str] = []
    if frames:
        shown.append("Traceback (most recent call last):\n")
        if len(frames) > MAX_FRAMES:
            half = MAX_FRAMES // 2
            shown += traceback.StackSummary.from_list(frames[:half]).format()
            shown.append(f"  ... {len(frames) - 2 * half} more frames ...\n")
            frames = frames[-half:]
        shown += traceback.StackSummary.from_list(frames).format()
    shown += lines
    shown.append(describe(error) if not lines else f"{type(error).__name__}: {error.msg}")  # type: ignore[attr-defined]
    return Trace("".join(shown), file, line)


def _own_frames(error: BaseException, prefix: str) -> list[traceback.FrameSummary]:
    frames = traceback.StackSummary.extract(traceback.walk_tb(error.__traceback__), lookup_lines=False)
    return [
        traceback.FrameSummary(frame.filename.removeprefix(prefix), frame.lineno, frame.name, line=frame.line or "")
        for frame in frames
        if frame.filename.startswith(prefix)
    ]


def _place(error: BaseException, prefix: str) -> tuple[str, int | None] | None:
    """A syntax error names its own place."""
    if isinstance(error, SyntaxError) and error.filename and error.filename.startswith(prefix):
        return error.filename.removeprefix(prefix), error.lineno
    return None


def _syntax_lines(error: SyntaxError, prefix: str) -> list[str]:
    """The line of a syntax error and a caret below it."""
    if not error.filename or not error.filename.startswith(prefix):
        return []
    lines = [f'  File "{error.filename.removeprefix(prefix)}", line {error.lineno}\n']
    if error.text:
        text = error.text.rstrip()
        lines.append(f"    {text.lstrip()}\n")
        if error.offset:
            lines.append("    " + " " * max(0, error.offset - 1 - (len(text) - len(text.lstrip()))) + "^\n")
    return lines
