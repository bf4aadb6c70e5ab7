"""The pages by which a bot enters: my bots, upload, and what the check found."""

import json
from http import HTTPStatus

from allauth.core import ratelimit
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from arena import archive
from bots import closing, queries, services
from bots.forms import BotForm, CloseAccountForm, NoteForm, VersionForm
from bots.listing import listings
from bots.models import Bot, BotVersion
from bots.progress import excerpt, next_step
from bots.refusals import Refusal
from bots.starts import own_versions

CHECK_TITLES = {"load": "It loads", "house_game": "A game against a house bot", "self_play": "A pair against itself"}


@login_required
@require_GET
def mine(request: HttpRequest) -> HttpResponse:
    """The user's bots, each with its versions and what happens next."""
    waiting = queries.waiting_versions()
    own_bots = queries.bots_of(request.user)
    rows = [{"own": own, "next_step": next_step(own), "place": own.place_in(waiting)} for own in own_bots]
    context = {"rows": rows, "closed": services.uploads_closed(), "recent": queries.RECENT}
    return render(request, "bots/mine.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """Enter a new bot."""
    form = BotForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        filename, data = form.upload()
        try:
            version = services.enter_bot(
                owner=user_of(request),
                name=form.cleaned_data["name"],
                filename=filename,
                data=data,
                note=form.cleaned_data["note"],
            )
        except Refusal as refused:
            form.refuse(refused)
        else:
            return redirect(version)
    return _upload_page(request, form, bot=None)


@login_required
@require_http_methods(["GET", "POST"])
def upload(request: HttpRequest, slug: str) -> HttpResponse:
    """Upload a new version of one's own bot."""
    bot = own_bot(request, slug)
    if (retired := takes_no_version(request, bot)) is not None:
        return retired
    form = VersionForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        filename, data = form.upload()
        try:
            version = services.add_version(bot=bot, filename=filename, data=data, note=form.cleaned_data["note"])
        except Refusal as refused:
            form.refuse(refused)
        else:
            return redirect(version)
    return _upload_page(request, form, bot=bot)


@require_GET
@never_cache
def version(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """What the check of one version found; whoever does not own it sees only its state."""
    found = get_object_or_404(BotVersion.objects.select_related("bot__owner"), bot__slug=slug, number=number)
    if found.bot.state == Bot.State.DELETED and not _user_is_staff(request):
        raise Http404
    current = queries.current_version(found.bot)
    may_see_all = _may_see_all(request, found)
    # The page follows the check once a second, and then needs no source.
    is_fragment = request.headers.get("HX-Request") == "true"
    checks = []
    if may_see_all:
        source = queries.source_of(found)
        checks = [
            {**check, "title": CHECK_TITLES[check["name"]], "excerpt": excerpt(source, check["file"], check["line"])}
            for check in found.report.get("checks", [])
        ]
    context = {
        "version": found,
        "bot": found.bot,
        "is_owner": found.bot.owner_id is not None and found.bot.owner_id == request.user.pk,
        "may_see_all": may_see_all,
        "is_current": current is not None and current.pk == found.pk,
        "in_editor": found.state == BotVersion.State.REJECTED and found in own_versions(found.bot),
        "checks": checks,
        "upcoming": list(CHECK_TITLES.values())[len(checks) :] if found.state == BotVersion.State.VALIDATING else [],
        "log": found.report.get("log", ""),
        "note_form": NoteForm(initial={"note": found.note}),
        "files": [] if is_fragment or not _may_read(request, found) else listings(queries.source_of(found)),
    }
    return render(request, "bots/version.html", context)


@require_GET
@never_cache
def source(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """The stored source as a file: the module when there is one, else a zip. A private one for owner and staff."""
    found = get_object_or_404(BotVersion.objects.select_related("bot"), bot__slug=slug, number=number)
    if not _may_read(request, found):
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        raise PermissionDenied("Only a bot's owner may read its source.")
    stored = queries.source_of(found)
    name, content_type, content = _download(stored)
    return HttpResponse(
        content,
        content_type=content_type,
        headers={
            "Content-Disposition": f'attachment; filename="{slug}-v{number}.{name}"',
            "X-Content-Type-Options": "nosniff",
        },
    )


@login_required
@require_http_methods(["GET", "POST"])
def retire(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask, then take one's own bot out for good."""
    bot = own_bot(request, slug)
    if request.method == "POST":
        services.retire_bot(bot=bot)
        messages.success(request, f"{bot.name} is retired.")
        return redirect("bots:mine")
    return render(request, "bots/retire.html", {"bot": bot})


@login_required
@require_http_methods(["GET", "POST"])
def delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask, then hide one's own bot for good."""
    bot = own_bot(request, slug)
    if request.method == "POST":
        services.delete_bot(bot=bot)
        messages.success(request, f"{bot.name} is deleted.")
        return redirect("bots:mine")
    return render(request, "bots/delete.html", {"bot": bot})


@login_required
@require_http_methods(["GET", "POST"])
def play(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Ask, then let one's own bot play as this version."""
    bot = own_bot(request, slug)
    version = get_object_or_404(bot.versions.defer("source", "report"), number=number)
    if request.method == "POST":
        try:
            services.play_version(version=version)
        except Refusal as refused:
            messages.error(request, refused.message)
        else:
            messages.success(request, f"{bot.name} plays as version {number} from now on.")
        return redirect("bots:mine")
    context = {"bot": bot, "version": version, "current": queries.current_version(bot)}
    return render(request, "bots/play.html", context)


@login_required
@require_POST
def publish(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Let everybody read the source of one's own version (`public=1`), or nobody any more."""
    version = get_object_or_404(own_bot(request, slug).versions.defer("source", "report"), number=number)
    is_public = request.POST.get("public") == "1"
    services.publish_source(version=version, is_public=is_public)
    said = "Everybody can read the source of version {} now." if is_public else "The source of version {} is private."
    messages.success(request, said.format(number))
    return redirect(f"{version.get_absolute_url()}#source")


@login_required
@require_POST
def note(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Say something else of one's own version."""
    version = get_object_or_404(own_bot(request, slug).versions.defer("source", "report"), number=number)
    form = NoteForm(request.POST)
    if form.is_valid():
        services.write_note(version=version, note=form.cleaned_data["note"])
        messages.success(request, f"What is new in version {number} is changed.")
    else:
        messages.error(request, " ".join(map(str, form.errors["note"])))
    return redirect(version)


@login_required
@require_http_methods(["GET", "POST"])
def close_account(request: HttpRequest) -> HttpResponse:
    """Ask for the password, then delete the user's account."""
    user = user_of(request)
    form = CloseAccountForm(request.POST or None)
    if form.is_bound:
        # The limit on guesses that allauth keeps for its own pages.
        if not ratelimit.consume(request, action="reauthenticate", user=user):
            return render(request, "429.html", status=HTTPStatus.TOO_MANY_REQUESTS)
        if form.is_valid() and not user.check_password(form.cleaned_data["password"]):
            form.add_error("password", "This is not the account's password.")
    if form.is_bound and form.is_valid():
        try:
            closing.close_account(user=user)
        except Refusal as refused:
            form.add_error(None, refused.message)
        else:
            logout(request)
            messages.success(request, "Your account is deleted.")
            return redirect("ladder:index")
    context = {"form": form, "bots": queries.bot_count(user)}
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, "bots/close_account.html", context, status=status)


def user_of(request: HttpRequest) -> User:
    """Who is logged in. Raises PermissionDenied for nobody."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


def own_bot(request: HttpRequest, slug: str) -> Bot:
    """The bot with that slug, which must be the user's own."""
    bot = get_object_or_404(Bot.objects.exclude(state=Bot.State.DELETED).select_related("owner"), slug=slug)
    if bot.owner_id is None or bot.owner_id != request.user.pk:
        raise PermissionDenied("Only a bot's owner may change it.")
    return bot


def takes_no_version(request: HttpRequest, bot: Bot) -> HttpResponse | None:
    """What answers instead of a form that could only be refused, once it is filled in."""
    if request.method == "POST" or bot.state != Bot.State.RETIRED:
        return None
    messages.error(request, f"{bot.name} is retired and takes no new versions. Enter a new bot instead.")
    return redirect("bots:mine")


def _may_read(request: HttpRequest, version: BotVersion) -> bool:
    """Whether the reader may read the version's files: whoever sees all of it, and everybody where they are public."""
    is_public = version.is_source_public or version.bot.is_house
    return (is_public and version.bot.state != Bot.State.DELETED) or _may_see_all(request, version)


def _may_see_all(request: HttpRequest, version: BotVersion) -> bool:
    """Whether the reader may see what the check found and printed, and files that are private."""
    is_owner = version.bot.owner_id is not None and version.bot.owner_id == request.user.pk
    return _user_is_staff(request) or (is_owner and version.bot.state != Bot.State.DELETED)


def _user_is_staff(request: HttpRequest) -> bool:
    return isinstance(request.user, User) and request.user.is_active and request.user.is_staff


def _upload_page(request: HttpRequest, form: VersionForm, *, bot: Bot | None) -> HttpResponse:
    context = {
        "form": form,
        "bot": bot,
        "closed": services.uploads_closed(),
        "numpy": queries.numpy_version(),
        "rules": json.dumps(archive.rules()),
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, "bots/upload.html", context, status=status)


def _download(source: archive.BotSource) -> tuple[str, str, bytes]:
    if len(source.files) == 1:
        return "py", "text/x-python; charset=utf-8", source.files[source.entry].encode()
    return "zip", "application/zip", source.to_zip()
