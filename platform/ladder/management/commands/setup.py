"""`manage.py setup`: what every arena starts with. May be repeated."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from bots.services import sync_house_bots
from ladder.services import ensure_default_ladder


class Command(BaseCommand):  # noqa: D101
    help = "Creates the classic ladder and brings the house bots up to the installed code; repeating it is harmless."

    def handle(self, *_args: Any, verbosity: int, **_options: Any) -> None:  # noqa: D102
        ladder = ensure_default_ladder()
        new = sync_house_bots()
        if verbosity:
            self.stdout.write(f"Ladder {ladder.slug} is there; {len(new)} house bot versions are new.")
