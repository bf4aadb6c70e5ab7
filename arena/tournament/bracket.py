"""The shape of a knockout: its matches, what feeds them, and where each stands in a drawing.

Nothing here knows a result. Places that a bracket's power of two leaves without an entrant are resolved at once, so
every match of the shape has two sides that somebody will fill.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from arena.tournament.schedule import bracket_order, bracket_size


class Side(Enum):
    """A part of a bracket."""

    WINNERS = "winners"
    """The only one in single elimination."""
    LOSERS = "losers"
    FINAL = "final"
    """The grand final of double elimination."""


class Takes(Enum):
    """Whom a place takes."""

    SEED = "seed"
    WINNER = "winner"
    LOSER = "loser"


@dataclass(frozen=True, slots=True)
class Feeder:
    """Where a side of a match comes from."""

    takes: Takes
    seed: int | None = None
    """From 1, for a seed."""
    match: str | None = None
    """The key of the match whose winner or loser it takes."""


@dataclass(frozen=True, slots=True)
class Node:
    """A match of a bracket."""

    key: str
    """`W2.1` is the first of the second round of the winners' side; `L` the losers' side, `F1.1` the grand final and
    `F2.1` its second match."""
    side: Side
    round: int
    """The place of its round in `Layout.rounds`, from 1: a round is fed by earlier ones alone."""
    feeders: tuple[Feeder, Feeder]
    column: int
    """Where to draw it, from left to right, from 0: whatever feeds it is further left."""
    row: float
    """Where to draw its middle, from top to bottom, from 0: neighbours of one column are at least 1 apart."""
    is_reset: bool = False
    """Whether it is the second match of a grand final, played only if the unbeaten side lost the first."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The shape of a whole bracket."""

    entrants: int
    rounds: tuple[str, ...]
    """Their names, in an order in which they can be played."""
    nodes: tuple[Node, ...]
    """In the order of the rounds, from top to bottom in each."""

    @property
    def columns(self) -> int:
        """How many columns a drawing has."""
        return 1 + max((node.column for node in self.nodes), default=-1)

    @property
    def rows(self) -> float:
        """How many rows a drawing has."""
        return 1 + max((node.row for node in self.nodes), default=-1.0)


@dataclass(frozen=True, slots=True)
class _Draft:
    """A match before empty places are resolved and positions are known."""

    label: str
    side: Side
    level: int
    """Its round on its side, from 1."""
    feeders: tuple[Feeder, Feeder]
    column: int


def single_elimination(entrants: int) -> Layout:
    """The bracket of so many entrants, one or more."""
    return _layout(entrants, _winners(entrants))


def double_elimination(entrants: int, *, reset: bool = True) -> Layout:
    """The brackets of so many entrants, two or more, and the grand final.

    Losers of the winners' rounds from the second on enter the losers' side in reversed halves, so that those who have
    met meet again as late as can be.
    """
    winners = _winners(entrants)
    depth = len(winners)
    rounds: list[list[_Draft]] = [winners[0]]
    previous: list[_Draft] = []
    for number in range(2, depth + 1):
        if number == 2:
            minor = _pair_up([_loser(match) for match in winners[0]], 1)
        else:
            minor = _pair_up([_winner(match) for match in previous], 2 * number - 3)
        dropped = winners[number - 1]
        previous = [
            _losers(2 * number - 2, index, (_loser(dropped[_crossed(index, number, len(dropped))]), _winner(match)))
            for index, match in enumerate(minor)
        ]
        # The second winners' round needs the first alone, and so does the first losers' round.
        rounds += [dropped, minor, previous]
    last = _winner(previous[0]) if previous else _loser(winners[0][0])
    column = max(2 * depth - 1, 1)
    final = _Draft("F1.1", Side.FINAL, 1, (_winner(winners[-1][0]), last), column)
    rounds.append([final])
    if reset:
        # It is played only when the second side won, so the loser of the first match is the side that stood first.
        rounds.append([_Draft("F2.1", Side.FINAL, 2, (_loser(final), _winner(final)), column + 1)])
    return _layout(entrants, rounds)


def _winners(entrants: int) -> list[list[_Draft]]:
    size = bracket_size(entrants)
    feeders = [Feeder(Takes.SEED, seed=seed) for seed in bracket_order(size)]
    rounds: list[list[_Draft]] = []
    while len(feeders) > 1:
        level = len(rounds) + 1
        rounds.append(
            [
                _Draft(f"W{level}.{index + 1}", Side.WINNERS, level, pair, level - 1)
                for index, pair in enumerate(_twos(feeders))
            ]
        )
        feeders = [_winner(match) for match in rounds[-1]]
    return rounds


def _pair_up(feeders: list[Feeder], level: int) -> list[_Draft]:
    return [_losers(level, index, pair) for index, pair in enumerate(_twos(feeders))]


def _losers(level: int, index: int, feeders: tuple[Feeder, Feeder]) -> _Draft:
    return _Draft(f"L{level}.{index + 1}", Side.LOSERS, level, feeders, level)


def _twos(feeders: list[Feeder]) -> list[tuple[Feeder, Feeder]]:
    return list(zip(feeders[::2], feeders[1::2], strict=True))


