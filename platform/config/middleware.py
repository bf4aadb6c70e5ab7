"""What is done to every response: its headers, packing what is no secret, and the answer where a record is damaged."""

from collections.abc import Callable
from http import HTTPStatus

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

from api.problems import damaged_record
from arena.record import RecordError

POLICY = "; ".join(
    (
        "default-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
"""Everything from this origin, nothing inline but what `permit_style` adds: an upload's name or print can never run as
script."""
_STYLES = "arena.styles"
"""In a request's META: hashes of the style sheets that its page has in itself."""


def permit_style(request: HttpRequest, digest: str) -> None:
    """Let the page that answers the request have a style sheet in itself: "sha256-" and its hash in base64."""
    request.META.setdefault(_STYLES, {})[digest] = True


def is_of_an_account(request: HttpRequest) -> bool:
    """Whether it comes from somebody who is logged in, or was."""
    return settings.SESSION_COOKIE_NAME in request.COOKIES


class ContentSecurityPolicy:
    """Adds the site's Content-Security-Policy; a view that needs another one sets the header itself."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer the request and name the sources that its page may load."""
        response = self._get_response(request)
        # Django's own page for a programming error, shown to developers alone, is styled and scripted inline.
        if not (settings.DEBUG and response.status_code == HTTPStatus.INTERNAL_SERVER_ERROR):
            styles = [f"'{digest}'" for digest in request.META.get(_STYLES, ())]
            policy = "; ".join((POLICY, *([f"style-src 'self' {' '.join(styles)}"] if styles else [])))
            response.headers.setdefault("Content-Security-Policy", policy)
        return response


class DamagedRecords:
    """Answers where a stored record cannot be read, in place of the page for programming errors."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Let the request through."""
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Django asks when a view has raised something."""
        return damaged_record(request, exception) if isinstance(exception, RecordError) else None


class PackedForGuests(GZipMiddleware):
    """Packs the pages of readers who are not logged in.

    Not one with a form's token, and none of an account's: the packed size would help to guess what in it is secret
    (BREACH).
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """The page, packed if the browser takes that and nothing in it is secret."""
        is_page = not response.streaming and response.headers.get("Content-Type", "").startswith("text/html")
        # Django's protection notes here the token that a browser has or that the page was given.
        has_secret = is_of_an_account(request) or "CSRF_COOKIE" in request.META
        return super().process_response(request, response) if is_page and not has_secret else response
