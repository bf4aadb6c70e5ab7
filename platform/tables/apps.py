from django.apps import AppConfig


class TablesConfig(AppConfig):  # noqa: D101
    name = "tables"
    default_auto_field = "django.db.models.BigAutoField"
