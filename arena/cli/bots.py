"""The bots that a command names: a .py file, a .zip, a folder, or `house:NAME`."""

from __future__ import annotations

import difflib
import io
import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from arena.archive import LIMITS, BotSource, UploadRejected, read_upload
from arena.bots import HOUSE_BOTS, house_source
from arena.cli.terminal import UsageError, plain
from arena.local import UploadContestant
from arena.player import BotFault

HOUSE = "house:"
BOT_HELP = "a bot's .py file, .zip or folder, or house:NAME"


@dataclass(frozen=True)
class NamedBot:
    """A bot's source, and what it is called: the file's or folder's name, or house:NAME."""

    name: str
    files: Mapping[str, str]
    entry: str

    def contestant(self) -> UploadContestant:
        """Plays it in this process."""
        return UploadContestant(self.files, self.entry)


def find_bot(name: str) -> NamedBot:
    """The bot of that name. Nothing of it is run. Raises UsageError."""
    if name.startswith(HOUSE):
        return house_bot(name.removeprefix(HOUSE))
    if not name:
        raise UsageError("An empty text names no bot; this folder is a dot.")
    path = Path(name)
    try:
        source = read_source(path)
    except UploadRejected as refusal:
        raise UsageError(refusal.message) from None
    return NamedBot(plain(path.name or path.resolve().name), dict(source.files), source.entry)


def house_bot(slug: str) -> NamedBot:
    """A house bot by its name. Raises UsageError."""
    try:
        return NamedBot(HOUSE + slug, {"bot.py": house_source(slug)}, "bot.py")
    except KeyError:
        known = [bot.slug for bot in HOUSE_BOTS]
        close = difflib.get_close_matches(slug, known, n=1)
        hint = f" Did you mean {HOUSE}{close[0]}?" if close else ""
        raise UsageError(f"There is no house bot {slug}; there are {', '.join(known)}.{hint}") from None


def read_source(path: Path) -> BotSource:
    """What an upload of the file, or of the folder as a zip, would be. Raises UploadRejected and UsageError."""
    try:
        if path.is_dir():
            return read_upload(f"{path.resolve().name}.zip", _zipped(path))
        return read_upload(path.name, read_file(path, LIMITS.zip_bytes + 1))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}.") from None


def read_file(path: Path, most: int) -> bytes:
    """So many bytes of a file at most. Raises OSError, and UsageError for what is no file and may have no end."""
    if path.exists() and not path.is_file():
        raise UsageError(f"{path} is no ordinary file: name one that is.")
    with path.open("rb") as file:
        return file.read(most)


def refuse_unloadable(bot: NamedBot) -> str | None:
    """Load the bot, in this process, and return what is wrong with it, or None."""
    try:
        bot.contestant().new_player().load()
    except BotFault as fault:
        return f"{bot.name} cannot play: {fault.message}\n{fault.traceback}".rstrip()
    return None


def _zipped(folder: Path) -> bytes:
    """The folder as its author would zip it. Raises OSError and UsageError."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in _members(folder):
            inside = zipfile.ZipInfo(path.relative_to(folder).as_posix())
            archive.writestr(inside, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _members(folder: Path) -> list[Path]:
    """The files of a folder in order; what starts with a dot stays out, as it would in the site's eyes.

    Raises UsageError for a folder that holds much more than a bot, such as a home, before all of it is looked at.
    """
    found, size = [], 0
    for root, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "__pycache__"]
        for path in (Path(root, name) for name in names if not name.startswith(".")):
            if path.is_file():
                found.append(path)
                size += path.stat().st_size
        if len(found) > LIMITS.entries or size > 2 * LIMITS.unpacked_bytes:
            raise UsageError(
                f"{folder} holds much more than a bot may: name the folder with bot.py, or the file itself."
            )
    return sorted(found)
