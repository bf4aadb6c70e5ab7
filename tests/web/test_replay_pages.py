"""A replay's other forms: decisions with a house bot's choice, the unit test of a position, text, and the frame."""

import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from arena.actions import Discard, Draw, format_action
from arena.bots import HOUSE_BOTS, starter_source
from arena.bots.random_bot import RandomBot
from arena.bots.sharp import Sharp
from arena.bots.simple import Simple
from ladder import advice, services
from ladder.models import BotLog, Match
from tests.web.entering import text_of
from tests.web.games import Forgetful, played, record_of
from tests.web.matches import claimed, make_ladder, make_version

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).parents[2]


@pytest.fixture
def match() -> Match:
    return played(make_ladder(), [make_version("Gin"), make_version("Rummy")], (Simple, Sharp), decks=7)


def steps_of(client: Client, match: Match) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = client.get(f"/matches/{match.pk}/games/1/steps.json").json()["steps"]
    return steps


def decision_of(client: Client, match: Match, step: int, bot: str = "sharp") -> dict[str, Any]:
    answer = client.get(f"/matches/{match.pk}/games/1/decisions/{step}.json?bot={bot}")
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found


def test_a_decision_says_what_was_played_and_what_it_left(client: Client, match: Match) -> None:
    steps = steps_of(client, match)
    actions = [action for hand in record_of(match).games[0].hands for action, _ in hand.moves()]
    for step, after, action in zip(steps[:20], steps[1:], actions, strict=False):
        found = decision_of(client, match, step["number"])
        assert (found["step"], found["seat"], found["decision"]) == (step["number"], step["turn"], step["decision"])
        assert found["played"]["action"] == format_action(action)
        if isinstance(action, Discard):
            (chosen,) = [option for option in found["discards"] if option["card"] == after["card"]]
            assert chosen["deadwood"] == after["seats"][step["turn"]]["points"]
        else:
            assert found["stock"]["deadwood"] == step["seats"][step["turn"]]["points"]
            assert found["upcard"] == step["discard_pile"][-1] or action is Draw.STOCK


def test_the_house_bot_that_played_would_have_done_what_it_did(client: Client, match: Match) -> None:
    """Simple keeps nothing in mind, so that it agrees with itself at each of its decisions of the first hand."""
    for step in steps_of(client, match):
        if step["hand"] == 2:
            break
        if step["turn"] == 0 and step["decision"] in ("offer", "draw", "discard"):
            found = decision_of(client, match, step["number"], "simple")
            assert found["adviser"] == {"bot": "simple", **found["played"]}


@pytest.mark.parametrize("bot", [bot.slug for bot in HOUSE_BOTS])
def test_every_house_bot_can_be_asked(client: Client, match: Match, bot: str) -> None:
    for step in (0, 5, 6, 7):
        assert decision_of(client, match, step, bot)["adviser"]["bot"] == bot


def test_what_is_no_decision_or_no_house_bot_is_no_page(client: Client, match: Match) -> None:
    steps = steps_of(client, match)
    shown = next(step["number"] for step in steps if step["showdown"])
    address = f"/matches/{match.pk}/games/1/decisions"
    assert client.get(f"{address}/{shown}.json").status_code == 404
    assert client.get(f"{address}/{len(steps)}.json").status_code == 404
    assert client.get(f"{address}/0.json?bot=gin").status_code == 404
    assert client.get(f"{address}/{shown}.py").status_code == 404
    assert client.get(f"/matches/{match.pk}/games/3/decisions/0.json").status_code == 404
    assert client.get(f"/matches/{match.pk + 1}/games/1/decisions/0.json").status_code == 404


def test_nothing_of_a_match_that_is_being_played_is_told(client: Client) -> None:
    match = services.enqueue_match(ladder=make_ladder(), versions=[make_version("Gin"), make_version("Rummy")])
    claimed(match)
    for end in ("", "embed/", "steps.json", "moves.txt", "decisions/0.json", "decisions/0.py"):
        assert client.get(f"/matches/{match.pk}/games/1/{end}").status_code == 404


