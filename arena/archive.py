"""A bot's source, and the door it comes in by: one .py file, or a .zip with several modules.

The host reads bytes and text only. It never compiles, parses, imports or unpickles an upload: syntax, imports and
the bot class are found out inside the sandbox (`arena.checks`).
"""

import hashlib
import io
import json
import keyword
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from types import MappingProxyType

from arena.refusal import LIMITS, SENTENCES, UploadRejected, shown, size_text
from arena.unzip import read_zip

__all__ = ["LIMITS", "BotSource", "UploadRejected", "read_upload", "rules", "shown"]

ENTRY = "bot.py"
_MAX_NAME = 100
_ZIP_START = b"PK\x03\x04"
_TAKEN_MODULES = sys.stdlib_module_names | {"arena"}


@dataclass(frozen=True)
class BotSource:
    """The text of a bot: files by path (`/` between folders), and the module that holds the bot class."""

    files: Mapping[str, str]
    entry: str

    def __post_init__(self) -> None:
        if self.entry not in self.files:
            raise ValueError(f"The entry {self.entry} is not among the files.")
        object.__setattr__(self, "files", MappingProxyType(dict(sorted(self.files.items()))))

    def to_bytes(self) -> bytes:
        """The canonical form: equal sources give equal bytes on every machine."""
        data = {"entry": self.entry, "files": dict(self.files)}
        return json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> "BotSource":
        """Read `to_bytes` back. Raises ValueError when `data` is anything else."""
        try:
            fields = json.loads(data)
            source = cls(files=fields["files"], entry=fields["entry"])
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError("These bytes are not a stored bot source.") from error
        if source.to_bytes() != data or not all(isinstance(text, str) for text in source.files.values()):
            raise ValueError("These bytes are not a bot source in its canonical form.")
        return source

    @cached_property
    def sha256(self) -> str:
        """The fingerprint of `to_bytes`, in hex; what a file is called that is alone does not count."""
        named_alike = BotSource({ENTRY: self.files[self.entry]}, ENTRY) if len(self.files) == 1 else self
        return hashlib.sha256(named_alike.to_bytes()).hexdigest()

    def to_zip(self) -> bytes:
        """All files as a zip that `read_upload` takes back."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for path, text in self.files.items():
                archive.writestr(zipfile.ZipInfo(path), text.encode(), zipfile.ZIP_DEFLATED)
        return out.getvalue()


def read_upload(filename: str, data: bytes) -> BotSource:
    """The source in an uploaded file.

    A single file keeps its name, for there its author finds what a traceback says; one that no folder would take
    (slashes, control characters, 300 letters), or that would hide another module, becomes `bot.py`. In a zip the entry
    is `bot.py` at the top or inside the one top-level folder, else the only module there.

    Raises UploadRejected with the rule that the upload breaks; nothing else comes out of any bytes.
    """
    name = shown(filename)
    ending = filename.strip().lower().rpartition(".")[2]
    if ending not in {"py", "zip"} or "." not in filename:
        raise UploadRejected("extension", name=name)
    if not data.strip():
        raise UploadRejected("empty", name=name)
    if ending == "zip":
        return _from_zip(read_zip(filename, data))
    if len(data) > LIMITS.file_bytes:
        raise UploadRejected("file_too_large", name=name, limit=size_text(LIMITS.file_bytes))
    if data.startswith(_ZIP_START):
        raise UploadRejected("zip_as_py", name=name)
    entry = filename if _may_keep(filename) else ENTRY
    return BotSource({entry: _python(name, data)}, entry)


def rules() -> dict[str, object]:
    """What the check in the browser (`static/js/archive.js`) needs to come to the same sentence, as JSON data."""
    return {
        "limits": asdict(LIMITS),
        "sentences": SENTENCES,
        "keywords": keyword.kwlist,
        "taken": sorted(_TAKEN_MODULES),
    }


def _python(name: str, data: bytes) -> str:
    if b"\0" in data:
        raise UploadRejected("nul", name=name)
    try:
        # With its byte order mark, text read in memory would be a syntax error in its first character.
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UploadRejected("not_utf8", name=name) from None


def _from_zip(raw: dict[str, bytes]) -> BotSource:
    if not any(_is_module(path) for path in raw):
        raise UploadRejected("no_python")
    raw = _without_common_folder(raw)
    files: dict[str, str] = {}
    for path, data in raw.items():
        if _is_module(path):
            _check_module_name(path)
            files[path] = _python(shown(path), data)
        else:
            files[path] = _plain_text(path, data)
    top = [path for path in files if _is_module(path) and "/" not in path]
    if ENTRY in top:
        return BotSource(files, ENTRY)
    if len(top) != 1:
        raise UploadRejected("no_entry")
    return BotSource(files, top[0])


def _may_keep(name: str) -> bool:
    """Whether a single file may go by its own name in tracebacks and in a zip."""
    is_plain = name.isprintable() and len(name) <= _MAX_NAME and not set(name) & set('/\\:*?"<>|')
    is_hidden = name.startswith((".", "__"))
    return is_plain and _is_module(name) and not is_hidden and name.removesuffix(".py") not in _TAKEN_MODULES


def _is_module(path: str) -> bool:
    return path.endswith(".py")


def _without_common_folder(raw: dict[str, bytes]) -> dict[str, bytes]:
    """Zipping a folder, as file managers do, wraps everything in one; the modules import each other without it."""
    folders = {path.partition("/")[0] for path in raw if "/" in path}
    if len(folders) == 1 and all("/" in path for path in raw):
        return {path.partition("/")[2]: data for path, data in raw.items()}
    return raw


def _check_module_name(path: str) -> None:
    parts = path.removesuffix(".py").split("/")
    if not all(part.isidentifier() and not keyword.iskeyword(part) for part in parts):
        raise UploadRejected("module_name", name=shown(path))
    if parts[0] in _TAKEN_MODULES:
        raise UploadRejected("hides_module", name=shown(path))


def _plain_text(path: str, data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise UploadRejected("not_text", name=shown(path))
    return text
