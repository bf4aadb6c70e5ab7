"""A bracket as the results have it: who stands where, what can be played, who is out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from arena.tournament.bracket import Feeder, Layout, Node, Takes
from arena.tournament.pairings import Pairing, Round, knockout_pairing
from arena.tournament.results import Book


class State(Enum):
    """How far a match of a bracket is."""

    WAITING = "waiting"
    """Somebody who plays it is not known yet."""
    PLAYING = "playing"
    """Both are known; it can be played."""
    OVER = "over"
    NOT_NEEDED = "not needed"
    """A grand final's second match after the unbeaten side won the first."""


@dataclass(frozen=True, slots=True)
class BracketMatch:
    """A match of a bracket and what is known of it."""

    node: Node
    """Its key, its feeders and its place in a drawing."""
    sides: tuple[int | None, int | None]
    """The entrants, each as soon as it is known."""
    state: State
    pairing: Pairing | None
    """What is played, once both are known."""
    winner: int | None
    """None before it is over."""


@dataclass(frozen=True, slots=True)
class Bracket:
    """A whole bracket."""

    seeds: tuple[int, ...]
    """The entrants by their seed in it."""
    layout: Layout
    matches: tuple[BracketMatch, ...]
    """In the order of `layout.nodes`."""
    rounds: tuple[Round, ...]
    """Without the rounds that are not needed."""
    out_in: dict[int, int]
    """The round in which each entrant that is out went out."""

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to play."""
        return all(match.state in (State.OVER, State.NOT_NEEDED) for match in self.matches)

    @property
    def winner(self) -> int | None:
        """Who won it, once it is over. The only entrant wins a bracket of one."""
        if not self.matches:
            return self.seeds[0]
        played = [match for match in self.matches if match.state is not State.NOT_NEEDED]
        return played[-1].winner if self.is_over else None


def play_bracket(
    layout: Layout, seeds: Sequence[int], matches: int, book: Book, left: Sequence[int], *, rounds_before: int = 0
) -> Bracket:
    """The bracket of these entrants after these results; its rounds are counted on from `rounds_before`.

    `left` are those who left, in that order.
    """
    return _Fold(layout, seeds, matches, book, left, rounds_before).bracket()


class _Fold:
    def __init__(
        self, layout: Layout, seeds: Sequence[int], matches: int, book: Book, left: Sequence[int], rounds_before: int
    ) -> None:
        self._layout, self._seeds, self._matches = layout, seeds, matches
        self._book, self._left, self._rounds_before = book, left, rounds_before
        self._sides: dict[Feeder, int] = {}
        self._out_in: dict[int, int] = {}
        self._done: list[BracketMatch] = []
        self._second_chance = {
            feeder.match for node in layout.nodes for feeder in node.feeders if feeder.takes is Takes.LOSER
        }

    def bracket(self) -> Bracket:
        for node in self._layout.nodes:
            self._done.append(self._match(node))
        return Bracket(
            tuple(self._seeds), self._layout, tuple(self._done), tuple(self._rounds(self._done)), self._out_in
        )

    def _match(self, node: Node) -> BracketMatch:
        first, second = map(self._side, node.feeders)
        if node.is_reset and self._unbeaten_won(node):
            if first is not None:
                self._out_in[first] = self._rounds_before + node.round - 1
            return BracketMatch(node, (None, None), State.NOT_NEEDED, None, None)
        if first is None or second is None:
            return BracketMatch(node, (first, second), State.WAITING, None, None)
        round_ = self._rounds_before + node.round
        better = min(first, second, key=self._seeds.index)
        pairing = knockout_pairing(round_, (first, second), self._matches, self._book, self._left, better)
        if pairing.winner is None or pairing.loser is None:
            return BracketMatch(node, (first, second), State.PLAYING, pairing, None)
        self._sides[Feeder(Takes.WINNER, match=node.key)] = pairing.winner
        self._sides[Feeder(Takes.LOSER, match=node.key)] = pairing.loser
        if node.key not in self._second_chance:
            self._out_in[pairing.loser] = round_
        return BracketMatch(node, (first, second), State.OVER, pairing, pairing.winner)

    def _side(self, feeder: Feeder) -> int | None:
        return self._seeds[feeder.seed - 1] if feeder.seed is not None else self._sides.get(feeder)

    def _unbeaten_won(self, node: Node) -> bool:
        """Whether the first match of this grand final leaves nothing to play again."""
        final = next(match for match in self._done if match.node.key == node.feeders[0].match)
        return final.winner is not None and final.winner == final.sides[0]

    def _rounds(self, matches: Sequence[BracketMatch]) -> list[Round]:
        rounds = []
        for index, name in enumerate(self._layout.rounds, start=1):
            own = [match for match in matches if match.node.round == index]
            if all(match.state is State.NOT_NEEDED for match in own):
                continue
            seeded = {feeder.seed for match in own for feeder in match.node.feeders}
            byes = [entrant for seed, entrant in enumerate(self._seeds, start=1) if seed not in seeded]
            rounds.append(
                Round(
                    self._rounds_before + index,
                    name,
                    tuple(match.pairing for match in own if match.pairing is not None),
                    tuple(byes) if index == 1 else (),
                    all(match.state in (State.OVER, State.NOT_NEEDED) for match in own),
                )
            )
        return rounds
