from django.contrib import admin
from django.urls import include, path

from accounts import views as accounts

admin.site.site_header = admin.site.site_title = "Gin Rummy Arena"
handler400 = "api.problems.bad_request"
handler500 = "api.problems.server_error"
urlpatterns = [
    path("admin/", admin.site.urls),
    path("accounts/", include("allauth.urls")),
    path("settings/", accounts.settings, name="settings"),
    path("api/", include("api.urls")),
    # Before the ladder: bots/new/ would be a bot's page there.
    path("", include("bots.urls")),
    path("", include("ladder.urls")),
    path("", include("tournaments.urls")),
    path("", include("tables.urls")),
]
