"""What pages show of tournaments: moments in two zones, and what a user was told, on pages of `bots` too."""

from datetime import datetime

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ladder.templatetags.arena import moment
from tournaments.models import Fixture, Tournament
from tournaments.queries import notices_for

register = template.Library()

register.simple_tag(notices_for)


@register.simple_tag
def in_zone(when: datetime, tournament: Tournament) -> SafeString:
    """A moment in the reader's zone, and behind it in the creator's."""
    local = when.astimezone(tournament.zone_info)
    return format_html(
        "{} <small>{} {}</small>",
        moment(when),
        local.strftime("%Y-%m-%d %H:%M"),
        tournament.zone,
    )


@register.simple_tag
def fixture_of(match_id: int) -> Fixture | None:
    """The place of a match in its tournament."""
    return Fixture.objects.select_related("tournament").filter(pk=match_id).first()
