"""Errors that no view answers: as the site's pages, and at the API's addresses as JSON, like all others there."""

from __future__ import annotations

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, HttpResponseServerError, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views import defaults

from accounts import look
from arena.record import RecordError
from ladder.replay import note_damage
from ladder.replay_pages import FRAMEABLE

FRAME = "ladder:embed"
"""The view whose answers other sites may frame."""
FILES = {FRAME, "ladder:text", "ladder:position", "ladder:record"}
"""Views that bring a file, or a page without the site around it."""
RESULT_STANDS = "Its result stands: scores and ratings are kept apart from it."


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


def damaged_record(request: HttpRequest, error: RecordError) -> HttpResponse:
    """A stored record that cannot be read, whatever page asked for it: gone until somebody brings it back."""
    asked = request.resolver_match
    assert asked is not None
    what, back, then = request.path, "", "Go back to your code and try the draft out again."
    game = "this trial"
    match asked.kwargs:
        case {"match_id": match_id}:
            what = game = f"match {match_id}"
            back, then = reverse("ladder:match", args=[match_id]), RESULT_STANDS
        case {"token": token}:
            game, back, then = "this game", reverse("tables:table", args=[token]), RESULT_STANDS
    note_damage(what, error)
    said = f"The record of {game} is damaged, so that its moves cannot be shown. {then}"
    response: HttpResponse
    if _is_api(request) or request.path.endswith(".json"):
        response = JsonResponse({"error": said})
    elif asked.view_name in FILES:
        response = HttpResponse(said + "\n", content_type="text/plain; charset=utf-8")
    else:
        response = render(request, "damaged_record.html", {"game": game, "said": said, "back": back})
    response.status_code = HTTPStatus.GONE
    response["Cache-Control"] = "no-store"
    if asked.view_name == FRAME:
        response["Content-Security-Policy"] = FRAMEABLE
        response.xframe_options_exempt = True
    return response


def _is_api(request: HttpRequest) -> bool:
    return request.path_info.startswith(reverse("api_docs"))
