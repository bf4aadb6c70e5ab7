from __future__ import annotations

import linecache
import sys
import traceback

import pytest

from arena.bot import Bot
from arena.loader import LoadError, Upload, load_bot
from arena.session import BotSession

BOT = """
from arena import Bot, Discard, Draw

class Mine(Bot):
    def choose_draw(self, view):
        return Draw.STOCK
    def choose_discard(self, view):
        return Discard(view.legal_discards[0])
"""


def failure(files: dict[str, str] | str, entry: str = "bot.py") -> LoadError:
    with pytest.raises(LoadError) as caught:
        load_bot({"bot.py": files} if isinstance(files, str) else files, entry)
    return caught.value


def test_one_class_in_one_file() -> None:
    bot_class = load_bot({"bot.py": BOT}, "bot.py")
    assert bot_class.__name__ == "Mine"
    assert issubclass(bot_class, Bot)


def test_several_modules_packages_and_relative_imports() -> None:
    files = {
        "bot.py": "import helpers\nfrom brain.draws import Drawer\n" + BOT.replace("(Bot)", "(Drawer)"),
        "helpers.py": "NAME = 'helper'",
        "brain/__init__.py": "from . import numbers_ as n\nDEPTH = n.DEPTH",
        "brain/numbers_.py": "DEPTH = 3",
        "brain/draws.py": (
            "from arena import Bot\nfrom . import DEPTH\nfrom .deep.er import X\n"
            "class Drawer(Bot):\n    depth = DEPTH + X"
        ),
        "brain/deep/er.py": "from ..numbers_ import DEPTH\nX = DEPTH * 10",
    }
    bot_class = load_bot(files, "bot.py")
    assert bot_class.__name__ == "Mine"
    assert bot_class.depth == 33  # type: ignore[attr-defined]


def test_a_class_from_a_module_of_the_upload_counts() -> None:
    assert load_bot({"bot.py": "from mine import Mine", "mine.py": BOT}, "bot.py").__name__ == "Mine"


def test_a_base_class_of_another_candidate_does_not_count() -> None:
    assert load_bot({"bot.py": BOT + "\nclass Better(Mine):\n    pass\nAlias = Better"}, "bot.py").__name__ == "Better"


def test_two_uploads_with_modules_of_the_same_name_never_meet() -> None:
    before = dict(sys.modules)
    names = []
    for number in (1, 2):
        source = f"import helpers\n{BOT}\nMine.__name__ = helpers.NAME"
        names.append(load_bot({"bot.py": source, "helpers.py": f"NAME = 'Bot{number}'"}, "bot.py").__name__)
    assert names == ["Bot1", "Bot2"]
    assert "helpers" not in sys.modules
    assert {name: sys.modules.get(name) for name in before} == before


def test_an_import_inside_a_method_finds_the_upload() -> None:
    source = BOT.replace("return Draw.STOCK", "import late; return late.DRAW")
    upload = Upload({"bot.py": source, "late.py": "from arena import Draw\nDRAW = Draw.STOCK"}, "bot.py")
    bot = upload.make(upload.load())
    with upload.active():
        assert bot.choose_draw(None).value == "stock"  # type: ignore[arg-type]
    assert "late" not in sys.modules
    assert upload not in sys.meta_path


def test_a_data_file_is_read_with_pkgutil() -> None:
    source = BOT + "\nimport pkgutil\nMine.weights = pkgutil.get_data(__name__, 'data/weights.txt')"
    bot_class = load_bot({"bot.py": source, "data/weights.txt": "1 2 ü"}, "bot.py")
    assert bot_class.weights == "1 2 ü".encode()  # type: ignore[attr-defined]


@pytest.mark.parametrize("entry", ["Mein Bot für Élodie.py", "my-bot.py", "class.py", "random.py", "3.py"])
def test_an_entry_whose_name_cannot_be_imported(entry: str) -> None:
    assert load_bot({entry: BOT}, entry).__name__ == "Mine"


