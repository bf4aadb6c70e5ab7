"""What comes in by the upload door, and what is turned away."""

import ast
import io
import unicodedata
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.archive import LIMITS, BotSource, UploadRejected, read_upload, shown
from arena.loader import LoadError, load_bot
from arena.refusal import SENTENCES, size_text
from tests.sandbox.uploads import GOOD, REFUSED, Refused, declared_bomb, name_of, zipped


@pytest.mark.parametrize("refused", REFUSED, ids=name_of)
def test_refuses(refused: Refused) -> None:
    with pytest.raises(UploadRejected) as caught:
        read_upload(refused.filename, refused.data)
    assert (caught.value.code, refused.says in caught.value.message) == (refused.code, True), caught.value.message


def test_every_rule_has_a_file_that_breaks_it() -> None:
    assert {refused.code for refused in REFUSED} == set(SENTENCES)


def test_one_sentence_of_what_was_wrong_and_one_of_what_to_do() -> None:
    for refused in REFUSED:
        with pytest.raises(UploadRejected) as caught:
            read_upload(refused.filename, refused.data)
        assert caught.value.message.count(". ") == 1
        assert caught.value.message.endswith(".")
        assert "{" not in caught.value.message


@pytest.mark.parametrize("name", ["mine.py", "Mon bot été (version 2).py", "my-bot.py", "class.py", "3.14.py"])
def test_a_single_file_is_the_entry_under_its_name(name: str) -> None:
    source = read_upload(name, GOOD)
    assert (dict(source.files), source.entry) == ({name: GOOD.decode()}, name)
    with pytest.raises(LoadError) as stopped:
        load_bot(source.files, source.entry)
    assert (stopped.value.code, stopped.value.file) == ("missing_method", name)


@pytest.mark.parametrize(
    "name",
    ["x" * 300 + ".py", "x.PY", "../x.py", "a\\x.py", "\u202ex.py", "a\nb.py", "\ud800.py", "a:b.py", ".py",
     "arena.py", "random.py", "__main__.py"],
)  # fmt: skip
def test_a_single_file_whose_name_would_be_in_the_way_is_called_bot(name: str) -> None:
    assert read_upload(name, GOOD) == BotSource({"bot.py": GOOD.decode()}, "bot.py")


def test_a_file_of_exactly_the_limit_is_taken() -> None:
    data = b"#" * LIMITS.file_bytes
    assert len(read_upload("bot.py", data).files["bot.py"]) == LIMITS.file_bytes
    with pytest.raises(UploadRejected):
        read_upload("bot.py", data + b"#")


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    assert read_upload("bot.py", b"\xef\xbb\xbf" + GOOD).files["bot.py"] == GOOD.decode()


def test_text_that_is_no_python_is_for_the_sandbox_to_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*args: object, **kwargs: object) -> None:
        raise AssertionError("the host compiles nothing")

    monkeypatch.setattr("builtins.compile", never)
    monkeypatch.setattr(ast, "parse", never)
    assert read_upload("bot.py", b"def (:").files["bot.py"] == "def (:"


def test_a_zip_with_modules_packages_and_data() -> None:
    source = read_upload(
        "bot.zip",
        zipped({"bot.py": GOOD, "helpers/__init__.py": b"", "helpers/odds.py": b"X = 1\n", "table.csv": b"1,2\n"}),
    )
    assert source.entry == "bot.py"
    assert dict(source.files) == {
        "bot.py": GOOD.decode(),
        "helpers/__init__.py": "",
        "helpers/odds.py": "X = 1\n",
        "table.csv": "1,2\n",
    }


def test_a_zipped_folder_is_opened() -> None:
    source = read_upload("bot.zip", zipped({"mine/": b"", "mine/bot.py": GOOD, "mine/odds.py": b"X = 1\n"}))
    assert set(source.files) == {"bot.py", "odds.py"}


def test_the_only_module_at_the_top_is_the_entry() -> None:
    source = read_upload("bot.zip", zipped({"gin_master.py": GOOD, "lib/a.py": b"", "lib/b.py": b""}))
    assert source.entry == "gin_master.py"


def test_what_systems_add_by_themselves_is_left_out() -> None:
    files = {
        "bot.py": GOOD,
        "__MACOSX/._bot.py": b"\0\5\x16",
        ".DS_Store": b"\0\0\0\1",
        "__pycache__/bot.cpython-311.pyc": b"\0",
        ".git/index": b"DIRC\0",
        "./lib//odds.py": b"",
    }
    assert set(read_upload("bot.zip", zipped(files)).files) == {"bot.py", "lib/odds.py"}


def test_accents_in_a_zip_are_composed_as_import_needs_them() -> None:
    decomposed = unicodedata.normalize("NFD", "café.py")
    assert decomposed != "café.py"
    assert "café.py" in read_upload("bot.zip", zipped({"bot.py": GOOD, decomposed: b""})).files


