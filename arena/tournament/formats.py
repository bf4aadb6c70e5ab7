"""The formats of a tournament, each with what can be chosen about it.

Matches are mirrored pairs of games (`arena.elo.quarters`); `matches` says how many a pairing is made of.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, get_args


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRobin:
    """Everybody plays everybody."""

    matches: int = 1
    legs: int = 1
    """How often every two meet: 1, or 2 for a double round robin."""

    def __post_init__(self) -> None:
        _check("matches of a pairing", self.matches, 1)
        _check("legs of a round robin", self.legs, 1, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Swiss:
    """Rounds between entrants with about the same points, without rematches while they can be avoided."""

    rounds: int
    matches: int = 1

    def __post_init__(self) -> None:
        _check("rounds", self.rounds, 1)
        _check("matches of a pairing", self.matches, 1)

    def rounds_for(self, entrants: int) -> int:
        """The rounds that are played: no more than let everybody meet everybody, with one bye each where odd."""
        return min(self.rounds, entrants - 1 + entrants % 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleElimination:
    """One defeat and out."""

    matches: int = 1

    def __post_init__(self) -> None:
        _check("matches of a pairing", self.matches, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubleElimination:
    """Two defeats and out: who loses once goes on in the losers' bracket, whose winner plays the grand final."""

    matches: int = 1
    reset: bool = True
    """Whether the grand final is played again when its unbeaten side loses, so that everybody may lose once."""

    def __post_init__(self) -> None:
        _check("matches of a pairing", self.matches, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupsThenKnockout:
    """A round robin in each of several groups, then single elimination among the best of each."""

    matches: int = 1
    """Of a pairing in a group."""
    knockout_matches: int = 1
    group_size: int = 4
    """The most entrants of a group; sizes differ by one at most."""
    qualifiers: int = 2
    """How many of each group go on."""

    def __post_init__(self) -> None:
        _check("matches of a pairing", self.matches, 1)
        _check("matches of a pairing of the knockout", self.knockout_matches, 1)
        _check("entrants of a group", self.group_size, 3)
        _check("qualifiers of a group", self.qualifiers, 1, self.group_size - 1)


Format = RoundRobin | Swiss | SingleElimination | DoubleElimination | GroupsThenKnockout

_KINDS: dict[str, type[Format]] = {
    "round_robin": RoundRobin,
    "swiss": Swiss,
    "single_elimination": SingleElimination,
    "double_elimination": DoubleElimination,
    "groups_then_knockout": GroupsThenKnockout,
}
assert set(_KINDS.values()) == set(get_args(Format))


def format_to_dict(chosen: Format) -> dict[str, Any]:
    """The format as JSON can hold it: its `kind` and its fields."""
    kind = next(name for name, cls in _KINDS.items() if isinstance(chosen, cls))
    return {"kind": kind, **asdict(chosen)}


def format_from_dict(stored: Mapping[str, Any]) -> Format:
    """The format that `format_to_dict` stored. Raises ValueError when it is none."""
    fields = dict(stored)
    kind = _KINDS.get(fields.pop("kind", None))
    if kind is None:
        raise ValueError(f"The kind of a tournament's format is one of {', '.join(_KINDS)}.")
    try:
        return kind(**fields)
    except TypeError as error:
        raise ValueError(f"A format of that kind has other fields: {error}") from error


def _check(what: str, value: int, least: int, most: int | None = None) -> None:
    if not isinstance(value, int) or value < least or (most is not None and value > most):
        allowed = f"at least {least}" if most is None else f"{least} to {most}"
        raise ValueError(f"The number of {what} is {allowed}, not {value}.")
