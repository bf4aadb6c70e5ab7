"""A hand against a bot in a real browser, by keyboard at a wide window and by finger on a phone."""

from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from tables import services
from tables.models import Table
from tests.e2e.visitors import PHONE, Visitor, visitor_of
from tests.web.entering import open_uploads
from tests.web.hosting import hosted_in_a_thread
from tests.web.matches import make_ladder, make_version

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def _house(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    open_uploads()
    make_ladder()
    make_version("Novice")
    # The person sits in seat 1, and the cards are always the same: whoever throws the highest soon knocks.
    fixed = SimpleNamespace(token_bytes=lambda count: (120).to_bytes(count, "big"), randbelow=lambda _below: 1)
    monkeypatch.setattr(services, "secrets", fixed)
    end = hosted_in_a_thread(monkeypatch)
    yield
    end()


def dealt(visitor: Visitor) -> Page:
    page = visitor.open("/play/")
    visitor.check_access()
    page.get_by_label("One quick hand").check()
    page.get_by_role("button", name="Deal").click()
    page.locator("#bar").wait_for()
    return page


def my_turn(page: Page) -> str:
    """The keys of what can be done now, once it is the person's turn or the game is over."""
    page.locator("#actions > *").first.wait_for()
    return "".join(button.get_attribute("data-key") or "" for button in page.locator("#actions > button").all())


def test_a_hand_by_keyboard(visitor: Visitor) -> None:
    page = dealt(visitor)
    expect(page.locator("#instruction")).to_contain_text("or pass.")
    visitor.check_access_in_both_schemes()
    page.keyboard.press("s")  # which is no choice now, and loses nothing
    is_checked = False
    while "n" not in (keys := my_turn(page)):
        before = page.evaluate("document.querySelector('#instruction').dataset.line")
        if "p" in keys:
            page.keyboard.press("p")
        elif "s" in keys:
            page.keyboard.press("s")
            # The hand has the keyboard, at the card that came.
            expect(page.locator(".card-button:focus .fresh")).to_be_visible()
        elif "k" in keys:
            page.keyboard.press("k")
        else:
            page.locator(".card-button").first.focus()
            page.keyboard.press("ArrowLeft")  # round to the last one, the highest
            page.keyboard.press("Enter")
            expect(page.locator('.card-button[aria-pressed="true"]')).to_have_count(1)
            if not is_checked:
                visitor.check_access()
                is_checked = True
            page.keyboard.press("d")
        page.wait_for_function("was => document.querySelector('#instruction').dataset.line !== was", arg=before)
    expect(page.locator("#instruction")).to_contain_text("the game")
    expect(page.locator("#felt .total")).to_contain_text("points for")
    visitor.check_access_in_both_schemes()
    page.get_by_role("link", name="Replay with advice").click()
    page.locator("#controls").wait_for()
    page.keyboard.press("End")
    expect(page.locator("#felt .said")).to_contain_text("wins the game")
    expect(page.locator("#decision")).not_to_be_empty()
    visitor.check_access()


def test_a_hand_by_finger_in_two_windows_and_resigned(browser: Browser, live_server: LiveServer) -> None:
    viewport = {"width": PHONE[0], "height": PHONE[1]}
    with browser.new_context(viewport=viewport, has_touch=True) as context:  # type: ignore[arg-type]
        visitor = visitor_of(context, live_server.url)
        page = dealt(visitor)
        other = context.new_page()
        other.goto(page.url)
        expect(other.get_by_role("button", name="Pass")).to_be_visible()
        other.route("**/state.json", lambda route: route.abort())  # nor does it ask, however long this takes
        page.get_by_role("button", name="Pass").tap()
        expect(page.locator(".stock.can-draw")).to_be_visible()
        # The other window has not heard: what it says is not played, and it learns how the game stands.
        other.get_by_role("button", name="Pass").tap()
        expect(other.locator("#instruction")).to_contain_text("Draw a card")
        page.locator(".stock").tap()
        card = page.locator(".card-button").last
        card.tap()
        expect(card).to_have_attribute("aria-pressed", "true")
        visitor.check_access()
        page.get_by_role("button", name="Throw").tap()
        expect(page.locator(".card-button")).to_have_count(10)
        before = Table.objects.get().moves
        page.reload()
        expect(page.locator(".card-button")).to_have_count(10)
        assert Table.objects.get().moves >= before
        page.get_by_role("button", name="Resign").tap()
        page.locator("#sure").get_by_role("button", name="Resign").tap()
        expect(page.locator("#instruction")).to_contain_text("You resigned")
        expect(page.get_by_role("link", name="Replay with advice")).to_be_visible()
        visitor.check_access()
        assert visitor.complaints == []