def test_nothing_is_written_and_nothing_is_compiled_twice() -> None:
    upload = Upload(
        {"bot.py": "import once\n" + BOT, "once.py": "import sys\nsys.once = getattr(sys, 'once', 0) + 1"}, "bot.py"
    )
    try:
        upload.load()
        upload.load()
        assert sys.once == 1  # type: ignore[attr-defined]
    finally:
        del sys.once  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("source", "code", "says"),
    [
        pytest.param("\x89PNG\x00\x01", "not_python", "not Python source: it holds the character '\\x00'", id="binary"),
        pytest.param("<!doctype html><p>hi", "not_python", "it looks like HTML or XML", id="html"),
        pytest.param('{"a": 1,\n "b" 2}', "not_python", "it looks like JSON", id="json"),
        pytest.param("x = (1,\ny = 2\n", "syntax", "syntax error in line 1: '(' was never closed", id="syntax"),
        pytest.param("(" * 300, "syntax", "too many nested parentheses", id="nested"),
        pytest.param("", "no_bot", "bot.py has no bot class: define one with 'class MyBot", id="empty"),
        pytest.param("from arena import Bot", "no_bot", "bot.py has no bot class", id="only arena's Bot"),
        pytest.param("class MyBot:\n    pass", "no_bot", "bot.py has no bot class", id="not a subclass"),
        pytest.param(BOT + BOT.replace("Mine", "Other"), "two_bots", "more than one bot class: Mine and O", id="two"),
        pytest.param("import numpy_", "import", "There is no module numpy_: a bot may import", id="import"),
        pytest.param("from . import helpers", "import", "not 'from . import helpers'", id="relative"),
        pytest.param("1 / 0", "import", "Importing bot.py failed: ZeroDivisionError: division by zero", id="raises"),
        pytest.param("raise SystemExit(3)", "import", "Importing bot.py failed: SystemExit: 3", id="exit"),
        pytest.param("raise KeyboardInterrupt", "import", "Importing bot.py failed: KeyboardInterrupt", id="interrupt"),
        pytest.param("raise MemoryError", "memory", "Importing bot.py failed: MemoryError", id="memory"),
        pytest.param("def f():\n    f()\nf()", "import", "RecursionError", id="recursion"),
        pytest.param(
            "from arena import Bot\nclass Half(Bot):\n    def choose_draw(self, view): ...",
            "missing_method",
            "Half lacks a method that every bot needs: choose_discard",
            id="one method missing",
        ),
        pytest.param(
            "from arena import Bot\nclass None_(Bot):\n    pass",
            "missing_method",
            "None_ lacks a method that every bot needs: choose_discard and choose_draw",
            id="both methods missing",
        ),
    ],
)
def test_what_gives_no_bot(source: str, code: str, says: str) -> None:
    error = failure(source)
    assert error.code == code
    assert says in error.message


def test_without_numpy_its_author_is_told_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    error = failure(f"import numpy\n{BOT}")
    assert (error.code, error.file, error.line) == ("import", "bot.py", 1)
    assert "There is no numpy here: a site has it for bots only if its guide says so" in error.message


def test_each_problem_has_a_message_of_its_own() -> None:
    sources = ["<html>", "x = = 1", "", BOT + BOT.replace("Mine", "Two"), "import nowhere_", "1 / 0"]
    assert len({failure(source).message for source in sources}) == len(sources)


def test_a_syntax_error_shows_its_line() -> None:
    error = failure({"bot.py": "import helpers\n" + BOT, "helpers.py": "a = 1\nif a\n    b = 2\n"})
    assert (error.code, error.file, error.line) == ("syntax", "helpers.py", 2)
    assert error.traceback == "  File \"helpers.py\", line 2\n    if a\n        ^\nSyntaxError: expected ':'"


def test_an_import_error_shows_the_uploads_own_frames_with_their_source() -> None:
    error = failure({"bot.py": "import helpers\n", "helpers.py": "import json\n\njson.loads('{')\n"})
    assert (error.code, error.file, error.line) == ("import", "helpers.py", 3)
    assert error.traceback.splitlines()[:5] == [
        "Traceback (most recent call last):",
        '  File "bot.py", line 1, in <module>',
        "    import helpers",
        '  File "helpers.py", line 3, in <module>',
        "    json.loads('{')",
    ]
    assert "importlib" not in error.traceback
    assert "/json/" not in error.traceback


