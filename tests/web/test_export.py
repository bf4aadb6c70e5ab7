"""`manage.py ladder export`: ratings, matches and changes as CSV and JSON, the same rows in both."""

import csv
import json
import os
import subprocess
import sys
from io import StringIO
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ladder import services, tasks
from ladder.models import Ladder, Match, Rating, RatingChange
from tests.web.matches import finished, make_ladder, make_version

pytestmark = pytest.mark.django_db


@pytest.fixture
def ladder() -> Ladder:
    ladder = make_ladder()
    ann, ben = make_version("Ann", User.objects.create_user("ada", email="ada@example.org")), make_version("Ben")
    for quarters in (4, 3, 0, 2):
        finished(ladder, [ann, ben], quarters)
    finished(ladder, [ben, ann], 4, is_rated=False)
    tasks.fit_ladders()
    services.enter_ladder(ladder=ladder, version=make_version("Late"))
    services.enqueue_match(ladder=ladder, versions=[ann, ben])
    return ladder


def exported(table: str, *, kind: str, slugs: tuple[str, ...] = ()) -> str:
    out = StringIO()
    call_command("ladder", "export", *slugs, table=table, format=kind, stdout=out)
    return out.getvalue()


def as_json(table: str, *slugs: str) -> list[dict[str, Any]]:
    found = json.loads(exported(table, kind="json", slugs=slugs))
    assert isinstance(found, list)
    return found


def test_ratings(ladder: Ladder) -> None:
    rows = {row["bot"]: row for row in as_json("ratings")}
    for rating in Rating.objects.all():
        row = rows[rating.version.bot.slug]
        assert (row["ladder"], row["elo"], row["matches"]) == ("classic", rating.milli / 1000, rating.matches)
        assert row["wins"] + row["draws"] + row["losses"] == rating.matches
    assert (rows["ann"]["author"], rows["ben"]["author"]) == ("ada", None)
    assert rows["ann"]["low"] < rows["ann"]["bradley_terry"] < rows["ann"]["high"]
    assert rows["late"]["bradley_terry"] is None


def test_matches_come_as_they_finished_with_both_sides(ladder: Ladder) -> None:
    rows = as_json("matches")
    assert [row["sequence"] for row in rows] == [1, 2, 3, 4, 5]
    assert [row["quarters"] for row in rows] == [4, 3, 0, 2, 4]
    assert [row["is_rated"] for row in rows] == [True] * 4 + [False]
    assert [(row["bot"], row["against"]) for row in rows] == [("ann", "ben")] * 4 + [("ben", "ann")]
    assert [(row["games_won"], row["games_lost"]) for row in rows] == [(2, 0), (1, 0), (0, 2), (1, 1), (2, 0)]


def test_private_matches_stay_private(ladder: Ladder) -> None:
    unrated = Match.objects.get(is_rated=False, state=Match.State.FINISHED)
    Match.objects.filter(pk=unrated.pk).update(is_private=True)
    assert [row["sequence"] for row in as_json("matches")] == [1, 2, 3, 4]


def test_json_has_a_row_on_each_line(ladder: Ladder) -> None:
    first, *lines, last = exported("matches", kind="json").splitlines()
    assert (first, last) == ("[", "]")
    assert [json.loads(line.removesuffix(","))["sequence"] for line in lines] == [1, 2, 3, 4, 5]


def test_changes_lead_from_the_start_to_the_rating(ladder: Ladder) -> None:
    rows = as_json("changes")
    assert len(rows) == RatingChange.objects.count() == 8
    for rating in as_json("ratings"):
        moved = sum(row["change"] for row in rows if row["bot"] == rating["bot"])
        assert rating["start"] + moved == pytest.approx(rating["elo"])


@pytest.mark.parametrize("table", ["ratings", "matches", "changes"])
def test_csv_holds_the_same_rows(ladder: Ladder, table: str) -> None:
    rows = list(csv.DictReader(StringIO(exported(table, kind="csv"))))
    assert rows == [{key: "" if value is None else str(value) for key, value in row.items()} for row in as_json(table)]
    assert rows


def test_one_ladder_or_all(ladder: Ladder) -> None:
    other = make_ladder("oklahoma", "oklahoma")
    finished(other, [make_version("Dot"), make_version("Eve")], 4)
    assert {row["ladder"] for row in as_json("matches")} == {"classic", "oklahoma"}
    assert {row["ladder"] for row in as_json("matches", "oklahoma")} == {"oklahoma"}
    with pytest.raises(CommandError, match="are: classic, oklahoma"):
        exported("matches", kind="csv", slugs=("tally", ""))


def test_an_empty_ladder_is_an_empty_table() -> None:
    make_ladder()
    assert as_json("matches") == []
    assert exported("matches", kind="json") == "[\n]\n"
    assert exported("changes", kind="csv").splitlines() == [
        "ladder,sequence,match,bot,version,before,change,matches_before"
    ]


def test_it_is_one_query_and_tells_no_secrets(ladder: Ladder) -> None:
    for table in ("ratings", "matches", "changes"):
        with CaptureQueriesContext(connection) as queries:
            text = exported(table, kind="json", slugs=("classic",))
        assert len(queries) <= 3  # the ladders, twice, and the rows
        for secret in ("ada@example.org", *(match.seed for match in Match.objects.exclude(seed=""))):
            assert secret not in text


def test_the_command_line_knows_its_options() -> None:
    command = [sys.executable, "manage.py", "ladder", "export", "--table", "nothing"]
    done = subprocess.run(command, cwd=settings.ROOT, env=os.environ, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "invalid choice: 'nothing'" in done.stderr
