"""`manage.py simulate --bots N --matches M`: a filled ladder for load tests and demonstrations."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from bots.models import Bot
from ladder import services
from ladder.models import Ladder
from ladder.simulation import OWNER_PREFIX, simulate

MEBIBYTE = 1024 * 1024
MOST = 100_000_000


class Command(BaseCommand):  # noqa: D101
    help = (
        "Fills a ladder with simulated bots and finished rated matches whose records replay. Stop the workers and the "
        "scheduler first. The simulated bots' owners cannot log in."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("--bots", type=int, default=50, help="new ones; 0 lets those of an earlier run play on")
        parser.add_argument("--matches", type=int, default=2_000)
        parser.add_argument("--ladder", default="", metavar="SLUG", help="the classic ladder by default")
        parser.add_argument("--pool", type=int, default=150, help="matches really played, whose records are shared out")
        parser.add_argument("--seed", default="ladder", help="of names, strengths, pairings and outcomes, not of cards")
        parser.add_argument("--among-real-bots", action="store_true", help="even where people's bots are")

    def handle(
        self,
        *_args: Any,
        bots: int,
        matches: int,
        ladder: str,
        pool: int,
        seed: str,
        among_real_bots: bool,
        **_options: Any,
    ) -> None:
        """CommandError when there are too few bots, no such ladder, or people's bots in the database."""
        playing = bots or Bot.objects.filter(owner__username__startswith=OWNER_PREFIX).count()
        if playing < 4 or matches < 1 or pool < 1:
            raise CommandError("A simulation takes at least 4 bots, 1 match and a pool of 1.")
        for option, value in (("--bots", bots), ("--matches", matches), ("--pool", pool)):
            if value > MOST:
                raise CommandError(f"{option} is at most {MOST}, not {value}.")
        real = Bot.objects.filter(is_house=False).exclude(owner__username__startswith=OWNER_PREFIX)
        if real.exists() and not among_real_bots:
            raise CommandError(
                "People's bots are in this database, and simulated ones would be ranked among them. Use another "
                "database, or say --among-real-bots."
            )
        chosen = Ladder.objects.filter(slug=ladder).first() if ladder else services.ensure_default_ladder()
        if chosen is None:
            raise CommandError(f"There is no ladder {ladder!r}; `manage.py setup --ladder RULE_SET` makes one.")
        before, began = _database_bytes(), time.monotonic()

        def progress(done: int) -> None:
            rate = done / (time.monotonic() - began)
            self.stdout.write(f"{done} of {matches} matches, {rate:.0f} a second", ending="\r")
            self.stdout.flush()

        run = simulate(chosen, bots=bots, matches=matches, pool_size=pool, seed=seed, progress=progress)
        seconds = time.monotonic() - began
        self.stdout.write(f"{bots} bots and {matches} matches on ladder {chosen.slug} in {seconds:.0f} s.        ")
        self.stdout.write(
            f"Records: {run.record_bytes / MEBIBYTE:.1f} MiB, {run.record_bytes / run.hands:.0f} bytes a hand with"
            " decision times."
        )
        after = _database_bytes()
        self.stdout.write(
            f"Database: {after / MEBIBYTE:.0f} MiB, {(after - before) / matches:.0f} bytes more for each match."
        )


def _database_bytes() -> int:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT pg_database_size(current_database())")
            return int(cursor.fetchone()[0])
        cursor.execute("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()")
        return int(cursor.fetchone()[0])