@pytest.mark.parametrize("depth", [0, 2, 3, 4, 30])
def test_a_trace_reads_as_python_itself_writes_it(depth: int) -> None:
    source = f"def deep(n):\n    return deep(n - 1) if n else 1 / 0  # \u00e9\n\ndeep({depth})\n"
    filename = "<the same>/bot.py"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    with pytest.raises(ZeroDivisionError) as caught:
        exec(compile(source, filename, "exec"), {})
    frames = [frame for frame in traceback.extract_tb(caught.value.__traceback__) if frame.filename == filename]
    plain = [traceback.FrameSummary("bot.py", frame.lineno, frame.name, line=frame.line) for frame in frames]
    expected = "".join(traceback.StackSummary.from_list(plain).format())
    assert failure(source).traceback == (
        f"Traceback (most recent call last):\n{expected}ZeroDivisionError: division by zero"
    )


def test_a_constructor_that_raises() -> None:
    upload = Upload({"bot.py": BOT + "    def __init__(self):\n        self.table = {}['weights']\n"}, "bot.py")
    bot_class = upload.load()
    with pytest.raises(LoadError) as caught:
        upload.make(bot_class)
    error = caught.value
    assert error.code == "constructor"
    assert error.message == "Mine() failed: KeyError: 'weights'"
    assert (error.file, error.line) == ("bot.py", 10)
    assert "self.table = {}['weights']" in error.traceback


def test_a_constructor_that_wants_arguments() -> None:
    upload = Upload({"bot.py": BOT + "    def __init__(self, depth):\n        pass\n"}, "bot.py")
    with pytest.raises(LoadError, match="missing 1 required positional argument: 'depth'"):
        upload.make(upload.load())


def test_a_bot_class_in_another_module_is_named() -> None:
    error = failure({"bot.py": "import brain", "brain.py": BOT})
    assert error.message == "bot.py has no bot class: import Mine from brain.py in it."


@pytest.mark.parametrize("path", ["json.py", "arena/cards.py", "arena.py", "collections/__init__.py"])
def test_a_module_must_not_hide_another(path: str) -> None:
    error = failure({"bot.py": BOT, path: "x = 1"})
    assert (error.code, error.file) == ("name", path)
    assert f"{path} would hide" in error.message


def test_an_entry_that_is_missing_or_not_python() -> None:
    assert failure({"other.py": BOT}).message == "The upload has no file bot.py."
    assert failure({"bot.txt": BOT}, "bot.txt").code == "not_python"


def test_an_exception_whose_text_raises() -> None:
    source = "class Bad(Exception):\n    def __str__(self):\n        raise SystemExit\nraise Bad"
    assert failure(source).message == "Importing bot.py failed: Bad: (an exception whose text cannot be shown)"


def test_a_warning_in_the_source_is_no_error() -> None:
    assert load_bot({"bot.py": BOT + "\nPATTERN = '\\d'\nassert 1 is 1"}, "bot.py").__name__ == "Mine"


def test_the_same_names_in_two_uploads_keep_their_own_source_lines() -> None:
    sessions = []
    for word in ("first", "second"):
        session = BotSession()
        source = BOT.replace("return Draw.STOCK", f"raise ValueError  # {word}")
        assert "answer" in session.handle(
            {"id": 1, "nonce": "n", "ask": "load", "files": {"bot.py": source}, "entry": "bot.py"}
        )
        sessions.append(session)
    for session, word in zip(sessions, ("first", "second"), strict=True):
        bot = session._bot
        assert bot is not None
        with pytest.raises(ValueError) as caught:
            bot.choose_draw(None)  # type: ignore[arg-type]
        assert session._upload is not None
        assert word in session._error(caught.value)["traceback"]
