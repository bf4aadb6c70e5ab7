"""Python source as a page shows it: escaped, with its words in colour, and with nothing that only looks like code."""

from __future__ import annotations

import io
import keyword
import re
import tokenize
from dataclasses import dataclass

from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe

from arena.archive import BotSource

LONGEST = 60_000
"""Characters of all files together beyond which a page shows no more: what is left is there to download."""
_HIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
"""Characters that no reader sees, or that turn the order of what he reads."""
_KINDS = {tokenize.COMMENT: "comment", tokenize.STRING: "string", tokenize.NUMBER: "number"}


@dataclass(frozen=True)
class Listing:
    """One file of a source."""

    name: str
    code: SafeString
    is_entry: bool
    """Whether the bot's class is looked for in it."""
    is_cut: bool
    """Whether only its beginning is here."""


def listings(source: BotSource) -> list[Listing]:
    """The files of a source, the entry first, LONGEST characters at most in all."""
    left = LONGEST
    found = []
    for name in sorted(source.files, key=lambda name: (name != source.entry, name)):
        text = source.files[name]
        found.append(Listing(name, highlighted(text[:left]), name == source.entry, len(text) > left))
        left = max(0, left - len(text))
    return found


def highlighted(text: str) -> SafeString:
    """The text as HTML; in colour as far as it reads as Python."""
    text = _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text.replace("\r\n", "\n"))
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    pieces: list[str] = []
    done = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.ERRORTOKEN:
                break  # no Python: a line of quotes that nothing closes would cost its length for each of them
            kind = _KINDS.get(token.type)
            if token.type == tokenize.NAME and keyword.iskeyword(token.string):
                kind = "keyword"
            if kind is None:
                continue
            start, end = starts[token.start[0] - 1] + token.start[1], starts[token.end[0] - 1] + token.end[1]
            pieces += [
                conditional_escape(text[done:start]),
                format_html('<span class="code-{}">{}</span>', kind, text[start:end]),
            ]
            done = end
    except (tokenize.TokenError, SyntaxError):
        pass  # a rejected version, or one that is cut off: the rest stays plain
    pieces.append(conditional_escape(text[done:]))
    return mark_safe("".join(pieces))
