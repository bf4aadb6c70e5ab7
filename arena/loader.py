"""Turns an upload's source files into a bot class, without writing anything to disk.

The upload's modules are imported from memory through a finder of their own. Everything that can be wrong with
an upload becomes a `LoadError` with a sentence, and with the place inside the upload where there is one.
This runs the author's code: outside a sandbox only for code one trusts.
"""

from __future__ import annotations

import importlib
import itertools
import keyword
import sys
import warnings
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType

from arena.bot import Bot
from arena.trace import describe, trace_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

_UPLOADS = itertools.count(1)
_FOREIGN = {"<": "HTML or XML", "{": "JSON", "%PDF": "PDF", "PK": "a zip archive", "#include": "C"}
"""How files begin that are uploaded in place of a Python one; asked only about what does not parse."""


class LoadError(Exception):
    """The upload gives no bot."""

    def __init__(
        self, code: str, message: str, *, file: str | None = None, line: int | None = None, traceback: str = ""
    ) -> None:
        super().__init__(message)
        self.code = code
        """Which check failed: not_python, syntax, name, import, no_bot, two_bots, missing_method, constructor,
        memory."""
        self.message = message
        """One sentence for the author."""
        self.file = file
        """Path inside the upload, or None."""
        self.line = line
        """Line in `file`, counted from 1, or None."""
        self.traceback = traceback
        """The upload's own frames with their source lines, or ''."""


class Within:
    """For `with`: does something before the block and undoes it afterwards. `contextlib` is slow to import."""

    def __init__(self, do: Callable[[], Any], undo: Callable[[Any], None]) -> None:
        """`undo` is given what `do` returned."""
        self._do = do
        self._undo = undo

    def __enter__(self) -> None:
        self._done = self._do()

    def __exit__(self, *_: object) -> None:
        self._undo(self._done)


