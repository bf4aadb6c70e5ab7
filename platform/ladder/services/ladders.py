"""The ladders themselves."""

from __future__ import annotations

from arena.rules import CLASSIC
from ladder.models import Ladder

DEFAULT_SLUG = "classic"


def ensure_default_ladder() -> Ladder:
    """The ladder every arena has; made at the first call, otherwise left as the operator set it."""
    ladder, _ = Ladder.objects.get_or_create(slug=DEFAULT_SLUG, defaults={"name": "Classic", "rule_set": CLASSIC.name})
    return ladder
