"""The page where a reader chooses how the site looks; it needs no account and no script."""

from dataclasses import asdict

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods

from accounts.forms import LookForm
from accounts.look import look_of


@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: HttpRequest) -> HttpResponse:
    """Shows the choices; POST keeps them in a cookie and goes on to `next`, the page the reader came from."""
    target = request.POST.get("next") or request.GET.get("next", "")
    if not url_has_allowed_host_and_scheme(target, allowed_hosts=None):
        target = ""
    if request.method != "POST":
        form = LookForm(initial=asdict(look_of(request)))
    elif (form := LookForm(request.POST)).is_valid():
        response = HttpResponseRedirect(target or reverse("settings"))
        form.look().keep(response)
        messages.success(request, "Saved in this browser.")
        return response
    return render(request, "accounts/settings.html", {"form": form, "next": target})
