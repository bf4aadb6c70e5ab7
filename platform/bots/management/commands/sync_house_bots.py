from typing import Any

from django.core.management.base import BaseCommand

from bots import services


class Command(BaseCommand):  # noqa: D101
    help = "Bring the house bots in the database up to the installed code. May be repeated."

    def handle(self, **options: Any) -> None:
        """Print each new version, or that there is none."""
        new = services.sync_house_bots()
        for version in new:
            self.stdout.write(f"{version} is active.")
        if not new:
            self.stdout.write("The house bots are up to date.")
