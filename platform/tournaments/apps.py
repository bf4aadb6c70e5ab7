from django.apps import AppConfig


class TournamentsConfig(AppConfig):  # noqa: D101
    name = "tournaments"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Who may see a private tournament may see its matches."""
        from ladder import privacy
        from tournaments.views import sees_match

        privacy.ask(sees_match)
