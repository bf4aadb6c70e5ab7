"""What the commands share: their one error, colours and a progress line where a person watches, and cards in print."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO

from arena.cards import Card
from arena.digits import whole_number
from arena.melds import Arrangement
from arena.steps import pretty

RED, GREEN, BOLD, DIM = "31", "32", "1", "2"
RED_SUITS = (1, 3)
_REDRAW_SECONDS = 0.1


class UsageError(Exception):
    """What the user asked for cannot be done; the text is one sentence that says why, perhaps with a traceback."""


def prepare() -> None:
    """Make every character printable, on whatever terminal: a sign that it lacks becomes a question mark.

    Where a shell closed stdout or stderr, what is said there is dropped.
    """
    nowhere = Path(os.devnull)
    sys.stdout = sys.stdout or nowhere.open("w", encoding="utf-8")
    sys.stderr = sys.stderr or nowhere.open("w", encoding="utf-8")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    if sys.platform == "win32":
        os.system("")


def is_watched(stream: IO[str]) -> bool:
    """Whether a person sees what is written, on a terminal that knows colours."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def paint(text: str, code: str) -> str:
    """The text in a colour, if a person reads stdout and has not set NO_COLOR."""
    if not is_watched(sys.stdout) or os.environ.get("NO_COLOR"):
        return text
    return f"\x1b[{code}m{text}\x1b[0m"


def plain(text: str) -> str:
    """A text that a bot's code had a hand in: what would move the cursor, or turn the reading direction, is escaped."""
    return "".join(
        sign if sign.isprintable() or sign in "\n\t" else sign.encode("unicode_escape").decode() for sign in text
    )


def show_card(card: Card) -> str:
    """A card such as 10♥, hearts and diamonds in red; 10h where the terminal has no signs for suits."""
    text = pretty(card)
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        text = text[:-1] + "chsd"[card.suit]
    return paint(text, RED if card.suit in RED_SUITS else BOLD)


def show_cards(cards: Iterable[Card]) -> str:
    """Cards side by side."""
    return " ".join(map(show_card, cards))


def show_hand(arrangement: Arrangement) -> str:
    """A hand, its melds first, and its deadwood in points."""
    groups = [*(show_cards(meld.cards) for meld in arrangement.melds), show_cards(arrangement.deadwood)]
    return f"{' | '.join(filter(None, groups))}  ({arrangement.points})"


class Progress:
    """A line on stderr that counts up and is gone in the end; nothing where nobody watches."""

    def __init__(self, total: int, unit: str) -> None:
        self._total = total
        self._unit = unit
        self._shown = is_watched(sys.stderr)
        self._began = time.monotonic()
        self._drawn = 0.0

    def update(self, done: int, words: str = "") -> None:
        """Show how far it is, with a few words on how it goes."""
        now = time.monotonic()
        if not self._shown or (now - self._drawn < _REDRAW_SECONDS and done < self._total):
            return
        self._drawn = now
        width = 24
        full = width * done // self._total
        left = (now - self._began) / done * (self._total - done) if done else None
        wait = "" if left is None else f", {_duration(left)} left"
        line = f"[{'#' * full}{'.' * (width - full)}] {done}/{self._total} {self._unit}{wait}  {words}"
        columns = shutil.get_terminal_size().columns
        sys.stderr.write(f"\r\x1b[K{line[: columns - 1]}")
        sys.stderr.flush()

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def table(rows: list[list[str]], *, left: int = 1) -> str:
    """Rows as lines: so many columns to the left, the others to the right, each as wide as it must be."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def path_from(text: str) -> Path:
    """A type for argparse. An empty text, which a shell makes of a variable that is not set, would be this folder."""
    if not text:
        raise argparse.ArgumentTypeError("an empty text names nothing; this folder is a dot.")
    return Path(text)


def number_from(low: int, high: int, what: str) -> Callable[[str], int]:
    """A type for argparse: a whole number within bounds, such as "a number of pairs"."""

    def read(text: str) -> int:
        number = whole_number(text, least=low, most=high)
        if number is None:
            raise argparse.ArgumentTypeError(f"{text!r} is not {what} from {low} to {high}.")
        return number

    return read