def test_readers_who_ask_too_much_are_told_to_wait(
    client: Client, match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(advice, "SECONDS", 0.2)
    is_done = threading.Event()
    busy = advice._one_at_a_time.submit(is_done.wait, 30)
    try:
        answer = client.get(f"/matches/{match.pk}/games/1/decisions/8.json")
    finally:
        is_done.set()
        busy.result()
    assert answer.status_code == 429
    assert "Try again in a few seconds." in answer.json()["error"]
    assert answer["Cache-Control"] == "no-store"


def test_a_position_is_a_unit_test_that_runs_beside_a_bot(client: Client, match: Match, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(starter_source(), encoding="utf-8")
    for step in (0, 6):
        text = text_of(client.get(f"/matches/{match.pk}/games/1/decisions/{step}.py"))
        (tmp_path / f"test_{step}.py").write_text(text, encoding="utf-8")
        assert f"/matches/{match.pk}/games/1/#{step}" in text.splitlines()[0]
        command = [sys.executable, "-W", "error", "-m", "unittest", f"test_{step}"]
        ran = subprocess.run(
            command, cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0, ran.stderr
        assert "Ran 1 test" in ran.stderr


def test_the_text_has_every_move_and_sum(client: Client, match: Match) -> None:
    answer = client.get(f"/matches/{match.pk}/games/1/moves.txt")
    assert answer["Content-Disposition"] == f'attachment; filename="match-{match.pk}-game-1.txt"'
    text = answer.content.decode()
    sign = "\N{VARIATION SELECTOR-15}"
    for step in steps_of(client, match):
        what, *sums = (line.replace(sign, "") for line in step["text"])
        assert f"{step['number']:5}  {what}\n" in text
        assert all(f"       {line}\n" in text for line in sums)


def test_other_sites_may_frame_the_table_and_nothing_else(client: Client, match: Match) -> None:
    table = client.get(f"/matches/{match.pk}/games/1/embed/")
    assert "frame-ancestors *" in table["Content-Security-Policy"]
    assert "X-Frame-Options" not in table
    assert "<form" not in text_of(table)
    page = client.get(f"/matches/{match.pk}/games/1/")
    assert "frame-ancestors 'none'" in page["Content-Security-Policy"]
    assert page["X-Frame-Options"] == "DENY"


def test_only_its_owner_reads_what_a_bot_printed(client: Client) -> None:
    owner, other = User.objects.create_user("owner"), User.objects.create_user("other")
    match = played(make_ladder(), [make_version("Lost", owner), make_version("Found", other)], (Forgetful, RandomBot))
    for end in ("", "embed/"):
        for reader in (None, other):
            if reader is not None:
                client.force_login(reader)
            page = text_of(client.get(f"/matches/{match.pk}/games/1/{end}"))
            assert "where was I?" not in page
            assert "printed" not in page.rpartition("</style>")[2]
    client.force_login(owner)
    page = text_of(client.get(f"/matches/{match.pk}/games/1/"))
    assert "What Lost printed" in page
    assert "&lt;b>where was I?&lt;/b>" in page
    # Forgetful prints at each of its draws, the last of which fails.
    kinds = {"draw", "pass", "fault"}
    draws = [step["number"] for step in steps_of(client, match) if step["actor"] == 0 and step["kind"] in kinds]
    assert re.findall(r'<span data-step="(\d+)">([^<]*)</span>', page) == [
        (str(number), "&lt;b>where was I?&lt;/b>\n") for number in draws
    ]
    assert re.findall(r'<li id="move-(\d+)" class=has-prints>', page) == list(map(str, draws))
    BotLog.objects.update(marks=[])  # as those of before the moves were kept with the prints
    page = text_of(client.get(f"/matches/{match.pk}/games/1/"))
    assert "&lt;b>where was I?&lt;/b>" in page
    assert "has-prints" not in page
    assert 'id="prints"' not in page
