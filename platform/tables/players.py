"""Who plays: a browser, known by a signed cookie, and the account that is logged in there, if any."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac
from ninja.throttling import BaseThrottle

from tables.models import Table

COOKIE = "player"
KEPT_SECONDS = 400 * 24 * 3600
"""The longest that browsers keep a cookie."""
_KEY = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class Player:
    """A person at a browser."""

    key: str
    user: User | None
    origin: str
    """A keyed hash of their address."""

    def owns(self, table: Table) -> bool:
        """Whether it is this person who plays there."""
        return table.player == self.key or (self.user is not None and table.user_id == self.user.pk)

    def keep(self, response: HttpResponse) -> None:
        """Remember the person in the browser that gets `response`."""
        response.set_signed_cookie(
            COOKIE,
            self.key,
            salt=__name__,
            max_age=KEPT_SECONDS,
            samesite="Lax",
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
        )


def player_of(request: HttpRequest) -> Player:
    """The request's player; one without the cookie is a new one."""
    key = request.get_signed_cookie(COOKIE, default="", salt=__name__)
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        key = secrets.token_hex(16)
    address = BaseThrottle().get_ident(request) or ""  # as the API's throttle: it knows the proxies
    user = request.user if isinstance(request.user, User) else None
    return Player(key, user, salted_hmac(__name__, address).hexdigest()[:32])
