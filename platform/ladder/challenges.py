"""The page on which an owner challenges a bot."""

from __future__ import annotations

from http import HTTPStatus

from django import forms
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from bots.models import Bot, BotVersion
from bots.queries import bots_of
from bots.refusals import Refusal
from ladder import queries, services
from ladder.models import Ladder


class ChallengeForm(forms.Form):
    """One of the user's versions, and the ladder whose rules are played."""

    use_required_attribute = True
    version = forms.ChoiceField(
        label="Your bot",
        help_text="Any version that passed its check, so that you can try an earlier one too.",
        error_messages={"invalid_choice": "This version is not one of yours that can play. Choose from the list."},
    )
    ladder = forms.ChoiceField(
        label="Rules",
        help_text="Those of this ladder. The match moves no rating on it.",
        error_messages={"invalid_choice": "There is no such open ladder. Choose from the list."},
    )

    def __init__(self, data: object, *, versions: list[BotVersion], ladders: list[Ladder]) -> None:
        super().__init__(data)  # type: ignore[arg-type]
        self.versions = {str(version.pk): version for version in versions}
        self.ladders = {ladder.slug: ladder for ladder in ladders}
        self.fields["version"].choices = [(key, str(one)) for key, one in self.versions.items()]  # type: ignore[attr-defined]
        self.fields["ladder"].choices = [(key, str(one)) for key, one in self.ladders.items()]  # type: ignore[attr-defined]


@login_required
@require_http_methods(["GET", "POST"])
def challenge(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask for an unrated match against the bot; leads to the match's page."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    opponent = get_object_or_404(Bot.objects.exclude(state=Bot.State.DELETED), slug=slug)
    versions = _challengers(request.user, opponent)
    form = ChallengeForm(request.POST or None, versions=versions, ladders=queries.open_ladders())
    if form.is_bound and form.is_valid():
        try:
            match = services.challenge(
                user=request.user,
                version=form.versions[form.cleaned_data["version"]],
                opponent=opponent,
                ladder=form.ladders[form.cleaned_data["ladder"]],
            )
        except Refusal as refused:
            form.add_error(refused.field or None, refused.message)
        else:
            return redirect(reverse("ladder:match", args=[match.pk]))
    context = {
        "opponent": opponent,
        "form": form,
        "versions": versions,
        "cap": settings.ARENA_MAX_CHALLENGES_A_DAY,
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, "ladder/challenge.html", context, status=status)


def _challengers(user: User, opponent: Bot) -> list[BotVersion]:
    """The newest versions of each of the user's playing bots that passed their check, current ones first."""
    own = [one for one in bots_of(user) if one.bot.state == Bot.State.ACTIVE]
    passed = [version for one in own for version in one.versions if version.state == BotVersion.State.ACTIVE]
    current = {(one.bot.pk, one.current_number) for one in own}
    playable = [one for one in passed if one.bot_id != opponent.pk or (one.bot_id, one.number) not in current]
    return sorted(playable, key=lambda one: (one.bot_id, one.number) not in current)
