"""What a bot will import only while it plays: it is loaded with the bot, for during a game no file can be read.

Python imports late in three ways: by statements inside functions, when a library first needs another of its parts, and
when a text is first encoded in an unusual way. What can be known of each beforehand is imported by `preload`; whatever
is asked for in spite of that is refused with a sentence, at home (`loaded_only`) as on the site (`forget_files`).
"""

from __future__ import annotations

import codecs
import importlib
import sys
from importlib.machinery import BuiltinImporter, FrozenImporter

from arena.loader import Upload, Within

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator
    from typing import Any, NoReturn

_NUMPY = ("random", "linalg", "fft", "polynomial", "ma", "char", "rec", "ctypeslib")
"""The parts of numpy that it loads when they are first used, and that computing may need."""
_TELLING = ("code(", ",", ", ", *(f"encoding{equals}" for equals in ("=", "= ", " =", " = ")))
"""What stands before the name of an encoding where texts and bytes are told theirs."""


def preload(upload: Upload) -> None:
    """Import what the bot of an upload just loaded may want later; what cannot be imported the bot finds out itself."""
    texts = [upload.files[path] for path in upload.modules.values()]
    if any(map(_may_import_late, texts)):
        for name in _late_imports(upload):
            _try_import(name)
    if any("strptime" in text for text in texts):
        _try_import("_strptime")
    for encoding in {found for text in texts for found in _encodings(text)}:
        try:
            codecs.lookup(encoding)
        except LookupError:
            continue
    if "numpy" in sys.modules:
        for part in _NUMPY:
            _try_import(f"numpy.{part}")
    if "numpy" in sys.modules or any("warn" in text for text in texts):
        _try_import("linecache")  # where `warnings` finds the line that it shows
    if "arena.position" in sys.modules:
        _try_import("arena.decks")  # which it imports itself when a hand is first reshuffled


def _may_import_late(text: str) -> bool:
    """Whether it holds an import statement that does not begin a line, or what looks like one."""
    for line in text.split("\n"):
        if "import" in line or "from" in line:
            first, *later = line.replace(":", ";").split(";")
            if first.startswith((" ", "\t")):
                later.append(first)
            if any(part.lstrip(" \t").startswith(("import", "from")) for part in later):
                return True
    return False


def _encodings(text: str) -> Iterator[str]:
    """What may name an encoding in it."""
    parts = text.replace("'", '"').split('"')
    for before, word, _ in zip(parts, parts[1:], parts[2:], strict=False):
        if before.endswith(_TELLING) and f"_{word}".replace("-", "_").isidentifier():
            yield word


class LoadedOnly:
    """In place of what finds modules in files: tells an author why there are none any more."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> NoReturn:
        """Raises ModuleNotFoundError."""
        # Without a name, for by that `from package import module` would know it, and say something else.
        raise ModuleNotFoundError(
            f"{fullname} was not imported when the bot was loaded, and during a game no files can be read: import it,"
            " or do what needs it, at the top of a file."
        )


def forget_files() -> None:
    """From now on no module is found in a file."""
    sys.meta_path[:] = _finders_without_files()


def loaded_only() -> Within:
    """Within this no module is found in a file. What is in memory is found: Python's own, and an upload's."""

    def forget() -> list[Any]:
        kept = sys.meta_path[:]
        forget_files()
        return kept

    def remember(kept: list[Any]) -> None:
        sys.meta_path[:] = kept

    return Within(forget, remember)


def _finders_without_files() -> list[Any]:
    in_memory = (BuiltinImporter, FrozenImporter)
    return [*(each for each in sys.meta_path if each in in_memory or isinstance(each, Upload)), LoadedOnly()]


def _late_imports(upload: Upload) -> list[str]:
    """What is imported inside functions, or by modules of the upload that are: names of modules not the upload's own.

    `from a import b` gives `a` and `a.b`, as b may be a module.
    """
    import ast  # slow to import, as is what follows; and few bots are written so
    from contextlib import suppress

    found: dict[str, None] = {}
    queue = [name for name in upload.modules if upload.is_loaded(name)]
    seen = set(queue)
    for module in queue:
        with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            tree = ast.parse(upload.files[upload.modules[module]])
            functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
            for node in (
                inner for part in (functions if upload.is_loaded(module) else [tree]) for inner in ast.walk(part)
            ):
                for name in _imported(node, module, is_package=upload.is_package(module)):
                    if name not in upload.modules:
                        found[name] = None
                    elif name not in seen:
                        seen.add(name)
                        queue.append(name)
    return list(found)


def _imported(node: ast.AST, module: str, *, is_package: bool) -> Iterator[str]:
    """The dotted names that a statement of that module imports, or may."""
    import ast

    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        parts = module.split(".") if is_package else module.split(".")[:-1]
        base = parts[: len(parts) + 1 - node.level] if node.level else []
        name = ".".join([*base, *([node.module] if node.module else [])])
        yield name
        yield from (f"{name}.{alias.name}" for alias in node.names)


def _try_import(name: str) -> None:
    try:
        importlib.import_module(name)
    except Exception:
        return  # the bot finds out itself
