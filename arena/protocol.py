"""The wire between the arena and a bot, version 1: one JSON object a line. docs/protocol.md is the reference.

The arena asks and the bot's process replies; every reply is hostile until it has passed through here.
`decode_reply` therefore returns a `Reply` whose every part has been checked for type, length and meaning, or
raises `ProtocolError`, and nothing else.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache

from arena.actions import (
    BEST_ARRANGE,
    BEST_DEFEND,
    BIG_GIN,
    DISCARDS,
    KNOCKS,
    Action,
    Arrange,
    BigGin,
    Defend,
    Discard,
    Draw,
    format_action,
    parse_action,
)
from arena.bot import GameEnd, GameStart
from arena.events import Event, event_from_wire, event_to_wire
from arena.jsontext import read_json, write_json
from arena.player import FaultKind
from arena.value import Value
from arena.view import View

TYPE_CHECKING = False
if TYPE_CHECKING:
    import json
    from collections.abc import Mapping, Sequence
    from typing import Any, NoReturn

VERSION = 1
MAX_REPLY_BYTES = 16 * 1024
"""Longest line a bot may send, its newline not counted."""

MAX_INTEGER_DIGITS = 15
MAX_CLASS_NAME = 200
MAX_ACTION = 200
MAX_SENTENCE = 1_000
TEXT_BUDGETS = {"message": 1_000, "doc": 1_000, "traceback": 6_000, "log": 6_000}
"""Bytes of JSON that a reply spends at most on each of its texts; together they fit into MAX_REPLY_BYTES."""

OVERRIDES = ("arrange", "lay_off")
"""The optional decisions; a bot that does not override one is never asked about it."""
CLAIMABLE = {kind.value: kind for kind in (FaultKind.START, FaultKind.EXCEPTION, FaultKind.ILLEGAL, FaultKind.MEMORY)}
"""The faults a bot's process reports itself. The others are for the arena to see."""


class ProtocolError(ValueError):
    """The bot's process sent something other than the one reply that was due; the message says what."""


class Ask(Enum):
    """What a request wants."""

    LOAD = "load"
    START = "start"
    DRAW = "draw"
    DISCARD = "discard"
    ARRANGE = "arrange"
    DEFEND = "defend"
    END = "end"


ACTIONS_FOR: Mapping[Ask, tuple[type, ...]] = {
    Ask.DRAW: (Draw,),
    Ask.DISCARD: (Discard, BigGin),
    Ask.ARRANGE: (Arrange,),
    Ask.DEFEND: (Defend,),
}
"""The kinds of action that answer each decision."""


class Turn(Value):
    """What a bot is asked one of the four decisions with."""

    view: View
    events: Sequence[Event]
    """What happened since it was last asked."""

    def to_wire(self) -> dict[str, Any]:
        """The fields of the request; `from_wire` reads them back."""
        return {"events": [event_to_wire(event) for event in self.events], "view": self.view.to_wire()}

    @classmethod
    def from_wire(cls, data: Mapping[str, Any]) -> Turn:
        """The turn that `to_wire` gave."""
        return cls(View.from_wire(data["view"]), [event_from_wire(event) for event in data["events"]])


class Request(Value):
    """One line to the bot."""

    ask: Ask
    id: int
    """Counts the requests of one process, from 1."""
    nonce: str
    """16 hex digits nobody can guess: a reply written before its request cannot hold them."""
    body: Mapping[str, Any] | GameStart | Turn | GameEnd
    """The fields that belong to `ask`, see docs/protocol.md, or what they are made from when the line is written."""

    def to_wire(self) -> dict[str, Any]:
        """The JSON object."""
        body = self.body.to_wire() if isinstance(self.body, GameStart | Turn | GameEnd) else self.body
        return {"v": VERSION, "id": self.id, "nonce": self.nonce, "ask": self.ask.value, **body}


class Loaded(Value):
    """The answer to LOAD."""

    class_name: str
    doc: str
    """The bot class's docstring, or ''."""
    overrides: frozenset[str]
    """Which of OVERRIDES the bot wants to be asked about."""


class ReportedError(Value):
    """What went wrong, in the words of the bot's process."""

    kind: FaultKind
    message: str
    traceback: str = ""
    file: str | None = None
    line: int | None = None
    code: str = ""


class Reply(Value):
    """One line from the bot, checked."""

    answer: Loaded | Action | None
    """Loaded for LOAD, an Action for the four decisions, None for START, END and for an error."""
    error: ReportedError | None = None
    log: str = ""
    """What the bot printed since the last reply."""
    log_truncated: bool = False


def encode_request(request: Request) -> bytes:
    """The request's line, with its newline."""
    return write_json(request.to_wire()).encode() + b"\n"


