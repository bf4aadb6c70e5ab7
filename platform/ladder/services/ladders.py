"""The ladders themselves."""

from __future__ import annotations

from arena.rules import CLASSIC, RULE_SETS
from ladder.models import Ladder


def ensure_default_ladder() -> Ladder:
    """The ladder every arena has; made at the first call, otherwise left as the operator set it."""
    return ensure_ladder(rule_set=CLASSIC.name)


def ensure_ladder(*, rule_set: str) -> Ladder:
    """The ladder named like the rule set; made open at the first call, otherwise left as the operator set it.

    Raises ValueError when there is no rule set of that name.
    """
    if rule_set not in RULE_SETS:
        raise ValueError(f"There is no rule set {rule_set!r}; there are {', '.join(RULE_SETS)}.")
    name = rule_set.replace("-", " ").capitalize()
    ladder, _ = Ladder.objects.get_or_create(slug=rule_set, defaults={"name": name, "rule_set": rule_set})
    return ladder
