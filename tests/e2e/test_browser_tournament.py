"""A tournament in a real browser: set up, entered, watched while it runs, and its final replayed."""

import datetime as dt

import pytest
from playwright.sync_api import expect

from arena.bots.random_bot import RandomBot
from arena.bots.simple import Simple
from arena.local import LocalContestant
from arena.referee import play_match
from arena.rules import CLASSIC
from ladder import services as ladder_services
from ladder.models import Match
from tests.e2e.visitors import PHONE, Visitor
from tests.web import cups
from tests.web.entering import PASSWORD, author, open_uploads
from tests.web.matches import make_version
from tournaments import services, tasks
from tournaments.models import Fixture, Tournament

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def play_for_real() -> None:
    """A worker plays what waits, moves and all: the better seed with a plan, the other at random."""
    for fixture in Fixture.objects.filter(match__state=Match.State.QUEUED).select_related("first", "second"):
        claim = ladder_services.claim_match(match_id=fixture.match_id, worker="w")
        assert claim is not None
        sides = [LocalContestant(Simple), LocalContestant(RandomBot)]
        record = play_match(CLASSIC, claim.seed, *(sides if cups.by_seed(fixture) else reversed(sides)))
        assert ladder_services.finish_match(claim=claim, record=record)


def test_one_is_set_up_entered_watched_and_its_final_replayed(visitor: Visitor) -> None:
    open_uploads()
    ada = author("ada")
    ladder_services.ensure_default_ladder()
    make_version("Gin", ada)
    page = visitor.open("/accounts/login/?next=/tournaments/new/")
    page.locator("input[name=login]").fill("ada")
    page.locator("input[name=password]").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Log in").click()

    page.get_by_label("Name").fill("Evening cup")
    page.get_by_label("Format").select_option("groups_then_knockout")
    expect(page.get_by_label("Most bots in a group")).to_be_visible()
    page.get_by_label("Format").select_option("single_elimination")
    expect(page.get_by_label("Most bots in a group")).to_be_hidden()
    expect(page.get_by_label("Rounds of a Swiss")).to_be_hidden()
    opens, closes = (page.get_by_label(label).input_value() for label in ("Entries open", "Entries close"))
    assert (
        dt.timedelta(days=1)
        <= dt.datetime.fromisoformat(closes) - dt.datetime.fromisoformat(opens)
        < dt.timedelta(days=2)
    )
    page.get_by_label("Time zone").select_option("UTC")
    page.get_by_label("Seeding").select_option("manual")
    now = dt.datetime.now(dt.UTC)
    page.get_by_label("Entries open").fill(f"{now - dt.timedelta(hours=1):%Y-%m-%dT%H:%M}")
    page.get_by_label("Entries close").fill(f"{now + dt.timedelta(hours=1):%Y-%m-%dT%H:%M}")
    visitor.check_access()
    page.get_by_role("button", name="Publish").click()
    page.get_by_label("Bot", exact=True).select_option("gin")
    page.get_by_role("button", name="Enter").dblclick()  # a second tap is none: it would be told that the bot is in
    expect(page.get_by_text("Gin is entered.")).to_be_visible()
    visitor.check_access()

    cup = Tournament.objects.get()
    for name in ("Rum", "Rye", "Ale"):
        someone = author(name.lower())
        services.enter(user=someone, tournament=cup, bot=make_version(name, someone).bot)
    services.set_seeds(tournament=cup, order=list(cup.entries.order_by("pk")))
    cups.make_due(cup)
    tasks.run()
    visitor.open("/tournaments/evening-cup/")
    expect(page.get_by_text("Being played: Semi-finals, with 2 matches to go.")).to_be_visible()
    visitor.check_access()

    # From here on nobody reloads: the page follows by itself.
    play_for_real()
    tasks.run()
    expect(page.get_by_text("Being played: Final, with 1 match to go.")).to_be_visible()
    play_for_real()
    tasks.run()
    report = page.get_by_role("region", name="Champion")
    expect(report).to_contain_text("Gin")
    visitor.check_access()
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    visitor.check_access()
    page.get_by_role("group", name="Final", exact=True).get_by_role("link").first.click()
    page.get_by_role("link", name="Watch the replay").first.click()
    page.locator("#controls").wait_for()
    visitor.open("/tournaments/evening-cup/organize/")
    visitor.check_access()
    visitor.open("/tournaments/")
    expect(page.get_by_role("row", name="Evening cup")).to_contain_text("Gin")
    visitor.check_access()
    visitor.open("/tournaments/notices/")
    expect(page.get_by_text("Gin won. Gin came in at 1 of 4.")).to_be_visible()
    visitor.check_access()
