"""What the admin shows to operators beside its tables."""

from __future__ import annotations

from django import template

from ladder import queries
from ladder.models import Check

register = template.Library()


@register.simple_tag
def alarms() -> list[Check]:
    """The checks that fail."""
    return queries.alarms()
