"""What a page tells the sites where somebody shares a link to it (https://ogp.me)."""

from django import template
from django.conf import settings
from django.template import Context
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

register = template.Library()

NAME = "Gin Rummy Arena"
DESCRIPTION = "Upload a Python bot, watch it play Gin Rummy against others, climb the ladder."


@register.simple_tag(takes_context=True)
def social(context: Context, title: str = NAME, description: str = DESCRIPTION, picture: str = "") -> SafeString:
    """The page's <meta> tags; `picture` is the path of one drawn by `ladder.picture`."""
    request = context.get("request")
    facts = [("og:site_name", NAME), ("og:type", "website"), ("og:title", title), ("og:description", description)]
    if request is not None:
        facts.append(("og:url", settings.SITE_URL + request.path))
    if picture:
        facts += [("og:image", settings.SITE_URL + picture), ("og:image:width", "1200"), ("og:image:height", "630")]
        facts.append(("og:image:alt", title))
    card = "summary_large_image" if picture else "summary"
    return format_html(
        '{}\n  <meta name="twitter:card" content="{}">',
        format_html_join("\n  ", '<meta property="{}" content="{}">', facts),
        card,
    )


@register.simple_tag(takes_context=True)
def social_match(context: Context, title: str, description: str) -> SafeString:
    """`social` for a page of `view`'s match: with its picture once there is one for everybody."""
    match = context["view"].match
    has_picture = match.state == match.State.FINISHED and not match.is_private
    return social(context, title, description, reverse("ladder:picture", args=[match.pk]) if has_picture else "")
