"""Tournaments of twelve house bots for real workers, and the same matches played here with no worker to kill.

Nobody can have the same cards twice, for a deck seed is drawn when a match is claimed. But seed and versions decide a
match: played again in this process from the recorded seeds, it must lead to the same standings.
"""

from collections.abc import Mapping
from typing import Any

from arena.bots import HOUSE_BOTS, house_source
from arena.local import UploadContestant
from arena.referee import play_match
from arena.rules import RULE_SETS
from arena.tournament import Format, Result, Tournament, format_to_dict, match_score
from tests.web.workers import Arena

BOTS = [bot.slug for bot in HOUSE_BOTS if bot.slug not in {"reader", "dreamer", "sharp"}]
"""In the order of their seeds. Those left out think longer."""

_SET_UP = """
import datetime as dt
from django.contrib.auth.models import User
from django.utils import timezone
from arena.tournament import format_from_dict
from bots.models import Bot
from ladder.models import Ladder
from tournaments import services
from tournaments.models import Tournament
Ladder.objects.update(is_open=False)
chief = User.objects.create_user("chief", is_staff=True)
now = timezone.now()
soon = now + dt.timedelta(hours=1)
bots = [Bot.objects.get(slug=slug) for slug in {bots!r}]
for name, chosen in {formats!r}.items():
    cup = services.create(creator=chief, plan=services.Plan(
        name=name, description="", ladder=Ladder.objects.get(slug="classic"), format=format_from_dict(chosen),
        zone="UTC", opens_at=now - dt.timedelta(hours=1), closes_at=soon, starts_at=soon, who_enters="staff",
        is_public=True, bots_per_author=1, max_entries=64, seeding="manual", is_rated=True, repeat_days=None))
    services.publish(tournament=cup)
    cup.refresh_from_db()
    services.set_seeds(tournament=cup, order=[services.enter(user=chief, tournament=cup, bot=bot) for bot in bots])
Tournament.objects.update(closes_at=now, starts_at=now)
"""
_OUTCOMES = """
from tournaments import exports
from tournaments.models import Fixture, Tournament
answer = {
    cup.name: {
        "summary": exports.summary(cup),
        "attempts": [one.match.attempt for one in cup.fixtures.select_related("match")],
        "played": [
            [one.round, one.number, one.first.bot.slug, one.second.bot.slug, one.match.seed]
            for one in cup.fixtures.filter(match__state="finished").select_related("first__bot", "second__bot", "match")
        ],
    }
    for cup in Tournament.objects.all()
}
"""


def set_up(arena: Arena, formats: Mapping[str, Format]) -> None:
    """An arena with rated tournaments of BOTS that are due, by their names."""
    stored = {name: format_to_dict(chosen) for name, chosen in formats.items()}
    arena.set_up(_SET_UP.format(bots=BOTS, formats=stored))


def outcomes(arena: Arena) -> dict[str, dict[str, Any]]:
    """By name the `summary` that anybody downloads, the matches' `attempts`, and what was `played` with which seed."""
    found: dict[str, dict[str, Any]] = arena.ask(_OUTCOMES)
    return found


def undisturbed(chosen: Format, outcome: Mapping[str, Any]) -> Tournament:
    """The tournament from the same matches played in this process; its entrants are places in BOTS."""
    return Tournament(chosen, tuple(range(len(BOTS))), tuple(_replayed(*match) for match in outcome["played"]))


def differences(chosen: Format, outcome: Mapping[str, Any]) -> list[str]:
    """What differs between the tournament of the workers and the undisturbed one, a line each."""
    here, there = undisturbed(chosen, outcome), outcome["summary"]
    found = []
    if not here.is_over or here.unused:
        found.append("The matches that were played make no whole tournament.")
    own = [(line.rank, BOTS[line.entrant], float(line.points)) for line in here.standings]
    for line, other in zip(own, there["standings"], strict=True):
        if line != (other["rank"], other["bot"], other["points"]):
            found.append(f"Undisturbed {line}, with the workers {other}.")
    if there["champion"] != (None if here.champion is None else BOTS[here.champion]):
        found.append(f"With the workers {there['champion']} won.")
    return found


def _replayed(round_: int, number: int, first: str, second: str, seed: str) -> Result:
    sides = [UploadContestant({"bot.py": house_source(slug)}, "bot.py") for slug in (first, second)]
    record = play_match(RULE_SETS["classic"], bytes.fromhex(seed), *sides)
    scores = [game.score() for game in record.games]
    points = sum(score.points[0] for score in scores), sum(score.points[1] for score in scores)
    return Result(round_, BOTS.index(first), BOTS.index(second), number, match_score(scores), points)
