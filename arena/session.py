"""The bot's end of the wire: turns requests into calls of a bot's methods, and what they give into replies.

The same code runs in a sandbox's runner and in local play. It trusts the arena's requests and nothing about
the bot: whatever the bot's code does, `handle` returns one reply.
"""

from __future__ import annotations

import io
import sys
from errno import ENOSYS
from random import Random
from types import NoneType

from arena.actions import Action, Arrange, BigGin, Defend, Discard, Draw
from arena.bot import Bot, GameEnd, GameStart
from arena.cards import Card
from arena.events import Event, HandEnded, HandStarted
from arena.layoffs import LayOff
from arena.loader import LoadError, Upload
from arena.melds import Meld
from arena.player import FaultKind
from arena.preload import forget_files, loaded_only, preload
from arena.protocol import (
    ACTIONS_FOR,
    OVERRIDES,
    Ask,
    Loaded,
    Reply,
    Request,
    Turn,
    answer_to_wire,
    fit_reply,
    read_reply,
)
from arena.trace import describe, trace_of
from arena.view import View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeVar

    T = TypeVar("T")
    E = TypeVar("E", bound=BaseException)

LOG_CHARACTERS = 6_000
"""What a bot may print between two replies; the rest is dropped and the reply says so."""


class BotSession:
    """One bot in one game, from "load" to "end".

    A `bot_class` that the caller trusts is played as it is; otherwise "load" brings the upload. With `owns_process` no
    other session will ever be in this process: what the bot may import stays set up between the requests.
    """

    def __init__(self, bot_class: type[Bot] | None = None, *, owns_process: bool = False) -> None:
        self._bot_class = bot_class
        self._owns_process = owns_process
        self._upload: Upload | None = None
        self._bot: Bot | None = None
        self._prints = Prints(LOG_CHARACTERS)

    def handle(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The reply to a request, both as their JSON objects. Raises nothing that the bot's code may raise."""
        head = {"id": request["id"], "nonce": request["nonce"]}
        return head | self._outcome(lambda: answer_to_wire(self._answer(_ASKS[request["ask"]], request)))

    def reply(self, request: Request) -> Reply:
        """The same for a request of this very process: a turn is not written down for the bot to read.

        Raises ProtocolError, as reading the line of the reply would.
        """
        outcome = self._outcome(lambda: self._answer(request.ask, request.body))
        if "answer" in outcome:
            answer = outcome["answer"]
            if len(outcome) == 1 and isinstance(answer, _PLAIN):
                return Reply(answer)
            outcome["answer"] = answer_to_wire(answer)
        return read_reply(fit_reply({"id": request.id, "nonce": request.nonce} | outcome), request)

    def _outcome(self, answer: Callable[[], Any]) -> dict[str, Any]:
        """The answer or what went wrong, and what was printed, under the names that a reply has for them."""
        outcome: dict[str, Any] = {}
        kept = sys.stdout, sys.stderr
        sys.stdout = sys.stderr = self._prints
        try:
            outcome["answer"] = answer()
        except LoadError as error:
            outcome["error"] = _told(_load_error, error)
        except BaseException as error:
            outcome["error"] = _told(self._error, error)
        finally:
            sys.stdout, sys.stderr = kept
        text, truncated = self._prints.take()
        if text:
            outcome["log"] = text
        if truncated:
            outcome["truncated"] = True
        return outcome

    def _answer(self, ask: Ask, body: Any) -> Loaded | Action | None:
        """`body` is what the request says: its JSON object, or the value that would be made of it."""
        if ask is Ask.LOAD:
            return self._load(body["files"], body["entry"])
        if self._bot is None:
            raise RuntimeError("the first request must be 'load'")
        if isinstance(body, dict):
            body = _READ[ask](body)
        if self._upload is None or self._owns_process:
            return _play(self._bot, ask, body)
        with self._upload.active(), loaded_only():
            return _play(self._bot, ask, body)

    def _load(self, files: Mapping[str, str], entry: str) -> Loaded:
        if self._bot_class is None:
            self._upload = Upload(files, entry)
            bot_class = self._upload.load()
            self._bot = self._upload.make(bot_class)
            preload(self._upload)
            if self._owns_process:
                self._upload.activate()
                forget_files()
        else:
            bot_class = self._bot_class
            self._bot = bot_class()
        overrides = frozenset(name for name in OVERRIDES if getattr(bot_class, name) is not getattr(Bot, name))
        doc = bot_class.__doc__
        return Loaded(bot_class.__name__, doc if isinstance(doc, str) and doc != Bot.__doc__ else "", overrides)

    def _error(self, error: BaseException) -> dict[str, Any]:
        kind, message = FaultKind.EXCEPTION, describe(error)
        if isinstance(error, MemoryError):
            kind, message = FaultKind.MEMORY, "The bot ran out of memory."
        elif isinstance(error, OSError) and error.errno == ENOSYS:
            message += f" ({_NO_FILES})"
        elif isinstance(error, WrongAnswer):
            kind, message = FaultKind.ILLEGAL, str(error)
        fields: dict[str, Any] = {"kind": kind.value, "message": message}
        if not isinstance(error, WrongAnswer):
            where = (self._upload.prefix, self._upload.files) if self._upload else ("", None)
            trace = trace_of(error, *where)
            fields |= {"traceback": trace.text, "file": trace.file, "line": trace.line}
        return fields


class WrongAnswer(TypeError):  # noqa: N818 - what it is, in the words of the protocol
    """A bot's method returned something that is no answer; the text says what was expected and what came."""


class Prints(io.TextIOBase):
    """Stands in for stdout and stderr: keeps what is printed up to a number of characters."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self._limit = limit
        self._parts: list[str] = []
        self._length = 0
        self._truncated = False

    def writable(self) -> bool:
        """True."""
        return True

    def write(self, text: str, /) -> int:
        """Keep the text as far as there is room; returns the number of characters given, as files do."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        room = self._limit - self._length
        if len(text) > room:
            self._truncated = True
        if room > 0 and text:
            self._parts.append(text[:room])
            self._length += len(self._parts[-1])
        return len(text)

    def take(self) -> tuple[str, bool]:
        """What was printed since the last call, and whether some was dropped."""
        if not self._parts and not self._truncated:
            return "", False
        taken = "".join(self._parts), self._truncated
        self._parts, self._length, self._truncated = [], 0, False
        return taken


def _play(bot: Bot, ask: Ask, said: GameStart | Turn | GameEnd) -> Action | None:
    """Call the bot's methods for one request after "load"."""
    if isinstance(said, Turn):
        _tell(bot, said.events)
        return _DECISIONS[ask](bot, said.view)
    if isinstance(said, GameStart):
        if isinstance(bot.random, Random):  # an author may have put something else there
            bot.random.seed(int(said.seed, 16))
        bot.start_game(said)
    else:
        _tell(bot, said.events)
        bot.end_game(said)
    return None


def _tell(bot: Bot, events: Sequence[Event]) -> None:
    for event in events:
        if isinstance(event, HandStarted):
            bot.start_hand(event)
        elif isinstance(event, HandEnded):
            bot.end_hand(event)
        else:
            bot.observe(event)


def _draw(bot: Bot, view: View) -> Action:
    choice: object = bot.choose_draw(view)
    if not isinstance(choice, Draw):
        raise _wrong("choose_draw", "Draw.UPCARD, Draw.STOCK or Draw.PASS", choice)
    return choice


def _discard(bot: Bot, view: View) -> Action:
    choice: object = bot.choose_discard(view)
    if isinstance(choice, Card):
        return Discard(choice)
    if isinstance(choice, BigGin):
        return choice
    if not isinstance(choice, Discard) or not isinstance(choice.card, Card):
        raise _wrong("choose_discard", "a Discard or a Card", choice)
    return Discard(choice.card, bool(choice.knock))


def _arrange(bot: Bot, view: View) -> Action:
    return Arrange(_melds(bot.arrange(view)))


def _defend(bot: Bot, view: View) -> Action:
    melds = _melds(bot.arrange(view))
    choice: object = bot.lay_off(view, view.knocker_melds or ())
    if choice is None:
        return Defend(melds, None)
    layoffs = _all_of(choice, LayOff)
    if layoffs is None or not all(isinstance(lay.card, Card) and lay.meld_index in range(4) for lay in layoffs):
        raise _wrong("lay_off", "a list of LayOff, or None", choice)
    return Defend(melds, layoffs)


def _melds(choice: object) -> tuple[Meld, ...] | None:
    if choice is None:
        return None
    melds = _all_of(choice, Meld)
    if melds is None or any(Meld.of(meld.cards) != meld for meld in melds):
        raise _wrong("arrange", "a list of Meld, or None", choice)
    return melds


def _all_of(choice: object, kind: type[T]) -> tuple[T, ...] | None:
    """The members of a list or tuple if all are of one kind, else None."""
    if not isinstance(choice, list | tuple) or not all(isinstance(member, kind) for member in choice):
        return None
    return tuple(choice)


_NO_FILES = "during a game no file can be looked up: read it at the top of a module or in __init__"
"""Why a sandbox answers that there is no such function."""
_ASKS = {ask.value: ask for ask in Ask}
_READ: Mapping[Ask, Callable[[Mapping[str, Any]], GameStart | Turn | GameEnd]] = {
    Ask.START: GameStart.from_wire,
    Ask.END: GameEnd.from_wire,
    **dict.fromkeys(ACTIONS_FOR, Turn.from_wire),
}
_PLAIN = (Draw, Discard, BigGin, NoneType)
"""Answers that mean the same after a way over the wire, whatever the bot made of them."""
_DECISIONS: Mapping[Ask, Callable[[Bot, View], Action]] = {
    Ask.DRAW: _draw,
    Ask.DISCARD: _discard,
    Ask.ARRANGE: _arrange,
    Ask.DEFEND: _defend,
}


def _wrong(method: str, expected: str, choice: object) -> WrongAnswer:
    return WrongAnswer(f"{method} must return {expected}; it returned {_show(choice)}.")


def _show(choice: object) -> str:
    try:
        text = repr(choice)
    except BaseException:
        text = "something that cannot be shown"
    return f"{text[:80]} ({type(choice).__name__})"


def _told(tell: Callable[[E], dict[str, Any]], error: E) -> dict[str, Any]:
    """What `tell` says about an exception, which may be of a class that fails whoever looks at it."""
    try:
        return tell(error)
    except MemoryError:
        raise
    except BaseException:
        return {"kind": FaultKind.EXCEPTION.value, "message": "The bot raised an exception that cannot be shown."}


def _load_error(error: LoadError) -> dict[str, Any]:
    kind = FaultKind.MEMORY if error.code == "memory" else FaultKind.START
    return {
        "kind": kind.value,
        "message": error.message,
        "traceback": error.traceback,
        "file": error.file,
        "line": error.line,
        "code": error.code,
    }
