from django.apps import AppConfig


class AccountsConfig(AppConfig):  # noqa: D101
    name = "accounts"
    default_auto_field = "django.db.models.BigAutoField"
