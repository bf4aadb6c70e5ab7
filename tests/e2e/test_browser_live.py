"""A match that is being played, watched in a real browser: it goes on by itself, on its page and on the front page."""

import pytest
from django.core.cache import cache
from playwright.sync_api import expect

from arena.bots.simple import Simple
from arena.local import LocalContestant
from arena.referee import play_match
from arena.rules import CLASSIC
from ladder import services
from ladder.live import Broadcast
from tests.e2e.visitors import PHONE, Visitor
from tests.web.matches import claimed, make_ladder, make_version

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_running_match_goes_on_by_itself(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ladder.live.EVERY", 0.0)
    match = services.enqueue_match(ladder=make_ladder(), versions=[make_version("Gin"), make_version("R" * 40)])
    claim = claimed(match)
    simple = LocalContestant(Simple)
    record = play_match(CLASSIC, claim.seed, simple, simple)
    games = [game.replay() for game in record.games]
    broadcast = Broadcast(claim.match_id, claim.attempt)

    page = visitor.open(f"/matches/{match.pk}/")
    rows = page.locator(".live-hands tbody tr")
    expect(rows).to_have_count(0)
    broadcast.after_hand(0, games[0])
    expect(rows).to_have_count(1)
    visitor.check_access()
    broadcast.after_hand(1, games[1])
    expect(rows).to_have_count(2)
    a, b = games[1].scores[1], games[1].scores[0]
    expect(rows.first.locator("td.num")).to_have_text([str(a), str(b)])

    for width, height in ((1280, 800), PHONE):
        page.set_viewport_size({"width": width, "height": height})
        page = visitor.open("/")
        expect(page.locator(".now a").first).to_contain_text(f"Gin {a} \N{EN DASH} {b} R")
        visitor.check_access()
    page.locator(".now a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/matches/{match.pk}/")
    assert services.finish_match(claim=claim, record=record)
    expect(page.get_by_role("link", name="Watch the replay of game 1")).to_be_visible()
    visitor.check_access()
    cache.clear()
