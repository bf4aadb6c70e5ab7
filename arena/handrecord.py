"""The log of one hand: a character for each action and one for the time it took.

Actions: ``1`` upcard, ``0`` stock, ``2`` pass; ``A``..``Z`` and ``a``..``z`` discard the card of that id, counted from
``A``, with ``!`` behind it a knock; ``#`` big gin; ``=`` the best arrangement and ``+`` the best defence; ``?`` a
showdown of the bot's own, spelled out in `HandRecord.shown`.
Times: level 0 is under 10 microseconds, and eight levels are a factor of ten.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits

from arena.actions import (
    BEST_ARRANGE,
    BEST_DEFEND,
    BIG_GIN,
    DISCARDS,
    KNOCKS,
    Action,
    Arrange,
    Defend,
    Draw,
    format_action,
    parse_action,
)

CARD_CODES = ascii_uppercase + ascii_lowercase
TIME_CODES = digits + ascii_letters + "-_"
FIRST_LEVEL_SECONDS = 1e-5
LEVELS_PER_DECADE = 8

_CODES: dict[Action, str] = {
    Draw.UPCARD: "1",
    Draw.STOCK: "0",
    Draw.PASS: "2",
    BIG_GIN: "#",
    BEST_ARRANGE: "=",
    BEST_DEFEND: "+",
    **dict(zip(DISCARDS, CARD_CODES, strict=True)),
    **{knock: code + "!" for knock, code in zip(KNOCKS, CARD_CODES, strict=True)},
}
_ACTIONS = {code: action for action, code in _CODES.items()}
_OWN = "?"


class RecordError(ValueError):
    """The bytes are no record, or the record does not replay to the result it claims."""


@dataclass(frozen=True, slots=True)
class HandRecord:
    """The actions of one hand."""

    actions: str = ""
    times: str = ""
    """One level for each action."""
    shown: tuple[str, ...] = ()
    """The words (`format_action`) of the showdown actions that were the bot's own choice."""

    @classmethod
    def of(cls, actions: Sequence[Action], seconds: Sequence[float]) -> HandRecord:
        """The record of the actions and the time each took."""
        codes = [_CODES.get(action, _OWN) for action in actions]
        own = tuple(format_action(action) for action, code in zip(actions, codes, strict=True) if code == _OWN)
        return cls("".join(codes), "".join([TIME_CODES[_level(second)] for second in seconds]), own)

    def moves(self) -> Iterator[tuple[Action, float]]:
        """Each action and about how many seconds it took. Raises RecordError when the text is no record."""
        codes, own = iter(_split(self.actions)), iter(self.shown)
        count = 0
        for code in codes:
            if count >= len(self.times) or (level := TIME_CODES.find(self.times[count])) < 0:
                raise RecordError("A hand's times do not fit its actions.")
            count += 1
            yield _own_action(next(own, "")) if code == _OWN else _action(code), _seconds(level)
        if count != len(self.times) or next(own, None) is not None:
            raise RecordError("A hand's times or showdowns do not fit its actions.")


def _level(seconds: float) -> int:
    if seconds < FIRST_LEVEL_SECONDS:
        return 0
    return min(len(TIME_CODES) - 1, 1 + int(LEVELS_PER_DECADE * math.log10(seconds / FIRST_LEVEL_SECONDS)))


def _seconds(level: int) -> float:
    """The middle of a level."""
    return FIRST_LEVEL_SECONDS * 10 ** ((level - 0.5) / LEVELS_PER_DECADE) if level else 0.0


def _split(actions: str) -> Iterator[str]:
    """The codes of the actions: one character, or two with a knock."""
    at = 0
    while at < len(actions):
        length = 2 if actions[at + 1 : at + 2] == "!" else 1
        yield actions[at : at + length]
        at += length


def _action(code: str) -> Action:
    action = _ACTIONS.get(code)
    if action is None:
        raise RecordError(f"{code!r} is no action of a record.")
    return action


def _own_action(word: str) -> Action:
    try:
        action = parse_action(word)
    except ValueError as error:
        raise RecordError(str(error)) from None
    if not isinstance(action, Arrange | Defend) or action in _CODES:
        raise RecordError(f"{word!r} is no showdown of a bot's own.")
    return action
