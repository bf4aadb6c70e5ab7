"""Who plays whom in a Swiss round: a matching of least cost, which finds a pairing without a rematch if there is one.

The one module of `arena` that needs more than the standard library: networkx, for Edmonds' blossom algorithm.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

FIRST_CHOICES = 8
"""How many opponents of as many, of more and of fewer points each entrant is offered before it is offered others."""

Pair = tuple[int, int]
Edge = tuple[int, int, int]
"""(cost, upper place, lower place)"""


@lru_cache(maxsize=512)
def pair_round(
    order: tuple[Pair, ...], met: frozenset[frozenset[int]], rested: frozenset[int]
) -> tuple[tuple[Pair, ...], int | None]:
    """The pairs of a round, best first, and who has the bye.

    `order` is (entrant, quarters) for all who play, the best first; `met` has those who met, `rested` who had a bye.
    Of an odd number the lowest without a bye rests, provided that the others can then be paired without a rematch.
    Rematches happen only where nothing else is possible, and then as few as can be. The squares of the differences
    in points sum to about the least; among equals the upper half meets the lower. Nothing is random.
    Raises ImportError without networkx.
    """
    if len(order) % 2 == 0:
        return _pairs(order, met, rematches=False) or _pairs(order, met, rematches=True) or (), None
    resting = [index for index in reversed(range(len(order))) if order[index][0] not in rested]
    resting = resting or list(reversed(range(len(order))))
    for rematches in (False, True):
        for index in resting:
            pairs = _pairs(order[:index] + order[index + 1 :], met, rematches=rematches)
            if pairs is not None:
                return pairs, order[index][0]
    raise AssertionError("With rematches everybody can be paired.")


def _pairs(order: Sequence[Pair], met: frozenset[frozenset[int]], *, rematches: bool) -> tuple[Pair, ...] | None:
    """A pairing of an even number of entrants, or None if there is none without a rematch.

    The work grows with the edges, so each entrant is offered its cheapest opponents first: some of as many points, and
    some of more and of fewer, for any group of equals may be odd. Only where that leaves somebody over is it
    offered more.
    """
    near = _edges(order, met, rematches=rematches)
    choices = FIRST_CHOICES
    while True:
        matched = _matching({edge for edges in near for edge in edges[:choices]})
        if 2 * len(matched) == len(order):
            return tuple((order[i][0], order[j][0]) for i, j in matched)
        if choices >= len(order):
            return None
        choices *= 4


def _edges(order: Sequence[Pair], met: frozenset[frozenset[int]], *, rematches: bool) -> list[list[Edge]]:
    """The pairings of each place in the order with those of as many points, of fewer and of more, cheapest first."""
    half = _half_groups(order)
    # One squared quarter outweighs all that places can gain, and one rematch all differences in points.
    unit = len(order) ** 2
    rematch = unit * len(order) * (1 + order[0][1]) ** 2 if order else 0
    equals: list[list[Edge]] = [[] for _ in order]
    below: list[list[Edge]] = [[] for _ in order]
    above: list[list[Edge]] = [[] for _ in order]
    for i, (first, points) in enumerate(order):
        for j in range(i + 1, len(order)):
            second, fewer = order[j]
            again = frozenset((first, second)) in met
            if again and not rematches:
                continue
            apart = abs(j - i - half[i]) if points == fewer else j - i
            edge = unit * (points - fewer) ** 2 + apart + rematch * again, i, j
            (equals if points == fewer else below)[i].append(edge)
            (equals if points == fewer else above)[j].append(edge)
    return [sorted(edges) for edges in (*equals, *below, *above)]


def _half_groups(order: Sequence[Pair]) -> list[int]:
    """For each place, half the number of those with as many points."""
    sizes: dict[int, int] = {}
    for _, points in order:
        sizes[points] = sizes.get(points, 0) + 1
    return [max(1, sizes[points] // 2) for _, points in order]


def _matching(edges: set[Edge]) -> list[Pair]:
    """The largest matching, and of those the cheapest, in order."""
    try:
        import networkx as nx
    except ImportError as error:
        raise ImportError(
            "Swiss pairing needs networkx, which the arena's wheel does not bring: pip install networkx."
        ) from error
    graph: nx.Graph[int] = nx.Graph()
    for cost, i, j in sorted(edges, key=lambda edge: edge[1:]):
        graph.add_edge(i, j, weight=-cost)
    matched = nx.max_weight_matching(graph, maxcardinality=True)
    return sorted((min(edge), max(edge)) for edge in matched)
