"""What an upload may be, and the sentence for each rule it can break.

The browser checks an upload before it is sent and the server checks it again: both speak from this one table
(`static/js/archive.js` receives it with the page), so an author reads the same sentence from either.
"""

import unicodedata
from dataclasses import dataclass

KIB = 1024
MIB = 1024 * KIB


@dataclass(frozen=True)
class UploadLimits:
    """Sizes in bytes, lengths in characters."""

    file_bytes: int = 256 * KIB
    """One file, packed in a zip or alone. `ast.parse` of 2 MB took seconds: slow parsing is cut off here."""
    zip_bytes: int = 1 * MIB
    """A zip as it arrives."""
    unpacked_bytes: int = 4 * MIB
    """All files of a zip together."""
    files: int = 100
    entries: int = 1000
    """Entries of a zip with folders and ignored files, which cost time although nothing of them is kept."""
    path_length: int = 200
    bomb_ratio: int = 100
    """A zip that unpacks to more than `unpacked_bytes` and this many times its own size is called a bomb."""
    shown_name: int = 100
    """File names are shortened to this for display."""


LIMITS = UploadLimits()

SENTENCES = {
    "extension": "“{name}” is neither a .py file nor a .zip. Upload one Python file, or a zip with several modules.",
    "empty": "“{name}” is empty. Choose the file that holds your bot.",
    "file_too_large": "“{name}” is larger than {limit}, the most for one file. Split it into modules.",
    "zip_too_large": "“{name}” is larger than {limit}, the most for a zip. Leave out what the bot does not need.",
    "zip_as_py": "“{name}” is a zip archive with the ending .py. Give it the ending .zip and upload it again.",
    "nul": "“{name}” holds NUL bytes, so it is not Python. Upload the source text of your bot, saved as UTF-8.",
    "not_utf8": "“{name}” is not UTF-8 text, so it cannot be read as Python. Save it as UTF-8 and upload it again.",
    "not_zip": "“{name}” is not a zip archive, or it is cut short. Make the zip again and upload it.",
    "zip_damaged": "“{name}” in the zip is damaged and cannot be unpacked. Make the zip again and upload it.",
    "zip_method": "“{name}” is packed by a method other than deflate. Make the zip again with your system's own tool.",
    "encrypted": "“{name}” in the zip is encrypted. Make the zip again without a password.",
    "zip_bomb": "The zip unpacks to {size}, over {limit} times its size, as a zip bomb does. Upload only your source.",
    "unpacked_too_large": "The zip unpacks to {size}; at most {limit} may be. Leave out what the bot does not need.",
    "too_many_files": "The zip holds {count} files; at most {limit} are allowed. Leave out what the bot does not need.",
    "nested_archive": "“{name}” is an archive inside the zip. Put the files themselves into the zip.",
    "path_parent": "“{name}” leads out of the zip with “..”. Make the zip from inside your bot's folder.",
    "path_absolute": "“{name}” is an absolute path. Make the zip from inside your bot's folder.",
    "path_windows": "“{name}” holds a backslash or a drive letter. Make the zip with paths like folder/module.py.",
    "path_control": "“{name}” holds a control character. Rename that file and make the zip again.",
    "path_too_long": "“{name}” is a path of over {limit} characters. Give the file or its folders shorter names.",
    "link": "“{name}” in the zip is a link. Put the file itself into the zip.",
    "special_file": "“{name}” in the zip is not an ordinary file. Leave it out.",
    "duplicate": "The zip holds “{name}” twice (upper and lower case count as the same). Keep one of them.",
    "not_text": "“{name}” is not UTF-8 text. A zip may hold Python modules and text files only.",
    "module_name": "“{name}” cannot be imported. Name modules and folders with letters, digits and underscores.",
    "hides_module": "“{name}” has the name of a module that Python or the arena brings along. Give it another name.",
    "no_python": "The zip holds no .py file. Put your bot's module into it, named bot.py.",
    "no_entry": "It is not clear which module is your bot. Name the file with your bot class bot.py, at the zip's top.",
}


class UploadRejected(Exception):  # noqa: N818 - a refusal, not an error
    """The upload breaks the rule `code`; `message` says what was wrong and what to do."""

    def __init__(self, code: str, **details: str | int) -> None:
        self.code = code
        self.message = SENTENCES[code].format(**details)
        super().__init__(self.message)


def shown(name: str, length: int = LIMITS.shown_name) -> str:
    """`name` fit to be read: composed accents, no control characters, at most `length` with its ending kept."""
    clean = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in unicodedata.normalize("NFC", name))
    if len(clean) <= length:
        return clean
    tail = min(20, length // 3)
    return f"{clean[: length - tail - 1]}…{clean[-tail:]}"


def size_text(size: int) -> str:
    """A size in bytes for people: 12 bytes, 3 KiB, 4.2 MiB."""
    if size < KIB:
        return f"{size} bytes"
    for unit, name in ((MIB * KIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if size >= unit:
            tenths = size * 10 // unit
            return f"{tenths // 10} {name}" if tenths % 10 == 0 else f"{tenths // 10}.{tenths % 10} {name}"
    raise AssertionError(size)
