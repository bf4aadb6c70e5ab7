"""Tournaments in the public API: which there are, who plays, how one stands; nothing of private ones."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena.tournament import RoundRobin, SingleElimination
from tests.web import cups
from tests.web.entering import open_uploads
from tests.web.matches import make_ladder, make_version
from tournaments import services, tasks
from tournaments.models import Tournament

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff() -> User:
    open_uploads()
    make_ladder()
    return User.objects.create_user("chief", is_staff=True)


def ask(path: str, status: int = 200) -> Any:
    response = Client().get(path if path.startswith("http") else f"/api/v1/{path}")
    assert response.status_code == status
    return response.json()


def test_a_tournament_from_its_entries_to_its_champion(staff: User) -> None:
    made = cups.opened(staff, SingleElimination(), description="Bring your best.")
    cups.entered(made, 4)
    before = ask("tournaments/cup")
    assert (before["state"], before["entries"], before["champion"]) == ("open", 4, None)
    assert {(entry["version"], entry["seed"]) for entry in before["entrants"]} == {(None, None)}
    assert ask("tournaments/cup/standings") == {"state": "open", "standings": []}
    cups.make_due(made)
    tasks.run()
    services.disqualify(entry=made.entries.get(bot=cups.bot(4)), reason="Peeked.")
    cups.play_out(made)
    after = ask("tournaments/cup")
    assert after["champion"] == {"slug": "bot01", "name": "Bot01"}
    assert after["format"] == {"kind": "single_elimination", "matches": 1}
    assert after["description"] == "Bring your best."
    last = after["entrants"][3]
    assert (last["seed"], last["version"], last["status"], last["reason"]) == (4, 1, "disqualified", "Peeked.")
    assert len(ask(after["results"])["matches"]) == 2
    standings = ask("tournaments/cup/standings")["standings"]
    assert [line["bot"] for line in standings] == ["bot01", "bot02", "bot03", "bot04"]
    assert ask("tournaments?state=finished")["tournaments"] == [
        {key: value for key, value in after.items() if key in ask("tournaments")["tournaments"][0]}
    ]
    assert ask("tournaments?state=running")["tournaments"] == []


def test_drafts_and_private_ones_are_not_there(staff: User) -> None:
    cups.opened(staff, RoundRobin(), name="Secret", is_public=False)
    services.create(creator=staff, plan=cups.plan(RoundRobin(), name="Draft"))
    assert ask("tournaments") == {"tournaments": [], "next": None}
    for slug in ("secret", "draft", "nothing"):
        for path in (f"tournaments/{slug}", f"tournaments/{slug}/standings"):
            assert ask(path, 404) == {"error": f"There is no public tournament '{slug}'."}


def test_pages_follow_one_another_at_the_cost_of_one(staff: User) -> None:
    for _ in range(3):
        made = cups.opened(staff, RoundRobin())
        services.enter(user=staff, tournament=made, bot=make_version(f"House{made.pk}").bot)
    found, path, counts = [], "tournaments?limit=1", []
    while path:
        with CaptureQueriesContext(connection) as caught:
            page = ask(path)
        counts.append(len(caught))
        found += [one["slug"] for one in page["tournaments"]]
        path = page["next"]
    assert found == ["cup-3", "cup-2", "cup"]
    assert counts == [2, 2, 2]
    assert Tournament.objects.count() == 3