def decode_request(line: bytes) -> dict[str, Any]:
    """The bot's end: the JSON object of a request's line."""
    request: dict[str, Any] = read_json(line.decode())
    return request


def encode_reply(reply: Mapping[str, Any]) -> bytes:
    """The bot's end: a reply's line, with its newline; its texts are cut so that it is never too long."""
    answer = reply.get("answer", False)
    if len(reply) == 3 and isinstance(answer, str | None) and answer in _PLAIN_JSON:
        return b"%b%b\n" % (_head(reply["id"], reply["nonce"]), _PLAIN_JSON[answer])
    return write_json(fit_reply(reply)).encode() + b"\n"


def fit_reply(reply: Mapping[str, Any]) -> dict[str, Any]:
    """The reply with its texts as they go over the wire: cut, and without lone surrogates."""
    cut = dict(reply)
    if "log" in cut:
        cut["log"], was_cut = fit_text(cut["log"], TEXT_BUDGETS["log"])
        if was_cut:
            cut["truncated"] = True
    for part in ("error", "answer"):
        if isinstance(cut.get(part), dict):
            fields = dict(cut[part])
            for name in ("message", "doc", "traceback"):
                if name in fields:
                    fields[name], _ = fit_text(fields[name], TEXT_BUDGETS[name], keep_end=name == "traceback")
            cut[part] = fields
    return cut


def fit_text(text: str, budget: int, *, keep_end: bool = False) -> tuple[str, bool]:
    """`text` without lone surrogates, cut to at most `budget` bytes of JSON, and whether it was cut."""
    text = text.encode(errors="replace").decode()
    cut = len(text) > budget
    text = (text[-budget:] if keep_end else text[:budget]) if cut else text
    while (size := len(write_json(text).encode())) > budget:
        cut = True
        length = len(text) * budget // (size + 1)
        text = text[len(text) - length :] if keep_end else text[:length]
    return text, cut


def decode_reply(line: bytes, request: Request) -> Reply:
    """The reply to `request` from the line a bot sent (with or without its newline). Raises ProtocolError."""
    line = line.removesuffix(b"\n")
    if len(line) > MAX_REPLY_BYTES:
        raise ProtocolError(f"The reply is longer than {MAX_REPLY_BYTES} bytes.")
    head = _head(request.id, request.nonce)
    if line.startswith(head) and isinstance(action := _PLAIN_ACTIONS.get(line[len(head) :]), _due(request.ask)):
        return Reply(action)
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        raise ProtocolError("The reply is not UTF-8.") from None
    try:
        reply = _decoder().decode(text)
    except ProtocolError:
        raise
    except RecursionError:
        raise ProtocolError("The reply is nested too deeply.") from None
    except ValueError:
        raise ProtocolError("The reply is not one JSON object.") from None
    return read_reply(reply, request)


def read_reply(reply: object, request: Request) -> Reply:
    """The reply to `request` from its parsed JSON. Raises ProtocolError."""
    fields = _object(reply, "The reply", required={"id", "nonce"}, optional={"answer", "error", "log", "truncated"})
    if type(fields["id"]) is not int or fields["id"] != request.id:
        raise ProtocolError("The reply's id is not that of the request.")
    if fields["nonce"] != request.nonce:
        raise ProtocolError("The reply's nonce is not that of the request.")
    if ("answer" in fields) == ("error" in fields):
        raise ProtocolError("A reply holds either an answer or an error.")
    log = _text(fields.get("log", ""), "log")
    truncated = fields.get("truncated", False)
    if type(truncated) is not bool:
        raise ProtocolError("'truncated' must be true or false.")
    if "error" in fields:
        return Reply(None, _read_error(fields["error"]), log, truncated)
    return Reply(read_answer(fields["answer"], request.ask), None, log, truncated)


def read_answer(answer: object, ask: Ask) -> Loaded | Action | None:
    """The meaning of a reply's `answer` to `ask`. Raises ProtocolError."""
    if ask is Ask.LOAD:
        return _read_loaded(answer)
    if ask in (Ask.START, Ask.END):
        if answer is not None:
            raise ProtocolError(f"The answer to '{ask.value}' is null.")
        return None
    if type(answer) is not str or len(answer) > MAX_ACTION:
        raise ProtocolError(f"The answer to '{ask.value}' is an action: a text of at most {MAX_ACTION} characters.")
    try:
        action = parse_action(answer)
    except ValueError as error:
        raise ProtocolError(ascii(str(error)[:300])[1:-1]) from None
    if not isinstance(action, ACTIONS_FOR[ask]):
        raise ProtocolError(f"The action {answer!r} is no answer to '{ask.value}'.")
    return action


