"""The API on how bots play and whom they met: what it says of a few matches, computed again from their records."""

import itertools
import json
from typing import Any

import pytest
from django.test import Client

from arena.bots.random_bot import RandomBot
from arena.bots.simple import Simple
from arena.events import HandEnding
from arena.steps import steps
from ladder import services
from ladder.models import Ladder, Match
from tests.web.games import played, record_of
from tests.web.matches import finished, make_ladder, make_version

pytestmark = pytest.mark.django_db


@pytest.fixture
def ladder() -> Ladder:
    return make_ladder()


def ask(path: str, status: int = 200) -> Any:
    response = Client().get(path if path.startswith("http") else f"/api/v1/{path}")
    assert response.status_code == status, response.content
    return json.loads(response.content)


def style_of(*sides: tuple[Match, int]) -> dict[str, Any]:
    """How these sides of matches played, from the steps of the replays."""
    hands, gins, knocks, caught, faced, undercuts, deadwood = [0] * 7
    for match, side in sides:
        for game in record_of(match).games:
            seat = game.side_of(side)
            for end in (step.showdown for step in steps(game) if step.showdown and step.showdown.knocker is not None):
                is_gin = end.ending in (HandEnding.GIN, HandEnding.BIG_GIN)
                is_undercut = end.ending is HandEnding.UNDERCUT
                hands += 1
                if end.knocker == seat:
                    gins, knocks, caught = gins + is_gin, knocks + (not is_gin), caught + is_undercut
                    deadwood += end.knocker_points
                else:
                    faced, undercuts = faced + (not is_gin), undercuts + is_undercut
                    deadwood += end.defender_points
    return {
        "hands": hands,
        "gins": gins / hands,
        "knocks": knocks / hands,
        "caught": caught / knocks if knocks else None,
        "undercuts": undercuts / faced if faced else None,
        "deadwood": deadwood / hands,
    }


def rating_before(match: Match, seat: int) -> float:
    (change,) = (change for change in ask(f"matches/{match.pk}")["rating_changes"] if change["seat"] == seat)
    before: float = change["before"]
    return before


def test_a_bots_statistics_are_those_of_its_records(ladder: Ladder) -> None:
    old, ben, cid = make_version("Ann"), make_version("Ben"), make_version("Cid")
    first = played(ladder, [old, ben], (Simple, RandomBot), decks=1)
    new = make_version("Ann", number=2)
    second = played(ladder, [cid, new], (Simple, RandomBot), decks=2)
    third = finished(ladder, [new, ben], 4)  # ended by faults: games, but no hands
    played(make_ladder("oklahoma", "oklahoma"), [new, ben], decks=3)
    services.tally_all(ladder=ladder)
    answer = ask("bots/ann/statistics?ladder=classic")
    assert answer == ask("bots/ann/statistics")
    assert answer["ladder"] == "classic"
    assert answer["current"] == style_of((second, 1))
    assert answer["overall"] == style_of((first, 0), (second, 1))
    assert answer["everybody"] == style_of(*itertools.product((first, second), (0, 1)))
    games: dict[int, list[tuple[float, int]]] = {0: [], 1: []}
    for match, side in ((first, 0), (second, 1), (third, 0)):
        for game in match.games.all():
            won = 0.5 if game.winner is None else float(game.winner == side)
            games[game.seat0_index ^ side].append((won, (game.score_a, game.score_b)[side]))
    assert answer["seats"] == [
        {"seat": seat, "games": 3, "won": sum(won for won, _ in of) / 3, "points": sum(points for _, points in of) / 3}
        for seat, of in games.items()
    ]
    # Simple beats RandomBot: Ann won the first and lost the second. It won the third as the test wished.
    best = max((first, third), key=lambda match: rating_before(match, 1))
    ben_then = rating_before(best, 1)
    assert answer["best_win"] == {"match": best.pk, "against": {"slug": "ben", "name": "Ben"}, "rated": ben_then}
    cid_then = rating_before(second, 0)
    assert answer["worst_loss"] == {"match": second.pk, "against": {"slug": "cid", "name": "Cid"}, "rated": cid_then}


def test_opponents_have_the_record_of_their_matches_and_every_order(ladder: Ladder) -> None:
    ann, *others = (make_version(name) for name in ("Ann", "Ben", "Cid", "Dee"))
    quarters = {"ben": (4, 2, 0), "cid": (1,), "dee": (4, 3)}
    promised, last = dict.fromkeys(quarters, 0.0), dict.fromkeys(quarters, 0.0)
    for version in others:
        name = version.bot.slug
        for score in quarters[name]:
            match = finished(ladder, [ann, version], score)
            mine, theirs = rating_before(match, 0), rating_before(match, 1)
            promised[name] += 1 / (1 + 10 ** ((theirs - mine) / 400))
            last[name] = theirs
    services.tally_all(ladder=ladder)
    rows = {row["bot"]["slug"]: row for row in ask("bots/ann/opponents")["opponents"]}
    assert [(name, row["matches"], row["wins"], row["draws"], row["losses"]) for name, row in rows.items()] == [
        ("ben", 3, 1, 1, 1),
        ("dee", 2, 2, 0, 0),
        ("cid", 1, 0, 0, 1),
    ]
    for name, row in rows.items():
        points, count = sum(quarters[name]) / 4, len(quarters[name])
        assert (row["score"], row["rated"]) == (points / count, last[name])
        assert row["expected"] == pytest.approx(promised[name] / count, abs=1e-5)
        assert row["surprise"] == pytest.approx(points - promised[name], abs=1e-5)
    orders = {
        "name": ["ben", "cid", "dee"],
        "score": ["dee", "ben", "cid"],
        "elo": sorted(last, key=lambda name: -last[name]),
        "surprise": sorted(quarters, key=lambda name: promised[name] - sum(quarters[name]) / 4),
    }
    for by, expected in orders.items():
        assert [row["bot"]["slug"] for row in ask(f"bots/ann/opponents?by={by}")["opponents"]] == expected, by
    pages, path = [], "bots/ann/opponents?by=name&limit=2"
    while path:
        page = ask(path)
        pages.append([row["bot"]["slug"] for row in page["opponents"]])
        path = page["next"]
    assert pages == [["ben", "cid"], ["dee"]]


@pytest.mark.parametrize("what", ["statistics", "opponents"])
def test_a_bot_that_has_not_played_is_told_apart_from_one_that_is_not_there(ladder: Ladder, what: str) -> None:
    version = make_version("Ann")
    assert ask(f"bots/ann/{what}", 404) == {"error": "Ann is not on a ladder yet."}
    assert ask(f"bots/ben/{what}", 404) == {"error": "There is no bot 'ben'."}
    assert ask(f"bots/ann/{what}?ladder=none", 404) == {"error": "There is no ladder 'none'."}
    services.enter_ladder(ladder=ladder, version=version)
    nothing: dict[str, Any] = {"opponents": [], "next": None}
    if what == "statistics":
        silent = dict.fromkeys(("gins", "knocks", "caught", "undercuts", "deadwood")) | {"hands": 0}
        nothing = {"ladder": "classic", "current": silent, "overall": silent, "everybody": silent, "seats": [],
                   "best_win": None, "worst_loss": None}  # fmt: skip
    assert ask(f"bots/ann/{what}") == nothing
