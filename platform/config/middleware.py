"""Headers that every response carries."""

from collections.abc import Callable
from http import HTTPStatus

from django.conf import settings
from django.http import HttpRequest, HttpResponse

POLICY = "; ".join(
    (
        "default-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
"""Everything from this origin, nothing inline: an upload's name or print can never run as script."""


class ContentSecurityPolicy:
    """Adds the site's Content-Security-Policy; a view that needs another one sets the header itself."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer the request and name the sources that its page may load."""
        response = self._get_response(request)
        # Django's own page for a programming error, shown to developers alone, is styled and scripted inline.
        if not (settings.DEBUG and response.status_code == HTTPStatus.INTERNAL_SERVER_ERROR):
            response.headers.setdefault("Content-Security-Policy", POLICY)
        return response
