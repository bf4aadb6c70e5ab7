"""Who plays whom on a ladder: newcomers sooner, then the opponent from whom the match tells most.

A draw in proportion to weights looks at all bots only where guessing fails: one is proposed blindly and kept with its
weight as the probability, which is the same draw. So a pair costs the same among a hundred bots and ten thousand.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random

from arena.elo import expected_score

NEWCOMER_WEIGHT = 4.0
NEWCOMER_MATCHES = 6.0
CLOSENESS = 16
PLACEMENT_MATCHES = 6
"""A bot with fewer is drawn before anybody else: on a large ladder its weight alone would let it wait long."""
MAX_SHARE = 0.25
BLIND_TRIES = 100

NEVER = -math.inf
"""The logarithm of no weight at all."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A bot that could play."""

    id: int
    owner: int | None
    """Bots of one owner never meet; house bots have none and may meet each other."""
    rating_milli: int
    games: int
    """Rated matches it has finished."""


Meetings = Callable[[int], Mapping[int, int]]
"""How often the bot of this id has met each other bot; who is missing, never."""


def pairings(
    candidates: Sequence[Candidate],
    meetings: Meetings,
    rng: Random,
    *,
    running: Mapping[int, int] | None = None,
    max_share: float = MAX_SHARE,
) -> Iterator[tuple[int, int]]:
    """The ids of the next two bots to play each other, again and again, until no two may.

    First comes one with fewer than PLACEMENT_MATCHES played and running matches, if there is any, else one of all; in
    either case with weight 1+4/(1+n/6) for n finished matches. The second is drawn with weight (4E(1-E))^16/(1+m) for
    an expected score E and m earlier meetings. `running` counts each bot's matches that are queued or played now. No
    bot gets more than `max_share` of them all, or than one and a half even shares where that is more; one match is
    always allowed. Every pair that was handed out counts as running, and as a meeting.
    """
    field = _Field(candidates, meetings, rng, running or {}, max_share)
    while (pair := field.next_pair()) is not None:
        yield pair


def pair_key(first: int, second: int) -> tuple[int, int]:
    """The key of two bots in a table of meetings, the same in either order."""
    return (first, second) if first <= second else (second, first)


class _Field:
    """Who may play, and who plays already."""

    def __init__(
        self,
        candidates: Sequence[Candidate],
        meetings: Meetings,
        rng: Random,
        running: Mapping[int, int],
        max_share: float,
    ) -> None:
        self._all = candidates
        self._placing = list(candidates)
        self._meetings = meetings
        self._rng = rng
        self._live = Counter(dict(running))
        self._matches = self._live.total() / 2
        self._share = max(max_share, 3 / max(1, len(candidates)))
        self._chosen: Counter[tuple[int, int]] = Counter()
        self._kin = Counter(one.owner for one in candidates)
        self._playing = {one.id: one for one in candidates if one.id in self._live}
        self._most = 0
        """How many live matches a bot may have; who has them is full."""
        self._full: Counter[int | None] = Counter()
        """How many bots of each owner are full."""

    def next_pair(self) -> tuple[int, int] | None:
        self._most = max(1, math.ceil((self._matches + 1) * self._share))
        self._full = Counter(one.owner for one in self._playing.values() if self._is_full(one))
        self._placing = [one for one in self._placing if one.games + self._live[one.id] < PLACEMENT_MATCHES]
        first = self._draw(self._placing, self._eagerness) or self._draw(self._all, self._eagerness)
        if first is None:
            return None
        second = self._draw(self._all, partial(self._interest, first, self._meetings(first.id)))
        assert second is not None, "Whoever is drawn first has an opponent."
        for one in (first, second):
            self._live[one.id] += 1
            self._playing[one.id] = one
        self._matches += 1
        self._chosen[pair_key(first.id, second.id)] += 1
        return first.id, second.id

    def _draw(self, pool: Sequence[Candidate], log_weight: Callable[[Candidate], float]) -> Candidate | None:
        """One of the pool in proportion to its weight, whose logarithm is at most 0; None when nobody has any."""
        if not pool:
            return None
        for _ in range(BLIND_TRIES):
            one = self._rng.choice(pool)
            if self._rng.random() < math.exp(log_weight(one)):
                return one
        # Logarithms, for the power of a far opponent's expectation underflows.
        logs = [log_weight(one) for one in pool]
        best = max(logs)
        return None if best == NEVER else self._rng.choices(pool, [math.exp(log - best) for log in logs])[0]

    def _eagerness(self, one: Candidate) -> float:
        """The logarithm of the weight to be drawn first, over that of a bot without matches."""
        free = len(self._all) - self._full.total()
        kin = 1 if one.owner is None else self._kin[one.owner] - self._full[one.owner]
        if self._is_full(one) or free <= kin:
            return NEVER
        return math.log((1 + NEWCOMER_WEIGHT / (1 + one.games / NEWCOMER_MATCHES)) / (1 + NEWCOMER_WEIGHT))

    def _interest(self, first: Candidate, met: Mapping[int, int], other: Candidate) -> float:
        """The logarithm of the weight of a match between the two."""
        same_owner = first.owner is not None and first.owner == other.owner
        if first.id == other.id or same_owner or self._is_full(other):
            return NEVER
        expected = expected_score(first.rating_milli, other.rating_milli)
        closeness = math.log(4 * expected) + math.log(expected_score(other.rating_milli, first.rating_milli))
        return CLOSENESS * closeness - math.log(1 + met.get(other.id, 0) + self._chosen[pair_key(first.id, other.id)])

    def _is_full(self, one: Candidate) -> bool:
        return self._live[one.id] >= self._most
