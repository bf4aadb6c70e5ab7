from typing import Any

from bots import sandboxes
from django.core.management.base import BaseCommand


class Command(BaseCommand):
    help = "Check the sandbox that ARENA_SANDBOX names, and open or close uploads accordingly."

    def handle(self, **options: Any) -> None:
        """Print what was found, in one sentence."""
        self.stdout.write(sandboxes.report_sandbox())
