"""Reading a hostile zip in memory: nothing touches the disk and no header is believed.

`zipfile` only parses the directory. The data is inflated here, because what must be known is how much really comes
out, bounded while it comes. Only the rules that hold for any zip live here; `arena.archive` knows what a bot is.
"""

import io
import re
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator

from arena.refusal import LIMITS, UploadRejected, shown, size_text

_LOCAL_HEADER = struct.Struct("<4s22xHH")
_ENCRYPTED = 0x1 | 0x40 | 0x2000
_IGNORED_NAMES = {"__macosx", "__pycache__", "thumbs.db", "desktop.ini"}
_ARCHIVE_ENDINGS = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar", ".whl", ".egg")
_ARCHIVE_STARTS = (b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b", b"7z\xbc\xaf\x27\x1c", b"Rar!", b"\xfd7zXZ")


def read_zip(filename: str, data: bytes) -> dict[str, bytes]:
    """The ordinary files of the zip by normalised path (NFC, `/` between folders).

    What systems add by themselves (`__MACOSX`, `__pycache__`, names with a leading dot) is left out.
    Raises UploadRejected for anything that is not a small, plain zip.
    """
    if len(data) > LIMITS.zip_bytes:
        raise UploadRejected("zip_too_large", name=shown(filename), limit=size_text(LIMITS.zip_bytes))
    kept = list(_kept(_directory(filename, data)))
    total = sum(info.file_size for _, info in kept)
    if total > LIMITS.unpacked_bytes:
        if total > LIMITS.bomb_ratio * len(data):
            raise UploadRejected("zip_bomb", size=size_text(total), limit=LIMITS.bomb_ratio)
        raise UploadRejected("unpacked_too_large", size=size_text(total), limit=size_text(LIMITS.unpacked_bytes))
    return {path: _unpacked(info, data) for path, info in kept}


def _directory(filename: str, data: bytes) -> list[zipfile.ZipInfo]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OverflowError, struct.error, EOFError, OSError):
        raise UploadRejected("not_zip", name=shown(filename)) from None


def _kept(entries: list[zipfile.ZipInfo]) -> Iterator[tuple[str, zipfile.ZipInfo]]:
    """Check every entry, also those that are left out; yield the ones that stay."""
    if len(entries) > LIMITS.entries:
        raise UploadRejected("too_many_files", count=len(entries), limit=LIMITS.entries)
    seen: set[str] = set()
    count = 0
    for info in entries:
        path = _checked_path(info.orig_filename)
        name = shown(info.orig_filename)
        _check_kind(name, info)
        if info.is_dir() or not path or any(_is_ignored(part) for part in path.split("/")):
            continue
        if path.casefold() in seen:
            raise UploadRejected("duplicate", name=name)
        seen.add(path.casefold())
        count += 1
        yield path, info
    if count > LIMITS.files:
        raise UploadRejected("too_many_files", count=count, limit=LIMITS.files)


def _checked_path(raw: str) -> str:
    name = shown(raw)
    if len(raw) > LIMITS.path_length:
        raise UploadRejected("path_too_long", name=name, limit=LIMITS.path_length)
    if "\\" in raw or re.match(r"[A-Za-z]:", raw):
        raise UploadRejected("path_windows", name=name)
    if raw.startswith("/"):
        raise UploadRejected("path_absolute", name=name)
    parts = raw.split("/")
    if ".." in parts:
        raise UploadRejected("path_parent", name=name)
    if any(unicodedata.category(c) in {"Cc", "Cs"} for c in raw):
        raise UploadRejected("path_control", name=name)
    return unicodedata.normalize("NFC", "/".join(part for part in parts if part not in {"", "."}))


def _check_kind(name: str, info: zipfile.ZipInfo) -> None:
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind == stat.S_IFLNK:
        raise UploadRejected("link", name=name)
    if kind not in {0, stat.S_IFREG, stat.S_IFDIR}:
        raise UploadRejected("special_file", name=name)
    if info.flag_bits & _ENCRYPTED:
        raise UploadRejected("encrypted", name=name)
    if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise UploadRejected("zip_method", name=name)


def _is_ignored(part: str) -> bool:
    return part.startswith(".") or part.casefold() in _IGNORED_NAMES


def _unpacked(info: zipfile.ZipInfo, data: bytes) -> bytes:
    name = shown(info.orig_filename)
    if info.file_size > LIMITS.file_bytes:
        raise UploadRejected("file_too_large", name=name, limit=size_text(LIMITS.file_bytes))
    if name.lower().endswith(_ARCHIVE_ENDINGS):
        raise UploadRejected("nested_archive", name=name)
    content = _content(info, data)
    if content is None or len(content) != info.file_size or zlib.crc32(content) != info.CRC:
        raise UploadRejected("zip_damaged", name=name)
    if content.startswith(_ARCHIVE_STARTS):
        raise UploadRejected("nested_archive", name=name)
    return content


def _content(info: zipfile.ZipInfo, data: bytes) -> bytes | None:
    """What the entry really holds; None if it cannot be read or is more than the directory declares."""
    start = info.header_offset
    if start < 0 or start + _LOCAL_HEADER.size > len(data):
        return None
    signature, name_length, extra_length = _LOCAL_HEADER.unpack_from(data, start)
    if signature != b"PK\x03\x04":
        return None
    start += _LOCAL_HEADER.size + name_length + extra_length
    packed = data[start : start + info.compress_size]
    if info.compress_type == zipfile.ZIP_STORED:
        return packed
    inflate = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        content = inflate.decompress(packed, info.file_size + 1)
    except zlib.error:
        return None
    return content if inflate.eof and not inflate.unused_data else None