class Upload:
    """An upload's files and the modules imported from them; it finds and loads these as Python's own finders do.

    The base classes of `importlib.abc` would say so too, and take a bot's process longer to import than all of this.

    Its modules can be imported only inside `active()`. Several uploads in one process may therefore have
    modules of the same names and never meet.
    """

    def __init__(self, files: Mapping[str, str], entry: str) -> None:
        self.files = dict(files)
        """Source or data text by '/'-separated path."""
        self.entry = entry
        self.prefix = f"<upload {next(_UPLOADS)}>/"
        """What the upload's paths begin with in code objects and tracebacks."""
        self._modules: dict[str, ModuleType] = {}
        self._paths = {self._module_name(path): path for path in self.files if path.endswith(".py")}
        self._packages = {
            ".".join(parts[:depth])
            for parts in (path.split("/")[:-1] for path in self._paths.values())
            for depth in range(1, len(parts) + 1)
        }
        self._names = self._paths.keys() | self._packages
        self._depth = 0

    @property
    def modules(self) -> Mapping[str, str]:
        """The paths of its modules by their dotted names."""
        return self._paths

    def is_loaded(self, module: str) -> bool:
        """Whether that module was imported by the time `active()` was last left."""
        return module in self._modules

    def active(self) -> Within:
        """Within this, `import` finds the upload's modules. May be entered again from within."""
        return Within(self.activate, self._deactivate)

    def activate(self) -> dict[str, ModuleType] | None:
        """The same for good; the result is of no use to others."""
        if self._depth:
            return None
        self._depth += 1
        hidden = {name: sys.modules.pop(name) for name in self._names if name in sys.modules}
        sys.modules.update(self._modules)
        sys.meta_path.insert(0, self)
        return hidden

    def _deactivate(self, hidden: dict[str, ModuleType] | None) -> None:
        if hidden is None:
            return
        self._depth -= 1
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        self._modules = {name: sys.modules.pop(name) for name in self._names if name in sys.modules}
        sys.modules.update(hidden)

    def load(self) -> type[Bot]:
        """Import the entry module and return its bot class. Raises LoadError."""
        if self.entry not in self.files:
            raise LoadError("no_bot", f"The upload has no file {self.entry}.")
        if not self.entry.endswith(".py"):
            raise LoadError("not_python", f"{self.entry} is not a Python file: its name does not end in .py.")
        self._check_names()
        with self.active():
            try:
                module = importlib.import_module(self._module_name(self.entry))
            except LoadError:
                raise
            except BaseException as error:
                raise self._import_error(error) from None
            return self._bot_class(module)

    def make(self, bot_class: type[Bot]) -> Bot:
        """An instance of the upload's bot class. Raises LoadError."""
        with self.active():
            try:
                bot = bot_class()
            except BaseException as error:
                raise self._error("constructor", f"{bot_class.__name__}() failed: {describe(error)}", error) from None
        if not isinstance(bot, Bot):
            raise LoadError("constructor", f"{bot_class.__name__}() gives {type(bot).__name__}, which is no bot.")
        return bot

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The finder's side of an import: a spec for the upload's own modules, None for all others."""
        file = self._paths.get(fullname)
        is_package = fullname in self._packages
        if file is None:
            return ModuleSpec(fullname, None, is_package=True) if is_package else None
        # The checker goes by the base class that Upload does without.
        spec = ModuleSpec(fullname, self, origin=file, is_package=is_package)  # type: ignore[arg-type]
        spec.has_location = True
        return spec

    def create_module(self, spec: ModuleSpec) -> None:
        """The loader's side of an import: the module is an ordinary one."""

    def exec_module(self, module: ModuleType) -> None:
        """The loader's side of an import: runs the module. Raises what it raises, and LoadError."""
        exec(self.get_code(module.__name__), module.__dict__)

    def is_package(self, fullname: str) -> bool:
        """Whether the module is a folder of the upload."""
        return fullname in self._packages

    def get_source(self, fullname: str) -> str:
        """The source of one of the upload's modules. Raises ImportError for another name."""
        if fullname not in self._paths:
            raise ImportError(f"The upload has no module {fullname}.", name=fullname)
        return self.files[self._paths[fullname]]

    def get_code(self, fullname: str) -> CodeType:
        """The compiled module. Raises LoadError when it is not Python."""
        return self._compile(self._paths[fullname], self.get_source(fullname))

    def get_data(self, path: str) -> bytes:
        """A data file beside the modules, for `pkgutil.get_data(__name__, "weights.txt")`. Raises OSError."""
        if path not in self.files:
            raise FileNotFoundError(f"The upload has no file {path}.")
        return self.files[path].encode()

    def _module_name(self, path: str) -> str:
        """Dotted name of a file; an entry whose name cannot be imported, such as 'my bot.py', is called bot."""
        parts = path.removesuffix(".py").split("/")
        if path == self.entry and len(parts) == 1 and not _is_importable(parts[0]):
            return "bot"
        return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)

    def _check_names(self) -> None:
        """Refuse modules that nobody could import, because the name is the standard library's or the arena's."""
        for name, path in self._paths.items():
            top = name.partition(".")[0]
            if top == "arena" or top in sys.stdlib_module_names:
                owner = "the arena's own package" if top == "arena" else f"Python's own module {top}"
                raise LoadError("name", f"{path} would hide {owner}: rename it or leave it out.", file=path)
        if self._paths[self._module_name(self.entry)] != self.entry:
            raise LoadError("name", f"{self.entry} cannot be imported under its name: rename it.", file=self.entry)

    def _compile(self, path: str, source: str) -> CodeType:
        if bad := next((character for character in source if character < " " and character not in "\t\n\r\f"), None):
            raise LoadError("not_python", f"{path} is not Python source: it holds the character {bad!r}.", file=path)
        filename = self.prefix + path
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                code: CodeType = compile(source, filename, "exec", dont_inherit=True)
        except SyntaxError as error:
            foreign = next((kind for mark, kind in _FOREIGN.items() if source.lstrip().startswith(mark)), None)
            if foreign:
                raise LoadError(
                    "not_python", f"{path} is not Python source: it looks like {foreign}.", file=path
                ) from None
            trace = trace_of(error, self.prefix, self.files)
            message = f"{path} has a syntax error in line {error.lineno}: {error.msg}."
            raise LoadError("syntax", message, file=path, line=error.lineno, traceback=trace.text) from None
        except (ValueError, RecursionError, MemoryError, OverflowError) as error:
            message = f"{path} cannot be compiled: {describe(error)}"
            raise LoadError("syntax", message, file=path) from None
        return code

    def _import_error(self, error: BaseException) -> LoadError:
        if isinstance(error, ModuleNotFoundError) and error.name == "numpy":
            message = (
                "There is no numpy here: a site has it for bots only if its guide says so, and at home"
                " 'pip install numpy' brings it."
            )
        elif isinstance(error, ModuleNotFoundError):
            message = (
                f"There is no module {error.name}: a bot may import the standard library, arena and the upload's"
                " own modules."
            )
        elif isinstance(error, ImportError) and "relative import" in str(error):
            message = f"{self.entry} is not part of a package: write 'import helpers', not 'from . import helpers'."
        else:
            message = f"Importing {self.entry} failed: {describe(error)}"
        return self._error("import", message, error)

    def _error(self, code: str, message: str, error: BaseException) -> LoadError:
        trace = trace_of(error, self.prefix, self.files)
        code = "memory" if isinstance(error, MemoryError) else code
        return LoadError(code, message, file=trace.file, line=trace.line, traceback=trace.text)

    def _bot_class(self, module: ModuleType) -> type[Bot]:
        found = self._own_bots(module)
        leaves = [bot for bot in found if not any(other is not bot and issubclass(other, bot) for other in found)]
        if not leaves:
            raise self._no_bot()
        complete = [bot for bot in leaves if not bot.__abstractmethods__]
        if len(complete) > 1 or (not complete and len(leaves) > 1):
            names = " and ".join(sorted(bot.__name__ for bot in complete or leaves))
            raise LoadError("two_bots", f"{self.entry} has more than one bot class: {names}.", file=self.entry)
        if not complete:
            (bot,) = leaves
            missing = " and ".join(sorted(bot.__abstractmethods__))
            raise LoadError(
                "missing_method", f"{bot.__name__} lacks a method that every bot needs: {missing}.", file=self.entry
            )
        return complete[0]

    def _own_bots(self, module: ModuleType) -> list[type[Bot]]:
        """The bot classes that the module can see and that one of the upload's modules defines."""
        own = self._paths.keys()
        found: list[type[Bot]] = []
        for value in list(vars(module).values()):
            if isinstance(value, type) and issubclass(value, Bot) and value.__module__ in own and value not in found:
                found.append(value)
        return found

    def _no_bot(self) -> LoadError:
        message = f"{self.entry} has no bot class: define one with 'class MyBot(Bot):'."
        for name in self._paths:
            module = sys.modules.get(name)
            elsewhere = self._own_bots(module) if module else []
            if elsewhere:
                bot = elsewhere[0].__name__
                message = f"{self.entry} has no bot class: import {bot} from {self._paths[name]} in it."
                break
        return LoadError("no_bot", message, file=self.entry)


def load_bot(files: Mapping[str, str], entry: str) -> type[Bot]:
    """The one bot class that the module `entry` of an upload defines or imports. Raises LoadError."""
    return Upload(files, entry).load()


def _is_importable(name: str) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name) and name not in sys.stdlib_module_names
