from django.apps import AppConfig


class ApiConfig(AppConfig):
    """The public JSON API."""

    name = "api"
