"""Whether one bot's results against another could be chance: the exact sign-flip test on the scores of their matches.

Were two bots equally strong, each match would have come out the other way round just as likely. The test asks in what
share of all 2^n such worlds the total would lie at least as far from an even score; it assumes nothing else, and counts
a pair of card-sharing games once, as it should.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

LEVEL = 0.05
"""Below this chance of a difference so large between equals, it is called significant."""
_EXACT_UP_TO = 300
"""Matches; beyond them the normal approximation is as good."""


def chance_of(counts: Mapping[int, int]) -> float:
    """The two-sided p-value, 0..1, of `counts` matches by one side's score in quarters (0..4); 1.0 for none."""
    narrow, clear = counts.get(1, 0) + counts.get(3, 0), counts.get(0, 0) + counts.get(4, 0)
    lead = abs(sum((quarters - 2) * count for quarters, count in counts.items()))
    if narrow + clear > _EXACT_UP_TO:
        # The total of independent +-1 and +-2, which moves by steps of 2; half a step is the usual correction.
        spread = math.sqrt(narrow + 4 * clear)
        return min(1.0, math.erfc(max(0.0, lead - 1) / spread / math.sqrt(2)))
    ups, doubles = _ways(narrow), _ways(clear)
    worlds = sum(
        ups[up] * doubles[double]
        for up in range(narrow + 1)
        for double in range(clear + 1)
        if abs(2 * up - narrow + 2 * (2 * double - clear)) >= lead
    )
    return float(worlds / 2 ** (narrow + clear))


def _ways(matches: int) -> list[int]:
    """In how many ways 0, 1, ... of so many matches can be won."""
    return [math.comb(matches, won) for won in range(matches + 1)]
