"""How the site looks, chosen by keyboard alone and without a script."""

import pytest
from playwright.sync_api import Browser
from pytest_django.live_server_helper import LiveServer

from tests.e2e.visitors import visitor_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

BACKGROUND = "getComputedStyle(document.body).backgroundColor"


def test_a_dark_page_and_another_deck_by_keyboard_without_a_script(browser: Browser, live_server: LiveServer) -> None:
    with browser.new_context(java_script_enabled=False, color_scheme="light") as context:
        someone = visitor_of(context, live_server.url)
        page = someone.open("/rules/")
        light = page.evaluate(BACKGROUND)
        page.get_by_role("link", name="Settings").focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**/settings/?next=/rules/")
        page.get_by_label("As the device").focus()
        page.keyboard.press("ArrowUp")  # from the first choice to the last
        page.keyboard.press("Tab")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.wait_for_url(f"{live_server.url}/rules/")  # not that of the settings, which ends alike
        root = page.locator("html")
        assert (root.get_attribute("data-scheme"), root.get_attribute("data-deck")) == ("dark", "four")
        assert page.evaluate(BACKGROUND) != light
        inks = {
            suit: page.locator(f".card-{suit}").first.evaluate("card => getComputedStyle(card).color")
            for suit in "shdc"
        }
        assert len(set(inks.values())) == 4
        assert someone.complaints == []


def test_a_choice_shows_before_it_is_saved(browser: Browser, live_server: LiveServer) -> None:
    with browser.new_context(color_scheme="light", reduced_motion="reduce") as context:
        someone = visitor_of(context, live_server.url)
        page = someone.open("/settings/")
        page.get_by_label("Dark", exact=True).check()
        assert page.locator("html").get_attribute("data-scheme") == "dark"
        someone.check_access()
        someone.open("/settings/")
        assert page.locator("html").get_attribute("data-scheme") == "auto"
        assert someone.complaints == []
