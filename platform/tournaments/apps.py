from django.apps import AppConfig


class TournamentsConfig(AppConfig):  # noqa: D101
    name = "tournaments"
    default_auto_field = "django.db.models.BigAutoField"
