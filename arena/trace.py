"""Tracebacks as an author wants them: the upload's own frames, with paths inside the upload and source lines.

Python's own `traceback` would cost a box a tenth of its start, for what few bots ever need.
"""

from __future__ import annotations

from itertools import groupby

from arena.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    _Frame = tuple[str, int | None, str]
    """File, line and function."""

MAX_FRAMES = 40
"""Frames shown; of a longer chain, the first and last halves."""
_MOST_REPEATED = 3
"""Times that the same line is shown, one after the other; as in Python's own tracebacks."""


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


def trace_of(error: BaseException, prefix: str, files: Mapping[str, str] | None) -> Trace:
    """The trace of `error` in the upload whose file names begin with `prefix` and whose sources are `files`.

    A bot that is no upload lies on the disk: then the prefix is "", and there are no files.
    """
    try:
        frames = _own_frames(error, prefix)
        lines = _syntax_lines(error, prefix) if isinstance(error, SyntaxError) else []
    except BaseException:
        return Trace(describe(error), None, None)
    file, line = _place(error, prefix) or (frames[-1][:2] if frames else (None, None))
    shown: list[str] = []
    if frames:
        shown.append("Traceback (most recent call last):\n")
        if len(frames) > MAX_FRAMES:
            half = MAX_FRAMES // 2
            shown += _format(frames[:half], files)
            shown.append(f"  ... {len(frames) - 2 * half} more frames ...\n")
            frames = frames[-half:]
        shown += _format(frames, files)
    shown += lines
    shown.append(describe(error) if not lines else f"{type(error).__name__}: {error.msg}")  # type: ignore[attr-defined]
    return Trace("".join(shown), file, line)


def _own_frames(error: BaseException, prefix: str) -> list[_Frame]:
    frames: list[_Frame] = []
    step = error.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        if code.co_filename.startswith(prefix):
            frames.append((code.co_filename.removeprefix(prefix), step.tb_lineno, code.co_name))
        step = step.tb_next
    return frames


def _format(frames: Sequence[_Frame], files: Mapping[str, str] | None) -> Iterator[str]:
    """The frames with their source lines; of a call that calls itself the first few, and how many more there were."""
    for frame, run in groupby(frames):
        file, line, function = frame
        source = _source_line(file, line, files)
        text = f'  File "{file}", line {line}, in {function}\n' + (f"    {source}\n" if source else "")
        times = len(list(run))
        yield text * min(times, _MOST_REPEATED)
        if (more := times - _MOST_REPEATED) > 0:
            yield f"  [Previous line repeated {more} more time{'s' if more > 1 else ''}]\n"


def _source_line(file: str, line: int | None, files: Mapping[str, str] | None) -> str:
    """Without the space around it; '' where it is not known."""
    if line is None:
        return ""
    if files is None:
        from linecache import getline  # slow to import, and never needed in a sandbox

        return getline(file, line).strip()
    lines = files.get(file, "").splitlines()
    return lines[line - 1].strip() if 0 < line <= len(lines) else ""


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
