"""`manage.py ladder verify|rebuild|export [SLUG ...]`: stored ratings and records against the log, and tables of it."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterable
from itertools import chain
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from arena.digits import whole_number
from ladder import services
from ladder.exports import TABLES, WRITERS, rows
from ladder.fold import FoldError
from ladder.models import Ladder

ALL, MOST = 0, 100_000_000


def _number(text: str) -> int:
    """How many records, ALL of them for "all". Raises ArgumentTypeError."""
    if text == "all":
        return ALL
    number = whole_number(text, least=1, most=MOST)
    if number is None:
        raise ArgumentTypeError(f"{text!r} is neither a number from 1 to {MOST} nor 'all'.")
    return number


class Command(BaseCommand):  # noqa: D101
    help = (
        "Refolds ladders from their finished rated matches: verify says what differs, rebuild rewrites it. "
        "export writes their ratings, matches or rating changes as a table."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: D102
        parser.add_argument("action", choices=["verify", "rebuild", "export"])
        parser.add_argument("slugs", nargs="*", metavar="slug", help="ladders; all of them by default")
        parser.add_argument("--table", choices=list(TABLES), default="ratings", help="what to export (default ratings)")
        parser.add_argument(
            "--format", dest="kind", choices=list(WRITERS), default="csv", help="of the export (default csv)"
        )
        parser.add_argument(
            "--records",
            type=_number,
            metavar="N|all",
            help="with verify: also play the records of matches again, of each ladder so many chosen at random or all "
            "of them, and hold them against the stored results, scores, hands and faults; some 6000 take a minute",
        )

    def handle(
        self,
        *_args: Any,
        action: str,
        slugs: list[str],
        table: str = "ratings",
        kind: str = "csv",
        records: int | None = None,
        **_options: Any,
    ) -> None:
        """CommandError, hence exit status 1, when a stored rating is not the fold of the log, or a record differs."""
        ladders = Ladder.objects.filter(slug__in=slugs) if slugs else Ladder.objects.all()
        unknown = set(slugs) - {ladder.slug for ladder in ladders}
        if unknown:
            known = ", ".join(Ladder.objects.order_by("slug").values_list("slug", flat=True)) or "none yet"
            raise CommandError(f"There is no ladder {', '.join(map(repr, sorted(unknown)))}. The ladders are: {known}.")
        if records is not None and action != "verify":
            raise CommandError("--records goes with verify.")
        if action == "export":
            self._export(ladders, table, kind)
            return
        try:
            differing = [ladder.slug for ladder in ladders if not getattr(self, f"_{action}")(ladder)]
        except FoldError as error:
            raise CommandError(f"The log of matches contradicts itself: {error}") from error
        damaged = [] if records is None else [match for ladder in ladders for match in self._damaged(ladder, records)]
        wrong = []
        if differing:
            wrong.append(
                f"Stored ratings are not the fold of the matches on {', '.join(differing)}; "
                "`manage.py ladder rebuild` rewrites them."
            )
        if damaged:
            wrong.append(
                f"Records do not give the stored results of {len(damaged)} matches: {', '.join(map(str, damaged))}. "
                "A backup may have their rows of ladder_matchrecordblob; ratings and results need none of them."
            )
        if wrong:
            raise CommandError(" ".join(wrong))

    def _export(self, ladders: Iterable[Ladder], table: str, kind: str) -> None:
        self.stdout.ending = ""  # rows end themselves
        try:
            WRITERS[kind](table, chain.from_iterable(rows(ladder, table) for ladder in ladders), self.stdout)
        except BrokenPipeError:  # whoever reads, `head` for one, has enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    def _verify(self, ladder: Ladder) -> bool:
        problems = services.verify_ladder(ladder=ladder) + services.verify_tallies(ladder=ladder)
        for problem in problems:
            self.stdout.write(f"{ladder.slug}: {problem}")
        if not problems:
            self.stdout.write(f"{ladder.slug}: every rating and tally is the fold of its matches.")
        return not problems

    def _damaged(self, ladder: Ladder, most: int) -> list[int]:
        """The matches whose records differ from what is stored, each told when it is found."""
        damaged, count = [], 0
        for match, difference in services.verify_records(ladder=ladder, most=None if most == ALL else most):
            count += 1
            if difference:
                damaged.append(match)
                self.stdout.write(f"{ladder.slug}: match {match}: {difference}")
        if not damaged:
            self.stdout.write(f"{ladder.slug}: {count} records give the stored results of their matches.")
        return damaged

    def _rebuild(self, ladder: Ladder) -> bool:
        matches = services.rebuild_ladder(ladder=ladder)
        services.tally_all(ladder=ladder)
        self.stdout.write(f"{ladder.slug}: rebuilt from {matches} rated matches.")
        return True
