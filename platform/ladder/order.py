"""The order of a ladder, kept in this process for a moment: ranks and pages without counting rows for every reader.

A ladder of ten thousand bots changes with every match and is read far more often. Each process sorts it once in
LADDER_FRESH_SECONDS; a rank may be that old, what stands in its row is always read afresh.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from dataclasses import dataclass
from typing import NamedTuple

from django.conf import settings
from django.db.models import Max

from bots.models import Bot, BotVersion
from ladder.models import Rating


class Place(NamedTuple):
    """What a rating's place follows from, best first; written `0.1523400.17` it is where a page of the ladder ends."""

    waits: bool
    """For its first rated match: such ratings come last and have no rank."""
    below: int
    """Minus the rating in milli-Elo."""
    version: int

    @classmethod
    def parse(cls, text: str) -> Place:
        """The place that `str` gave. Raises ValueError for any other text."""
        waits, milli, version = (int(part) for part in text.split("."))
        return cls(bool(waits), -milli, version)

    def __str__(self) -> str:
        return f"{int(self.waits)}.{-self.below}.{self.version}"


@dataclass(frozen=True, slots=True)
class Order:
    """The places of the current versions of all playing bots, best first."""

    places: list[Place]
    index: dict[int, int]
    """Of each version in `places`."""

    def rank(self, version_id: int) -> int | None:
        """From 1; None for a version that is not listed or waits for its first match."""
        index = self.index.get(version_id)
        return None if index is None or self.places[index].waits else index + 1

    def after(self, place: Place | None) -> int:
        """The index of the first place behind `place`, which itself need not be there any more."""
        return 0 if place is None else bisect_right(self.places, place)


_kept: dict[int, tuple[float, Order]] = {}


def order_of(ladder_id: int) -> Order:
    """The order of the ladder, at most LADDER_FRESH_SECONDS old (and the time it takes to sort it)."""
    now = time.monotonic()
    found = _kept.get(ladder_id)
    if found is not None and now - found[0] < settings.LADDER_FRESH_SECONDS:
        return found[1]
    if found is not None:
        # Readers who come while this thread sorts take the old one.
        _kept[ladder_id] = (now, found[1])
    order = _sorted(ladder_id)
    _kept[ladder_id] = (now, order)
    return order


def _sorted(ladder_id: int) -> Order:
    # Two walks over short rows, put together here: several times as fast as the newest version of each bot in turn.
    active = BotVersion.objects.filter(state=BotVersion.State.ACTIVE, bot__state=Bot.State.ACTIVE)
    current = dict(active.order_by().values_list("bot").annotate(Max("number")))
    rows = Rating.objects.filter(ladder=ladder_id, version__in=active).values_list(
        "version__bot", "version__number", "matches", "milli", "version"
    )
    places = sorted(
        Place(matches == 0, -milli, version)
        for bot, number, matches, milli, version in rows
        if current.get(bot) == number
    )
    return Order(places, {place.version: index for index, place in enumerate(places)})