def test_a_stored_zip_is_read_like_a_deflated_one() -> None:
    stored = zipped({"bot.py": GOOD}, compression=zipfile.ZIP_STORED)
    assert read_upload("b.zip", stored) == read_upload("b.zip", zipped({"bot.py": GOOD}))


def test_a_bomb_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*args: object) -> None:
        raise AssertionError("unpacked")

    monkeypatch.setattr("arena.unzip._content", never)
    with pytest.raises(UploadRejected):
        read_upload("bot.zip", declared_bomb())


def test_bytes_and_back() -> None:
    source = read_upload("bot.zip", zipped({"bot.py": "é = '\U0001f0a1'\n".encode(), "a/b.py": b"\r\n"}))
    assert BotSource.from_bytes(source.to_bytes()) == source


def test_the_fingerprint_ignores_the_order_of_files_and_nothing_else() -> None:
    one = BotSource({"bot.py": "1", "a.py": "2"}, "bot.py")
    assert one.sha256 == BotSource({"a.py": "2", "bot.py": "1"}, "bot.py").sha256
    assert BotSource({"a.py": "1"}, "a.py").sha256 == BotSource({"b.py": "1"}, "b.py").sha256
    others = [
        BotSource({"bot.py": "2", "a.py": "1"}, "bot.py"),
        BotSource({"bot.py": "1", "a.py": "2"}, "a.py"),
        BotSource({"bot.py": "1", "b.py": "2"}, "bot.py"),
    ]
    assert len({one.sha256, *(other.sha256 for other in others)}) == 4


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{}",
        b'{"entry":"a","files":{}}',
        b'{"entry":"a","files":{"a":1}}',
        b'{"files":{"a":""},"entry":"a"}',
    ],
)
def test_stored_bytes_that_are_no_source_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError):
        BotSource.from_bytes(data)


def test_the_download_uploads_again_as_the_same_source() -> None:
    source = read_upload("bot.zip", zipped({"bot.py": GOOD, "lib/odds.py": b"X = 1\n", "café.txt": b"ok"}))
    assert read_upload("again.zip", source.to_zip()) == source


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("bot.py", "bot.py"),
        ("mon bot été.py", "mon bot été.py"),
        ("e\u0301.py", "é.py"),
        ("a\u202eyp.exe", "a\ufffdyp.exe"),
        ("a\nb.py", "a\ufffdb.py"),
    ],
)
def test_names_are_fit_to_be_shown(name: str, expected: str) -> None:
    assert shown(name) == expected


def test_a_long_name_keeps_its_two_ends() -> None:
    name = shown("start" + "x" * 290 + "end.py")
    assert (len(name), name[:5], name[-6:], "…" in name) == (100, "start", "end.py", True)


@pytest.mark.parametrize(
    ("size", "text"), [(12, "12 bytes"), (1024, "1 KiB"), (262144, "256 KiB"), (4508876, "4.2 MiB"), (3 << 30, "3 GiB")]
)
def test_sizes_for_people(size: int, text: str) -> None:
    assert size_text(size) == text


def _only_source_or_refusal(filename: str, data: bytes) -> None:
    try:
        source = read_upload(filename, data)
    except UploadRejected:
        return
    assert source.entry in source.files
    assert sum(len(text.encode()) for text in source.files.values()) <= LIMITS.unpacked_bytes
    for path in source.files:
        assert not path.startswith("/")
        assert not {"", ".", ".."} & set(path.split("/"))
        assert "\\" not in path
    assert BotSource.from_bytes(source.to_bytes()) == source


@given(st.text(max_size=30) | st.sampled_from(["bot.py", "bot.zip"]), st.binary(max_size=2000))
@settings(max_examples=300, deadline=None)
def test_any_bytes(filename: str, data: bytes) -> None:
    _only_source_or_refusal(filename, data)


_NAMES = st.text(max_size=12) | st.sampled_from(["bot.py", "a/bot.py", "../x", "/x", "a\\b", "con.py", "a", "a/b.py"])


@given(
    st.dictionaries(_NAMES, st.binary(max_size=60) | st.just(GOOD), max_size=6),
    st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 255)), max_size=8),
    st.integers(0, 40),
)
@settings(max_examples=400, deadline=None)
def test_any_mangled_zip(files: dict[str, bytes], changes: list[tuple[int, int]], cut: int) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name or "x"), data, zipfile.ZIP_DEFLATED)
    raw = bytearray(out.getvalue())
    for at, value in changes:
        raw[at % len(raw)] = value
    _only_source_or_refusal("bot.zip", bytes(raw[: len(raw) - cut]))
