"""The order of a ladder, kept in this process for a moment: ranks and pages without counting rows for every reader.

A ladder of ten thousand bots changes with every match and is read far more often. Each process sorts it now and then
(`ladder.fresh`); a rank may be that old, what stands in its row is always read afresh.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import FilteredRelation, Q

from bots.models import Bot, BotVersion
from ladder.fresh import Fresh


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
    versions: dict[int, int]
    """The current one of each bot that plays, listed or not."""

    def rank(self, version_id: int) -> int | None:
        """From 1; None for a version that is not listed or waits for its first match."""
        index = self.index.get(version_id)
        return None if index is None or self.places[index].waits else index + 1

    def of(self, versions: Iterable[int]) -> Order:
        """The places of those of the versions that are listed."""
        indices = sorted(self.index[version] for version in versions if version in self.index)
        return _order([self.places[index] for index in indices], self.versions)

    def of_bots(self, bots: Iterable[int]) -> Order:
        """The places of those of the bots that are listed."""
        return self.of(self.versions[bot] for bot in bots if bot in self.versions)

    def after(self, place: Place | None) -> int:
        """The index of the first place behind `place`, which itself need not be there any more."""
        return 0 if place is None else bisect_right(self.places, place)


def _order(places: list[Place], versions: dict[int, int]) -> Order:
    return Order(places, {place.version: index for index, place in enumerate(places)}, versions)


def _sorted(ladder_id: int) -> Order:
    # One walk over short rows, put together here: several times as fast as the newest version of each bot in turn.
    of_ladder = FilteredRelation("ratings", condition=Q(ratings__ladder=ladder_id))
    active = BotVersion.objects.filter(state=BotVersion.State.ACTIVE, bot__state=Bot.State.ACTIVE)
    rows = active.annotate(rating=of_ladder).order_by("bot", "number")
    # The current version of a bot is its newest, on this ladder or not yet.
    current = {
        bot: (matches, milli, version)
        for bot, matches, milli, version in rows.values_list("bot", "rating__matches", "rating__milli", "pk")
    }
    places = sorted(
        Place(matches == 0, -milli, version) for matches, milli, version in current.values() if milli is not None
    )
    return _order(places, {bot: version for bot, (_, _, version) in current.items()})


order_of: Fresh[int, Order] = Fresh(_sorted)
"""The order of a ladder by its key."""
