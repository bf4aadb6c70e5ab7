"""Matches that not everybody may see: in no list, and at their own addresses only for those who are let in.

Who that is, the app decides that had them played.
"""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest

from ladder.models import Match

LetsIn = Callable[[HttpRequest, Match], bool]

_doors: list[LetsIn] = []


def ask(lets_in: LetsIn) -> None:
    """Have private matches shown to those whom this lets in as well."""
    _doors.append(lets_in)


def may_see(request: HttpRequest, match: Match) -> bool:
    """Whether the reader may see the match and all that belongs to it."""
    return not match.is_private or any(lets_in(request, match) for lets_in in _doors)
