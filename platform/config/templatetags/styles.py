"""The style sheets of a page: in the page itself for a guest, a file that the browser keeps for who is logged in."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path

from django import template
from django.conf import settings
from django.contrib.staticfiles import finders
from django.template import Context
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from config.middleware import is_of_an_account, permit_style

register = template.Library()


@register.simple_tag(takes_context=True)
def stylesheet(context: Context, path: str) -> SafeString:
    """A style sheet of ours, such as "css/site.css".

    A guest's page brings it along, packed with the rest: fetched by a slow phone it comes among all the other files,
    and the page is drawn a quarter of a second later (`python -m bench.phone`).
    """
    request = context.get("request")
    if request is None or is_of_an_account(request) or settings.DEBUG:
        return format_html('<link rel="stylesheet" href="{}">', static(path))
    text, digest = _sheet(path)
    permit_style(request, digest)
    return mark_safe(f"<style>{text}</style>")  # a file of the site, in which nobody writes


@cache
def _sheet(path: str) -> tuple[str, str]:
    """The text of a style sheet, and its hash as a Content-Security-Policy has it."""
    found = finders.find(path)
    assert found is not None, path
    text = Path(found).read_text()
    return text, "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
