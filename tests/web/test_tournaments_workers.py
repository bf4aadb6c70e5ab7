"""A tournament of twelve house bots on real workers in sandboxes, killed outright in the middle of its rounds.

Nobody can have the same cards twice, for a deck seed is drawn when a match is claimed. But seed and versions decide a
match: played again in this process from the recorded seeds, with no worker to kill, it must lead to the same standings.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.bots import HOUSE_BOTS, house_source
from arena.local import UploadContestant
from arena.referee import play_match
from arena.rules import RULE_SETS
from arena.tournament import Result, Swiss, Tournament, match_score
from tests.web.workers import WAIT_SECONDS, Arena

BOTS = [bot for bot in HOUSE_BOTS if bot.slug not in {"reader", "dreamer", "sharp"}]  # these think longer
ROUNDS = 3
MATCHES = ROUNDS * len(BOTS) // 2
KILLS = 2

SET_UP = f"""
import datetime as dt
from django.contrib.auth.models import User
from django.utils import timezone
from arena.tournament import Swiss
from bots.models import Bot
from ladder.models import Ladder
from tournaments import services
from tournaments.models import Tournament
Ladder.objects.update(is_open=False)
chief = User.objects.create_user("chief", is_staff=True)
now = timezone.now()
soon = now + dt.timedelta(hours=1)
cup = services.create(creator=chief, plan=services.Plan(
    name="Cup", description="", ladder=Ladder.objects.get(), format=Swiss(rounds={ROUNDS}), zone="UTC",
    opens_at=now - dt.timedelta(hours=1), closes_at=soon, starts_at=soon, who_enters="staff", is_public=True,
    bots_per_author=1, max_entries=64, seeding="manual", is_rated=True, repeat_days=None))
services.publish(tournament=cup)
cup.refresh_from_db()
bots = [Bot.objects.get(slug=slug) for slug in {[bot.slug for bot in BOTS]!r}]
services.set_seeds(tournament=cup, order=[services.enter(user=chief, tournament=cup, bot=bot) for bot in bots])
Tournament.objects.update(closes_at=now, starts_at=now)
"""
OUTCOME = """
from ladder.models import Match
from tournaments import exports
from tournaments.models import Fixture, Tournament
answer = {
    "summary": exports.summary(Tournament.objects.get()),
    "attempts": list(Match.objects.values_list("attempt", flat=True)),
    "played": [
        [one.round, one.number, one.first.bot.slug, one.second.bot.slug, one.match.seed]
        for one in Fixture.objects.select_related("first__bot", "second__bot", "match")
    ],
}
"""


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[Arena]:
    arena = Arena(tmp_path, {"ARENA_SANDBOX": "bubblewrap", "SCHEDULE_SECONDS": "1"})
    arena.set_up(SET_UP)
    yield arena
    arena.kill()


def replayed(round_: int, number: int, first: str, second: str, seed: str) -> Result:
    """The result of the same match, played here."""
    sides = [UploadContestant({"bot.py": house_source(slug)}, "bot.py") for slug in (first, second)]
    record = play_match(RULE_SETS["classic"], bytes.fromhex(seed), *sides)
    scores = [game.score() for game in record.games]
    points = sum(score.points[0] for score in scores), sum(score.points[1] for score in scores)
    names = [bot.slug for bot in BOTS]
    return Result(round_, names.index(first), names.index(second), number, match_score(scores), points)


@pytest.mark.slow
@pytest.mark.bubblewrap
def test_workers_killed_in_mid_round_change_nothing_of_the_standings(arena: Arena) -> None:
    finished = 0
    for _ in range(KILLS):
        arena.start()
        states = arena.wait_for(lambda states: states.count("finished") > finished and "running" in states)  # noqa: B023
        arena.kill()
        finished = states.count("finished")
    assert arena.states().count("finished") < MATCHES
    arena.start()
    arena.wait_for(lambda states: states.count("finished") == MATCHES)
    deadline = time.monotonic() + WAIT_SECONDS
    while (outcome := arena.ask(OUTCOME))["summary"]["state"] != "finished":
        assert time.monotonic() < deadline
        time.sleep(1)
    assert max(outcome["attempts"]) > 1, "No match was interrupted: the test has shown nothing."
    summary: dict[str, Any] = outcome["summary"]
    assert len(outcome["played"]) == len(summary["matches"]) == MATCHES
    undisturbed = Tournament(
        Swiss(rounds=ROUNDS), tuple(range(len(BOTS))), tuple(replayed(*match) for match in outcome["played"])
    )
    assert undisturbed.is_over
    assert undisturbed.unused == ()
    expected = [(line.rank, BOTS[line.entrant].slug, float(line.points)) for line in undisturbed.standings]
    assert [(line["rank"], line["bot"], line["points"]) for line in summary["standings"]] == expected
    assert undisturbed.champion is not None
    assert summary["champion"] == BOTS[undisturbed.champion].slug
    assert "every rating" in arena.manage("ladder", "verify")
