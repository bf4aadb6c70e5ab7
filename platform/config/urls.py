from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("accounts/", include("allauth.urls")),
    path("api/", include("api.urls")),
    # Before the ladder: bots/new/ would be a bot's page there.
    path("", include("bots.urls")),
    path("", include("ladder.urls")),
    path("", include("tournaments.urls")),
]
