"""Uploads that must be refused, as real files, each with the rule it breaks, for the tests of server and browser."""

import io
import random
import stat
import struct
import warnings
import zipfile
from dataclasses import dataclass

GOOD = b"from arena import Bot\n\nclass Mine(Bot):\n    pass\n"


@dataclass(frozen=True)
class Refused:
    """A file that is no bot."""

    filename: str
    data: bytes
    code: str
    says: str
    """A part of the sentence."""


def zipped(files: dict[str, bytes], *, compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An ordinary zip."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def _entry(name: str, data: bytes = b"x = 1\n", *, mode: int = 0, system: int = 3, flags: int = 0) -> bytes:
    """A zip with bot.py and one entry that an ordinary tool would not make."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("bot.py", GOOD)
        info = zipfile.ZipInfo("placeholder")
        info.filename = name
        info.create_system = system
        info.external_attr = mode << 16
        archive.writestr(info, data)
    raw = bytearray(out.getvalue())
    if flags:
        # The flags of the last entry, in its central header.
        at = raw.rindex(b"PK\x01\x02")
        raw[at + 8 : at + 10] = struct.pack("<H", flags)
    return bytes(raw)


def _twice(first: str, second: str) -> bytes:
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w") as archive:
        warnings.simplefilter("ignore")  # of the duplicate
        for name in ("bot.py", first, second):
            info = zipfile.ZipInfo("placeholder")
            info.filename = name
            archive.writestr(info, GOOD)
    return out.getvalue()


def lying_bomb() -> bytes:
    """A megabyte that its headers declare as ten bytes."""
    raw = bytearray(zipped({"bot.py": GOOD, "zeros.txt": bytes(1024 * 1024)}))
    for signature, size_at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = raw.rindex(signature)
        raw[at + size_at : at + size_at + 4] = struct.pack("<I", 10)
    return bytes(raw)


def declared_bomb() -> bytes:
    """About 200 KiB that unpack to 198 MiB."""
    # Packed once: every entry is the same but for its name and, in its central header, its place.
    one = zipped({"zeros00.txt": bytes(2 * 1024 * 1024)})
    middle, end = one.rindex(b"PK\x01\x02"), one.rindex(b"PK\x05\x06")
    entries, headers = bytearray(), bytearray()
    for number in range(99):
        name = b"zeros%02d.txt" % number
        header = bytearray(one[middle:end].replace(b"zeros00.txt", name))
        header[42:46] = struct.pack("<I", len(entries))
        headers += header
        entries += one[:middle].replace(b"zeros00.txt", name)
    counts = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 99, 99, len(headers), len(entries), 0)
    return bytes(entries + headers + counts)


def _dull_text(length: int) -> bytes:
    """Text that packs about ten times: too well for its size, too badly for a bomb."""
    digits = random.Random(7)
    return b"".join(b"%d aaaaaaaaaaaaaaaaaaaaaaaaa\n" % digits.randrange(10**6) for _ in range(length // 30))[:length]


def _damaged() -> bytes:
    raw = bytearray(zipped({"bot.py": GOOD * 50}))
    raw[45] ^= 0xFF
    return bytes(raw)


KIB = 1024
REFUSED = [
    Refused("bot.txt", GOOD, "extension", "“bot.txt” is neither a .py file nor a .zip"),
    Refused("bot", GOOD, "extension", "“bot” is neither"),
    Refused("bot.tar.gz", b"\x1f\x8b\x08", "extension", "neither a .py file nor a .zip"),
    Refused("bot.py", b"", "empty", "“bot.py” is empty"),
    Refused("bot.py", b" \n\n", "empty", "“bot.py” is empty"),
    Refused("bot.zip", b"", "empty", "“bot.zip” is empty"),
    Refused("bot.py", b"x = 1\n" * 50_000, "file_too_large", "“bot.py” is larger than 256 KiB"),
    Refused("photo.py", b"\x89PNG\r\n\x1a\n\x00\x00", "nul", "holds NUL bytes, so it is not Python"),
    Refused("bot.py", "x = 1\n".encode("utf-16"), "nul", "saved as UTF-8"),
    Refused("bot.py", "näme = 1\n".encode("latin-1"), "not_utf8", "is not UTF-8 text"),
    Refused("bot.py", zipped({"bot.py": GOOD}), "zip_as_py", "is a zip archive with the ending .py"),
    Refused("bot.zip", GOOD, "not_zip", "is not a zip archive, or it is cut short"),
    Refused("bot.zip", b"P", "not_zip", "is not a zip archive, or it is cut short"),
    Refused("bot.zip", zipped({"bot.py": GOOD})[:-5], "not_zip", "is not a zip archive, or it is cut short"),
    Refused("bot.zip", _damaged(), "zip_damaged", "“bot.py” in the zip is damaged"),
    Refused("bot.zip", lying_bomb(), "zip_damaged", "“zeros.txt” in the zip is damaged"),
    Refused("bot.zip", declared_bomb(), "zip_bomb", "The zip unpacks to 198 MiB, over 100 times its size"),
    Refused(
        "bot.zip",
        zipped({"bot.py": GOOD, "big.txt": b"a" * 300 * KIB}),
        "file_too_large",
        "“big.txt” is larger than 256 KiB",
    ),
    Refused(
        "bot.zip",
        zipped({"bot.py": GOOD, **dict.fromkeys([f"t{n}.txt" for n in range(18)], _dull_text(250 * KIB))}),
        "unpacked_too_large",
        "The zip unpacks to 4.3 MiB; at most 4 MiB may be",
    ),
    Refused("bot.zip", bytes(1024 * KIB) + zipped({"bot.py": GOOD}), "zip_too_large", "larger than 1 MiB"),
    Refused(
        "bot.zip",
        zipped({"bot.py": GOOD, **{f"m{n}.py": GOOD for n in range(100)}}),
        "too_many_files",
        "holds 101 files; at most 100",
    ),
    Refused(
        "bot.zip",
        zipped({"bot.py": GOOD, "inner.zip": zipped({"a.py": GOOD})}),
        "nested_archive",
        "“inner.zip” is an archive inside the zip",
    ),
    Refused(
        "bot.zip",
        zipped({"bot.py": GOOD, "data.txt": zipped({"a.py": GOOD})}),
        "nested_archive",
        "“data.txt” is an archive inside the zip",
    ),
    Refused("bot.zip", _entry("../evil.py"), "path_parent", "“../evil.py” leads out of the zip"),
    Refused("bot.zip", _entry("a/../../evil.py"), "path_parent", "leads out of the zip with “..”"),
    Refused("bot.zip", _entry("/etc/passwd"), "path_absolute", "“/etc/passwd” is an absolute path"),
    Refused("bot.zip", _entry("C:/evil.py"), "path_windows", "“C:/evil.py” holds a backslash or a drive letter"),
    Refused("bot.zip", _entry("folder\\evil.py"), "path_windows", "holds a backslash or a drive letter"),
    Refused("bot.zip", _entry("a\x07b.py"), "path_control", "holds a control character"),
    Refused("bot.zip", _entry("a" * 300 + ".py"), "path_too_long", "is a path of over 200 characters"),
    Refused(
        "bot.zip",
        _entry("link.py", b"/etc/passwd", mode=stat.S_IFLNK | 0o777),
        "link",
        "“link.py” in the zip is a link",
    ),
    Refused(
        "bot.zip",
        _entry("link.py", b"/etc/passwd", mode=stat.S_IFLNK | 0o777, system=0),
        "link",
        "“link.py” in the zip is a link",
    ),
    Refused("bot.zip", _entry("pipe", b"", mode=stat.S_IFIFO | 0o644), "special_file", "is not an ordinary file"),
    Refused("bot.zip", _entry("secret.py", flags=1), "encrypted", "“secret.py” in the zip is encrypted"),
    Refused("bot.zip", zipped({"bot.py": GOOD}, compression=zipfile.ZIP_LZMA), "zip_method", "other than deflate"),
    Refused("bot.zip", _twice("helper.py", "helper.py"), "duplicate", "holds “helper.py” twice"),
    Refused("bot.zip", _twice("helper.py", "Helper.py"), "duplicate", "holds “Helper.py” twice"),
    Refused(
        "bot.zip", zipped({"bot.py": GOOD, "cards.png": b"\x89PNG\0"}), "not_text", "“cards.png” is not UTF-8 text"
    ),
    Refused("bot.zip", zipped({"bot.py": b"# \xff"}), "not_utf8", "“bot.py” is not UTF-8 text"),
    Refused("bot.zip", zipped({"bot.py": b"\0"}), "nul", "“bot.py” holds NUL bytes"),
    Refused(
        "bot.zip", zipped({"bot.py": GOOD, "my helper.py": GOOD}), "module_name", "“my helper.py” cannot be imported"
    ),
    Refused(
        "bot.zip", zipped({"bot.py": GOOD, "my-lib/a.py": GOOD}), "module_name", "“my-lib/a.py” cannot be imported"
    ),
    Refused("bot.zip", zipped({"bot.py": GOOD, "class.py": GOOD}), "module_name", "“class.py” cannot be imported"),
    Refused(
        "bot.zip", zipped({"bot.py": GOOD, "random.py": GOOD}), "hides_module", "“random.py” has the name of a module"
    ),
    Refused(
        "bot.zip", zipped({"bot.py": GOOD, "arena/cards.py": GOOD}), "hides_module", "“arena/cards.py” has the name"
    ),
    Refused("bot.zip", zipped({"readme.txt": b"hello"}), "no_python", "The zip holds no .py file"),
    Refused("bot.zip", zipped({"__MACOSX/bot.py": GOOD}), "no_python", "The zip holds no .py file"),
    Refused(
        "bot.zip", zipped({"one.py": GOOD, "two.py": GOOD}), "no_entry", "It is not clear which module is your bot"
    ),
    Refused("bot.zip", zipped({"a/bot.py": GOOD, "b/bot.py": GOOD}), "no_entry", "bot.py, at the zip's top"),
]


def name_of(refused: Refused) -> str:
    """The test's id."""
    return f"{refused.code}-{refused.filename}"
