"""What is being played, for templates."""

from django import template

from ladder.live import LiveMatch, live_match

register = template.Library()


@register.simple_tag
def live_of(match_id: int) -> LiveMatch | None:
    """The match as it stands now; None unless it is being played."""
    return live_match(match_id)
