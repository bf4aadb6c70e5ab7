from django.apps import AppConfig


class LadderConfig(AppConfig):  # noqa: D101
    name = "ladder"
    default_auto_field = "django.db.models.BigAutoField"
