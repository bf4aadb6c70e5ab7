from django.apps import AppConfig


class BotsConfig(AppConfig):  # noqa: D101
    name = "bots"
    default_auto_field = "django.db.models.BigAutoField"
