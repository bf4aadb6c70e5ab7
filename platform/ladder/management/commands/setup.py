"""`manage.py setup [--ladder RULE_SET ...]`: what every arena starts with. May be repeated."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from arena.rules import RULE_SETS
from bots.services import sync_house_bots
from ladder import services


class Command(BaseCommand):  # noqa: D101
    help = (
        "Creates the classic ladder, and those that --ladder names, and brings the house bots up to the installed "
        "code; repeating it is harmless."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument(
            "--ladder",
            action="append",
            default=[],
            choices=list(RULE_SETS),
            metavar="RULE_SET",
            help=f"also open a ladder for this rule set, one of {', '.join(RULE_SETS)}; may be given several times",
        )

    def handle(self, *_args: Any, ladder: list[str], verbosity: int, **_options: Any) -> None:  # noqa: D102
        ladders = [services.ensure_default_ladder(), *(services.ensure_ladder(rule_set=name) for name in ladder)]
        new = sync_house_bots()
        if verbosity:
            for one in ladders:
                self.stdout.write(f"Ladder {one.slug} is there{'' if one.is_open else ', closed'}.")
            self.stdout.write(f"{len(new)} house bot versions are new.")
