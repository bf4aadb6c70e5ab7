"""The pages on which a bot is written in the browser: it begins from one that plays, is tried out, and is submitted."""

import json
from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_safe

from arena.bots import HOUSE_BOTS
from arena.digits import whole_number
from arena.refusal import LIMITS
from bots import queries, services, starts, trials
from bots.forms import DraftBotForm, DraftForm
from bots.models import Bot, Trial
from bots.refusals import Refusal
from bots.trial_view import Problem, TrialView, trial_view
from bots.views import own_bot, takes_no_version, user_of

OPPONENT = "simple"
"""Who a draft is tried out against until its author chooses another: the one that the check plays too."""
_TOO_OFTEN = {"trial_running", "too_many_trials"}


def _for_authors(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """`login_required`, but a part of a page, which has no room for a form, says that nobody is logged in."""
    page = login_required(view)

    @wraps(view)
    def asked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if _is_fragment(request) and not request.user.is_authenticated:
            return render(request, "bots/_trial.html", {"is_logged_out": True}, status=HTTPStatus.UNAUTHORIZED)
        return page(request, *args, **kwargs)

    return asked


@_for_authors
@require_http_methods(["GET", "POST"])
@never_cache
def write(request: HttpRequest, slug: str | None = None) -> HttpResponse:
    """Write a new bot, or a new version of one's own; `try` in what is posted asks for a trial of it instead."""
    bot = None if slug is None else own_bot(request, slug)
    if bot is not None and (retired := takes_no_version(request, bot)) is not None:
        return retired
    form_class = DraftBotForm if bot is None else DraftForm
    if request.method != "POST":
        return _page(request, form_class(), bot=bot)
    form = form_class(request.POST)
    if "try" in request.POST:
        return _try_out(request, form, bot=bot)
    if form.is_valid():
        filename, data = form.upload()
        note = form.cleaned_data["note"]
        try:
            if bot is None:
                version = services.enter_bot(
                    owner=user_of(request), name=form.cleaned_data["name"], filename=filename, data=data, note=note
                )
            else:
                version = services.add_version(bot=bot, filename=filename, data=data, note=note)
        except Refusal as refused:
            form.refuse(refused)
        else:
            return redirect(version)
    return _page(request, form, bot=bot)


@require_safe
@cache_control(public=True, max_age=3600)
def start(request: HttpRequest, key: str) -> HttpResponse:
    """The source of the starter or of a house bot, which everybody may read."""
    for group in starts.start_groups(None):
        for one in group.starts:
            if one.key == key:
                return HttpResponse(starts.start_text(one), content_type="text/plain; charset=utf-8")
    raise Http404


@_for_authors
@require_GET
@never_cache
def trial(request: HttpRequest, trial_id: int) -> HttpResponse:
    """How a trial stands: the part of a page that htmx asks for again and again, or a page of its own.

    That page leads back to the code: to the editor of the bot that `bot` names, or of a new one.
    """
    view = trial_view(_own_trial(request, trial_id))
    if _is_fragment(request):
        return _fragment(request, view)
    slug = request.GET.get("bot")
    code = reverse("bots:write", args=[own_bot(request, slug).slug]) if slug else reverse("bots:write_new")
    return render(request, "bots/trial.html", _trial_context(view) | {"code": code})


def _try_out(request: HttpRequest, form: DraftForm, *, bot: Bot | None) -> HttpResponse:
    """Begin a trial. A refusal stands beside the code; without a script the whole page comes again, with the text."""
    form.only_to_try()
    refused = None
    if form.is_valid():
        opponent = request.POST.get("opponent", OPPONENT)
        try:
            begun = trials.start_trial(owner=user_of(request), code=form.cleaned_data["code"], opponent=opponent)
        except Refusal as why:
            refused = why
        else:
            if _is_fragment(request):
                return _fragment(request, trial_view(begun))
            return redirect(begun.get_absolute_url() + (f"?bot={bot.slug}" if bot else ""))
    if not _is_fragment(request):
        if refused is not None:
            form.refuse(refused)
        return _page(request, form, bot=bot)
    message = refused.message if refused else " ".join(map(str, form.errors["code"]))
    is_too_often = refused is not None and refused.code in _TOO_OFTEN
    status = HTTPStatus.TOO_MANY_REQUESTS if is_too_often else HTTPStatus.UNPROCESSABLE_ENTITY
    return render(request, "bots/_trial.html", {"refused": message}, status=status)


def _fragment(request: HttpRequest, view: TrialView) -> HttpResponse:
    return render(request, "bots/_trial.html", _trial_context(view))


def _own_trial(request: HttpRequest, trial_id: int) -> Trial:
    return get_object_or_404(Trial, pk=trial_id, owner=user_of(request))


def _trial_context(view: TrialView) -> dict[str, Any]:
    return {"view": view, "problems": _as_json(view.problems)}


def _as_json(problems: tuple[Problem, ...]) -> str:
    return json.dumps([{"line": problem.line, "message": problem.message} for problem in problems])


def _is_fragment(request: HttpRequest) -> bool:
    return request.headers.get("HX-Request") == "true"


def _page(request: HttpRequest, form: DraftForm, *, bot: Bot | None) -> HttpResponse:
    groups = starts.start_groups(bot)
    choices = [one for group in groups for one in group.starts]
    wanted = request.GET.get("start")
    begun = next((one for one in choices if one.key == wanted), None)
    if wanted and begun is None:
        raise Http404
    newest = None if bot is None else bot.versions.defer("source", "report").order_by("-number").first()
    is_zip = newest is not None and newest.filename.lower().endswith(".zip")
    if begun is None:
        begun = choices[0] if not is_zip else next(one for one in choices if one.key == starts.STARTER)
    tried = request.GET.get("trial", "")
    if form.is_bound:
        text = form["code"].value()
    elif (trial := whole_number(tried)) is not None:
        text = trials.draft_text(_own_trial(request, trial))
    else:
        text = starts.start_text(begun)
    version = None if form.is_bound or tried else begun.version
    failed = next((check for check in version.report.get("checks", []) if not check["ok"]), None) if version else None
    problems = (Problem(failed["line"], failed["message"]),) if failed and failed["line"] else ()
    context = {
        "form": form,
        "bot": bot,
        "text": text,
        "groups": groups,
        "begun": begun,
        "failed": failed,
        "problems": _as_json(problems),
        "newest_zip": newest if is_zip else None,
        "opponents": HOUSE_BOTS,
        "opponent": request.POST.get("opponent", OPPONENT),
        "closed": services.uploads_closed(),
        "largest": LIMITS.file_bytes,
        "numpy": queries.numpy_version(),
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, "bots/write.html", context, status=status)
