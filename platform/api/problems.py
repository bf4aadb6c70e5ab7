"""Errors at the API's addresses that none of its views answers, as JSON like all others; elsewhere the site's pages."""

from __future__ import annotations

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, HttpResponseServerError, JsonResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.views import defaults

from accounts import look


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """What Django refuses to look at: an unknown host, a malformed address."""
    if _is_api(request):
        return JsonResponse({"error": "The request is malformed."}, status=HTTPStatus.BAD_REQUEST)
    return defaults.bad_request(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """Something broke here; it is in the log."""
    if _is_api(request):
        said = "Something broke on our side; it has been written to the log. Try again in a minute."
        return JsonResponse({"error": said}, status=HTTPStatus.INTERNAL_SERVER_ERROR)
    # Without the request: what else it would bring asks the database, which may be what broke.
    return HttpResponseServerError(render_to_string("500.html", look.context(request)))


def _is_api(request: HttpRequest) -> bool:
    return request.path_info.startswith(reverse("api_docs"))