def answer_to_wire(answer: Loaded | Action | None) -> Any:
    """The JSON of an answer; `read_answer` reads it back."""
    match answer:
        case None:
            return None
        case Loaded():
            return {"class": answer.class_name, "doc": answer.doc, "overrides": sorted(answer.overrides)}
        case _:
            return format_action(answer)


def _head(number: int, nonce: str) -> bytes:
    """How a reply with an answer begins, as `encode_reply` writes it."""
    return b'{"id":%d,"nonce":"%b","answer":' % (number, nonce.encode())


def _due(ask: Ask) -> tuple[type, ...]:
    return ACTIONS_FOR.get(ask, ())


def _read_loaded(answer: object) -> Loaded:
    fields = _object(answer, "The answer to 'load'", required={"class", "doc", "overrides"})
    overrides = fields["overrides"]
    if type(overrides) is not list or len(overrides) > len(OVERRIDES):
        raise ProtocolError(f"'overrides' must be a list of at most {len(OVERRIDES)} names.")
    for name in overrides:
        if type(name) is not str or name not in OVERRIDES:
            raise ProtocolError(f"'overrides' may only name {' and '.join(OVERRIDES)}.")
    class_name = _text(fields["class"], "class")
    if not class_name.isidentifier() or len(class_name) > MAX_CLASS_NAME:
        raise ProtocolError(f"'class' must be the name of a class, of at most {MAX_CLASS_NAME} characters.")
    return Loaded(class_name, _text(fields["doc"], "doc"), frozenset(overrides))


def _read_error(error: object) -> ReportedError:
    fields = _object(error, "An error", required={"kind", "message"}, optional={"traceback", "file", "line", "code"})
    kind = fields["kind"]
    if type(kind) is not str or kind not in CLAIMABLE:
        raise ProtocolError(f"An error's kind must be one of {', '.join(CLAIMABLE)}.")
    file, line = fields.get("file"), fields.get("line")
    if line is not None and (type(line) is not int or line < 1):
        raise ProtocolError("An error's line must be a number from 1, or null.")
    return ReportedError(
        CLAIMABLE[kind],
        _sentence(fields["message"], "message"),
        _text(fields.get("traceback", ""), "traceback"),
        None if file is None else _text(file, "file"),
        line,
        _text(fields.get("code", ""), "code"),
    )


def _text(value: object, name: str) -> str:
    """A string that any store can keep: no lone surrogates, and NUL shown as U+FFFD (PostgreSQL refuses it)."""
    if type(value) is not str:
        raise ProtocolError(f"'{name}' must be a text.")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ProtocolError(f"'{name}' holds half of a surrogate pair.") from None
    return value.replace("\0", "\N{REPLACEMENT CHARACTER}")


def _sentence(value: object, name: str) -> str:
    """A text for everybody to read: one line, not long, and what nobody sees, or what turns the order, as escapes."""
    text = " ".join(_text(value, name).split())[:MAX_SENTENCE]
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)


def _object(
    value: object, what: str, *, required: set[str], optional: set[str] | frozenset[str] = frozenset()
) -> dict[str, Any]:
    if type(value) is not dict:
        raise ProtocolError(f"{what} must be a JSON object.")
    for name in sorted(required):
        if name not in value:
            raise ProtocolError(f"{what} lacks '{name}'.")
    if not value.keys() <= required | optional:
        raise ProtocolError(f"{what} holds a field that is none of {', '.join(sorted(required | optional))}.")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ProtocolError("The reply names a field twice.")
    return fields


def _integer(digits: str) -> int:
    if len(digits) > MAX_INTEGER_DIGITS:
        raise ProtocolError("The reply holds a number that is too big.")
    return int(digits)


def _no_fraction(number: str) -> NoReturn:
    raise ProtocolError("The reply holds a fraction, an infinity or NaN; a reply's numbers are all whole.")


@lru_cache(maxsize=1)
def _decoder() -> json.JSONDecoder:
    """What reads the replies. A bot's process reads none, and `json` is slow to import."""
    import json

    return json.JSONDecoder(
        object_pairs_hook=_unique, parse_int=_integer, parse_float=_no_fraction, parse_constant=_no_fraction
    )


# Nearly every reply is one of a hundred answers, written as `encode_reply` does: to look the bytes up takes a tenth of
# the time of parsing and checking them. Whatever is not found there goes the long way.
_PLAIN = (*Draw, *DISCARDS, *KNOCKS, BIG_GIN, BEST_ARRANGE, BEST_DEFEND)
_PLAIN_ACTIONS: Mapping[bytes, Action] = {b'"%b"}' % format_action(action).encode(): action for action in _PLAIN}
_PLAIN_JSON: Mapping[str | None, bytes] = {None: b"null}", **{text[1:-2].decode(): text for text in _PLAIN_ACTIONS}}
