"""Every page in a real browser: accessible, no wider than the window, in both schemes, on a desk and on a phone."""

import re
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Locator, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from arena.bots.random_bot import RandomBot
from arena.bots.simple import Simple
from arena.tournament import SingleElimination
from ladder import services
from ladder import tasks as ladder_tasks
from ladder.models import Ladder, Match
from tests.e2e.visitors import PHONE, SLOW_NETWORK, WIDE, Visitor, visitor_of
from tests.sandbox.faulty import PLAYS
from tests.web import cups
from tests.web.entering import PASSWORD, author, logged_in, open_uploads
from tests.web.games import Forgetful, played
from tests.web.matches import claimed, make_ladder, make_version
from tournaments import tasks

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WATCH_SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const {value, sources} of list.getEntries()) {
    shifts.push([value, ...sources.map(({node}) => node?.outerHTML?.slice(0, 120) ?? "a text")]);
  }
}).observe({type: "layout-shift", buffered: true});
"""
"""What of a page moved by itself: how far, as Cumulative Layout Shift adds it up, and what."""


@pytest.fixture
def paths() -> list[str]:
    """Pages with a bit of everything on them: results, a fault, long names, matches that wait and run."""
    open_uploads()
    ladder, ada = make_ladder(), author()
    gin, rummy = make_version("Gin", ada), make_version("Rummy")
    wide = make_version("W" * 40, User.objects.create_user("a_user_name_of_some_length_" + "x" * 60))
    match = played(ladder, [gin, rummy], (Simple, RandomBot))
    played(ladder, [wide, rummy], (Simple, Simple))
    faulty = played(ladder, [gin, rummy], (Forgetful, Simple))
    running = services.enqueue_match(ladder=ladder, versions=[wide, rummy])
    claimed(running)
    queued = services.enqueue_match(ladder=ladder, versions=[gin, wide])
    replay = f"/matches/{match.pk}/games/1/"
    return ["/", "/matches/", f"/matches/{match.pk}/", f"/matches/{faulty.pk}/", f"/matches/{running.pk}/",
            f"/matches/{queued.pk}/", replay, f"{replay}#30", f"{replay}#end", f"/matches/{faulty.pk}/games/1/#end",
            "/matrix/", "/bots/gin/against/rummy/", "/against/?first=Gi&second=Nobody",
            "/bots/gin/", "/rules/", "/rules/oklahoma/", "/rules/tally/", "/guide/", "/guide/writing-a-bot/",
            "/guide/protocol/", "/guide/rating/", "/guide/web-api/", "/api/v1/",
            "/guide/api/", "/settings/", "/nothing/", "/accounts/login/", "/accounts/signup/"]  # fmt: skip


@pytest.fixture(params=[WIDE, PHONE], ids=["wide", "phone"])
def guest(request: pytest.FixtureRequest, browser: Browser, live_server: LiveServer) -> Iterator[Visitor]:
    """A visitor with one of the windows."""
    width, height = request.param
    with browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce") as context:
        someone = visitor_of(context, live_server.url)
        yield someone
        assert someone.complaints == []


def test_pages_for_everybody(guest: Visitor, paths: list[str]) -> None:
    for path in paths:
        guest.open(path)
        guest.check_access_in_both_schemes()
    page = guest.open("/")
    # A phone has no column for the share won.
    matches = page.locator(".ladder-table tbody tr").first.locator("td").nth(5)
    is_wide = page.get_by_role("columnheader", name="Won", exact=True).is_visible()
    expect(matches).to_have_text(re.compile(r"^\d+$" if is_wide else r"^\d+\s% of \d+$"), use_inner_text=True)
    page.get_by_label("Bot or author").fill("ADA")
    expect(page.locator("#found")).to_have_text("1 of 3 bots")
    expect(page.locator(".ladder-table tbody tr")).to_have_count(1)
    expect(page).to_have_url(re.compile("q=ADA"))
    # Whoever types before the script that asks has come is answered as well.
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/htmx.min.js", hold)
    page = guest.open("/against/")
    page.get_by_label("One bot").press_sequentially("rum")
    while not held:
        page.wait_for_timeout(10)
    held[0].continue_()
    expect(page.locator("#first-names option")).to_have_attribute("value", "Rummy")


def test_pages_for_an_author(guest: Visitor, paths: list[str]) -> None:
    page = guest.open("/accounts/login/?next=/my/")
    page.get_by_label("Username").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.locator("main").get_by_role("button", name="Log in").click()
    page.wait_for_url(f"{guest.site}/my/")  # not that of the login, which ends alike
    for path in [
        "/my/",
        "/bots/new/",
        "/bots/gin/",
        "/bots/gin/upload/",
        "/bots/gin/versions/1/",
        "/bots/gin/retire/",
        "/bots/gin/delete/",
        "/my/account/delete/",
        "/bots/rummy/challenge/",
        paths[3],
    ]:
        guest.open(path)
        guest.check_access_in_both_schemes()


def tab_to(page: Page, wanted: Locator) -> None:
    """Press Tab until the element has the focus, as who has no mouse does."""
    for _ in range(120):
        if wanted.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"120 times Tab on {page.url} does not reach {wanted}.")


def test_by_keyboard_alone(visitor: Visitor, paths: list[str]) -> None:
    """Search, filter and page the ladder; sort opponents, open a match; compare, go about the matrix, upload."""
    for number in range(50):
        services.enter_ladder(ladder=Ladder.objects.get(), version=make_version(f"Other{number}"))
    ladder_tasks.tally_ladders()
    session = logged_in(User.objects.get(username="ada")).cookies["sessionid"].value
    visitor.page.context.add_cookies([{"name": "sessionid", "value": session, "url": visitor.site}])
    page = visitor.open("/")
    keys = page.keyboard
    keys.press("Tab")
    keys.press("Enter")  # skips to the content
    tab_to(page, page.get_by_role("link", name="Lower"))
    keys.press("Enter")
    expect(page.get_by_role("link", name="Higher").or_(page.get_by_role("link", name="Top")).first).to_be_visible()
    expect(page).to_have_url(re.compile("after="))
    page = visitor.open("/")
    tab_to(page, page.get_by_label("Bot or author"))
    keys.type("gin")
    keys.press("Tab")
    keys.press("ArrowDown")  # to the first kind under Show
    expect(page).to_have_url(re.compile("q=gin.*show=people"))
    expect(page.locator("#found")).to_have_text("1 of 53 bots")
    tab_to(page, page.locator(".ladder-table").get_by_role("link", name="Gin", exact=True))
    keys.press("Enter")

    page.wait_for_url("**/bots/gin/")
    by_score = page.locator("#opponents-panel").get_by_role("link", name="Score")
    tab_to(page, by_score)
    keys.press("Enter")
    expect(page.locator("#opponents-panel [aria-sort]")).to_have_text(re.compile("Score"))
    expect(by_score).to_be_focused()
    tab_to(page, page.locator(".match-row a").first)
    keys.press("Enter")
    page.wait_for_url("**/matches/*/")

    page = visitor.open("/against/")
    for field, name in (("One bot", "Gin"), ("Against", "Rummy")):
        tab_to(page, page.get_by_label(field))
        keys.type(name)
    keys.press("Enter")
    page.wait_for_url("**/bots/gin/against/rummy/**")

    page = visitor.open("/matrix/")
    cells = page.locator(".matrix td a")
    tab_to(page, cells.first)
    keys.press("ArrowDown")
    expect(cells.first).not_to_be_focused()
    keys.press("Enter")
    page.wait_for_url("**/against/**")

    page = visitor.open("/bots/new/")
    tab_to(page, page.get_by_label("Name"))
    keys.type("Gin Fizz")
    # A key overtakes the word to the page that its file chooser is listened for, unless an answer lies between.
    with page.expect_file_chooser() as chooser:
        tab_to(page, page.locator("input[type=file]"))
        keys.press("Enter")
    chooser.value.set_files({"name": "bot.py", "mimeType": "text/x-python", "buffer": PLAYS.encode()})
    expect(page.get_by_text("“bot.py” looks right")).to_be_visible()
    tab_to(page, page.get_by_role("button", name="Upload and check"))
    keys.press("Enter")
    page.wait_for_url("**/bots/gin-fizz/versions/1/")


def test_nothing_moves_while_a_page_comes_slowly(browser: Browser, live_server: LiveServer, paths: list[str]) -> None:
    ada = User.objects.get(username="ada")
    cup = cups.opened(ada, SingleElimination(matches=1))
    cups.entered(cup, 4)
    cups.make_due(cup)
    tasks.run()
    # No two in a row that differ by their fragment alone: the second would not be loaded.
    kinds = [paths[6], "/", "/matrix/", "/bots/gin/", "/bots/gin/against/rummy/", "/rules/", "/settings/", paths[2],
             f"{paths[6]}#end", "/my/", "/bots/new/", "/bots/new/write/", cup.get_absolute_url()]  # fmt: skip
    moved = {}
    with browser.new_context(viewport={"width": PHONE[0], "height": PHONE[1]}, is_mobile=True) as context:
        context.add_cookies(
            [{"name": "sessionid", "value": logged_in(ada).cookies["sessionid"].value, "url": live_server.url}]
        )
        context.add_init_script(WATCH_SHIFTS)
        someone = visitor_of(context, live_server.url)
        devtools = context.new_cdp_session(someone.page)
        devtools.send("Network.enable")
        devtools.send("Network.setCacheDisabled", {"cacheDisabled": True})
        devtools.send("Network.emulateNetworkConditions", SLOW_NETWORK)
        for path in kinds:
            if shifts := someone.open(path).evaluate("shifts"):
                moved[path] = shifts
        assert someone.complaints == []
    assert moved == {}


def test_times_are_in_the_readers_zone(browser: Browser, live_server: LiveServer, paths: list[str]) -> None:
    with browser.new_context(timezone_id="Asia/Tokyo", locale="en-GB") as context:
        someone = visitor_of(context, live_server.url)
        stamp = someone.open("/matches/").locator("time").first
        expect(stamp).to_have_text(re.compile("^(just now|.* ago)$"))
        stamp.hover()
        assert "GMT+9" in (stamp.get_attribute("title") or "")


def test_a_waiting_match_page_turns_into_the_result_by_itself(
    browser: Browser, live_server: LiveServer, paths: list[str]
) -> None:
    running = Match.objects.get(state=Match.State.RUNNING)
    with browser.new_context() as context:
        someone = visitor_of(context, live_server.url)
        page = someone.open(f"/matches/{running.pk}/")
        assert page.get_by_text("Being played right now.").is_visible()
        services.void_match(match_id=running.pk, error="for the test")
        page.get_by_text("It counts for nobody").wait_for()
        assert someone.complaints == []
