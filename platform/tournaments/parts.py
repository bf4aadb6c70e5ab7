"""A large bracket in parts that fit a page each: its end, where the rounds are short, and the ways that lead there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arena.tournament import Bracket, BracketMatch, Side, Takes

MOST_WHOLE = 64
"""Matches of a bracket that is drawn whole."""
MOST_END = 32
"""Matches of one side that its end has at most: in single elimination those from the round of 32 on."""
MOST_PART = 48
"""Matches of any other part at most."""

_NAMES = {
    Side.WINNERS: "winners\N{RIGHT SINGLE QUOTATION MARK} part",
    Side.LOSERS: "losers\N{RIGHT SINGLE QUOTATION MARK} part",
}


@dataclass(frozen=True, slots=True)
class BracketPart:
    """A match and all that leads to it on its side of the bracket."""

    number: int
    """From 1, through both sides."""
    name: str
    matches: tuple[BracketMatch, ...]
    """In the bracket's order: the match that they lead to is the last."""
    best: int
    """The best seed of those who are known to play here; 0 if nobody is."""


def feeding(match: BracketMatch, among: dict[str, BracketMatch]) -> list[BracketMatch]:
    """Those of the matches, by their keys, whose winners play the match and are of its side."""
    found = [
        among[feeder.match] for feeder in match.node.feeders if feeder.match in among and feeder.takes is Takes.WINNER
    ]
    return [one for one in found if one.node.side is match.node.side]


def end_of(bracket: Bracket) -> tuple[BracketMatch, ...]:
    """The matches that a tournament's page draws: all of a small bracket, else the last rounds of each side."""
    if len(bracket.matches) <= MOST_WHOLE:
        return bracket.matches
    kept = {match.node.key for match in bracket.matches if match.node.side is Side.FINAL}
    for side in _sides(bracket):
        count = 0
        for level in _levels(side):
            count += len(level)
            if count > MOST_END:
                break
            kept |= {match.node.key for match in level}
    return tuple(match for match in bracket.matches if match.node.key in kept)


def parts_of(bracket: Bracket) -> tuple[BracketPart, ...]:
    """The parts beside the end of a large bracket, from top to bottom; they reach into the end. None of a small one."""
    if len(bracket.matches) <= MOST_WHOLE:
        return ()
    seeds = {entrant: seed for seed, entrant in enumerate(bracket.seeds, start=1)}
    sides = _sides(bracket)
    found: list[BracketPart] = []
    for side in sides:
        among = {match.node.key: match for match in side}
        ways: list[list[BracketMatch]] = []
        for level in _levels(side):
            ways = [list(_way_to(match, among)) for match in level]
            if max(map(len, ways)) <= MOST_PART:
                break
        name = "part" if len(sides) == 1 else _NAMES[side[0].node.side]
        for number, way in enumerate(ways, start=1):
            keys = {match.node.key for match in way}
            matches = tuple(match for match in side if match.node.key in keys)
            best = min(
                (seeds[entrant] for match in matches for entrant in match.sides if entrant is not None), default=0
            )
            found.append(BracketPart(len(found) + 1, f"{name} {number}", matches, best))
    return tuple(found)


def _sides(bracket: Bracket) -> list[list[BracketMatch]]:
    sides = [[match for match in bracket.matches if match.node.side is side] for side in (Side.WINNERS, Side.LOSERS)]
    return [side for side in sides if side]


def _levels(side: Sequence[BracketMatch]) -> Iterator[list[BracketMatch]]:
    """The matches of a side by how many more its winner has to win there: the last first."""
    among = {match.node.key: match for match in side}
    level = [side[-1]]
    while level:
        yield level
        level = [before for match in level for before in feeding(match, among)]


def _way_to(match: BracketMatch, among: dict[str, BracketMatch]) -> Iterator[BracketMatch]:
    yield match
    for before in feeding(match, among):
        yield from _way_to(before, among)
