from typing import Any

from django.core.management.base import BaseCommand

from bots import sandboxes


class Command(BaseCommand):  # noqa: D101
    help = "Check the sandbox that ARENA_SANDBOX names, and open or close uploads accordingly."

    def handle(self, **options: Any) -> None:
        """Print what was found, in one sentence."""
        self.stdout.write(sandboxes.report_sandbox())