def _winner(match: _Draft) -> Feeder:
    return Feeder(Takes.WINNER, match=match.label)


def _loser(match: _Draft) -> Feeder:
    return Feeder(Takes.LOSER, match=match.label)


def _crossed(index: int, number: int, count: int) -> int:
    """Which loser of winners' round `number` meets the losers' side's match `index`, of `count` a power of two."""
    return index ^ (count - 1 if number % 2 == 0 else count // 2)


def _layout(entrants: int, drafts: list[list[_Draft]]) -> Layout:
    """Resolve the empty places, number the rounds that are left, and set every match in its row."""
    resolved: dict[Feeder, Feeder | None] = {}

    def resolve(feeder: Feeder) -> Feeder | None:
        if feeder.takes is Takes.SEED:
            return feeder if (feeder.seed or 0) <= entrants else None
        return resolved.get(feeder, feeder)

    rounds: list[list[_Draft]] = []
    for draft in drafts:
        kept = []
        for match in draft:
            first, second = map(resolve, match.feeders)
            if first is None or second is None:
                resolved[_winner(match)] = first or second
                resolved[_loser(match)] = None
            else:
                kept.append(replace(match, feeders=(first, second)))
        if kept:
            rounds.append(kept)
    keys = _keys(rounds)
    named = [[replace(match, feeders=_renamed(match.feeders, keys)) for match in matches] for matches in rounds]
    double = len(rounds) > 0 and rounds[-1][0].side is Side.FINAL
    rows = _rows([match for matches in named for match in matches], keys)
    nodes = [
        Node(
            keys[match.label],
            match.side,
            number,
            match.feeders,
            # With a losers' side between them, the winners' rounds stand two columns apart.
            2 * match.level - 3 if double and match.side is Side.WINNERS and match.level > 1 else match.column,
            rows[keys[match.label]],
            is_reset=match.label == "F2.1",
        )
        for number, matches in enumerate(named, start=1)
        for match in matches
    ]
    return Layout(entrants, tuple(_names(rounds)), tuple(_shifted(nodes)))


def _keys(rounds: list[list[_Draft]]) -> dict[str, str]:
    """The key of each match by its label: rounds of a side are counted anew, for some may have been empty."""
    keys: dict[str, str] = {}
    counts = dict.fromkeys(Side, 0)
    for matches in rounds:
        side = matches[0].side
        counts[side] += 1
        letter = matches[0].label[0]
        keys |= {match.label: f"{letter}{counts[side]}.{index}" for index, match in enumerate(matches, start=1)}
    return keys


def _renamed(feeders: tuple[Feeder, Feeder], keys: dict[str, str]) -> tuple[Feeder, Feeder]:
    first, second = (
        feeder if feeder.match is None else replace(feeder, match=keys[feeder.match]) for feeder in feeders
    )
    return first, second


def _names(rounds: list[list[_Draft]]) -> list[str]:
    last = {matches[0].side: matches[0].level for matches in rounds}
    double = Side.FINAL in last
    names = []
    counts = dict.fromkeys(Side, 0)
    for matches in rounds:
        side, level = matches[0].side, matches[0].level
        counts[side] += 1
        if side is Side.FINAL:
            names.append("Grand final" if level == 1 else "Grand final, second match")
        elif not double:
            to_come = last[side] - level
            names.append({0: "Final", 1: "Semi-finals", 2: "Quarter-finals"}.get(to_come, f"Round of {2 << to_come}"))
        else:
            whose = "Winners" if side is Side.WINNERS else "Losers"
            names.append(f"{whose}' final" if level == last[side] else f"{whose}' round {counts[side]}")
    return names


def _rows(matches: list[_Draft], keys: dict[str, str]) -> dict[str, float]:
    """A row for each match: those that nothing of their side feeds take the next one, the others the middle of theirs.

    The losers' side stands below the winners', a row left free between them.
    """
    by_key = {keys[match.label]: match for match in matches}
    rows: dict[str, float] = {}
    free = 0.0

    def place(key: str) -> None:
        nonlocal free
        match = by_key[key]
        fed = [
            feeder.match
            for feeder in match.feeders
            if feeder.match is not None and feeder.takes is Takes.WINNER and by_key[feeder.match].side is match.side
        ]
        for before in fed:
            if before not in rows:
                place(before)
        if fed:
            rows[key] = sum(rows[before] for before in fed) / len(fed)
        else:
            rows[key] = free
            free += 1

    for side in (Side.WINNERS, Side.LOSERS):
        own = [key for key, match in by_key.items() if match.side is side]
        if own:
            place(own[-1])
            free += 1
    for key, match in by_key.items():
        if match.side is Side.FINAL:
            feeding = [rows[feeder.match] for feeder in match.feeders if feeder.match is not None]
            rows[key] = sum(feeding) / len(feeding)
    return rows


def _shifted(nodes: list[Node]) -> list[Node]:
    """The same matches without columns that stayed empty."""
    used = {column: place for place, column in enumerate(sorted({node.column for node in nodes}))}
    return [replace(node, column=used[node.column]) for node in nodes]
