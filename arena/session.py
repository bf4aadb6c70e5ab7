"""The bot's end of the wire: turns requests into calls of a bot's methods, and what they give into replies.

The same code runs in a sandbox's runner and in local play. It trusts the arena's requests and nothing about
the bot: whatever the bot's code does, `handle` returns one reply.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from random import Random
from typing import Any, TypeVar

from arena.actions import Action, Arrange, BigGin, Defend, Discard, Draw
from arena.bot import Bot, GameEnd, GameStart
from arena.cards import Card
from arena.events import Event, HandEnded, HandStarted, event_from_wire
from arena.layoffs import LayOff
from arena.loader import LoadError, Upload
from arena.melds import Meld
from arena.player import FaultKind
from arena.protocol import OVERRIDES, Ask, Loaded, answer_to_wire
from arena.trace import describe, trace_of
from arena.view import View

T = TypeVar("T")

LOG_CHARACTERS = 6_000
"""What a bot may print between two replies; the rest is dropped and the reply says so."""


class BotSession:
    """One bot in one game, from "load" to "end".

    A `bot_class` that the caller trusts is played as it is; otherwise "load" brings the upload.
    """

    def __init__(self, bot_class: type[Bot] | None = None) -> None:
        self._bot_class = bot_class
        self._upload: Upload | None = None
        self._bot: Bot | None = None
        self._prints = Prints(LOG_CHARACTERS)

    def handle(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The reply to a request, both as their JSON objects. Raises nothing that the bot's code may raise."""
        reply: dict[str, Any] = {"id": request["id"], "nonce": request["nonce"]}
        with self._prints.captured():
            try:
                reply["answer"] = answer_to_wire(self._answer(request))
            except LoadError as error:
                reply["error"] = _load_error(error)
            except BaseException as error:
                reply["error"] = self._error(error)
        text, truncated = self._prints.take()
        if text:
            reply["log"] = text
        if truncated:
            reply["truncated"] = True
        return reply

    def _answer(self, request: Mapping[str, Any]) -> Loaded | Action | None:
        ask = Ask(request["ask"])
        if ask is Ask.LOAD:
            return self._load(request["files"], request["entry"])
        if self._bot is None:
            raise RuntimeError("the first request must be 'load'")
        with self._upload.active() if self._upload else nullcontext():
            return _play(self._bot, ask, request)

    def _load(self, files: Mapping[str, str], entry: str) -> Loaded:
        if self._bot_class is None:
            self._upload = Upload(files, entry)
            bot_class = self._upload.load()
            self._bot = self._upload.make(bot_class)
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
        elif isinstance(error, WrongAnswer):
            kind, message = FaultKind.ILLEGAL, str(error)
        fields: dict[str, Any] = {"kind": kind.value, "message": message}
        if not isinstance(error, WrongAnswer):
            trace = trace_of(error, self._upload.prefix if self._upload else "")
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
        taken = "".join(self._parts), self._truncated
        self._parts, self._length, self._truncated = [], 0, False
        return taken

    @contextmanager
    def captured(self) -> Iterator[None]:
        """Within this, stdout and stderr are this file."""
        kept = sys.stdout, sys.stderr
        sys.stdout = sys.stderr = self
        try:
            yield
        finally:
            sys.stdout, sys.stderr = kept


def _play(bot: Bot, ask: Ask, request: Mapping[str, Any]) -> Action | None:
    """Call the bot's methods for one request after "load"."""
    if ask is Ask.START:
        start = GameStart.from_wire(request)
        if isinstance(bot.random, Random):  # an author may have put something else there
            bot.random.seed(int(start.seed, 16))
        bot.start_game(start)
        return None
    if ask is Ask.END:
        end = GameEnd.from_wire(request)
        _tell(bot, end.events)
        bot.end_game(end)
        return None
    _tell(bot, [event_from_wire(event) for event in request["events"]])
    return _DECISIONS[ask](bot, View.from_wire(request["view"]))


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
