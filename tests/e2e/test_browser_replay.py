"""The replay in a real browser: keys, buttons, links, and what the table shows against the record."""

import re

import pytest
from playwright.sync_api import expect

from arena.bots.simple import Simple
from ladder.models import Match
from tests.e2e.visitors import Visitor
from tests.web.games import played, record_of
from tests.web.matches import make_ladder, make_version

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def match() -> Match:
    return played(make_ladder(), [make_version("Gin"), make_version("Rummy")], (Simple, Simple), decks=4)


def scores(visitor: Visitor) -> list[int]:
    """The points on the table, top first."""
    return [int(text.split()[0]) for text in visitor.page.locator(".plate .points").all_inner_texts()]


def at(visitor: Visitor) -> int:
    """The position, as the table states it."""
    return int(visitor.page.locator("#place").inner_text().split("/")[0])


@pytest.mark.parametrize("place", [1, 2])
def test_stepping_by_keyboard_to_the_end_reaches_the_recorded_scores(
    visitor: Visitor, match: Match, place: int
) -> None:
    page = visitor.open(f"/matches/{match.pk}/games/{place}/")
    game = match.games.get(number=place - 1)
    last = int(page.locator("#scrubber").get_attribute("max") or 0)
    assert scores(visitor) == [0, 0]
    for step in range(1, last + 1):
        page.keyboard.press("ArrowRight")
        assert at(visitor) == step
    assert scores(visitor) == [game.score_a, game.score_b]
    page.keyboard.press("ArrowRight")
    assert at(visitor) == last
    assert page.url.endswith(f"#{last}")


def test_every_hand_end_shows_the_scores_of_the_record(visitor: Visitor, match: Match) -> None:
    page = visitor.open(f"/matches/{match.pk}/games/1/")
    game = record_of(match).games[0].replay()
    for hand in range(1, len(game.results) + 1):
        page.keyboard.press("ArrowDown")
        if hand < len(game.results):
            assert scores(visitor) == list(game.scores_after(hand))
            assert page.locator("#hand option:checked").inner_text().startswith(f"Hand {hand + 1}:")
    assert scores(visitor) == list(game.scores)


def test_both_hands_are_on_the_table(visitor: Visitor, match: Match) -> None:
    page = visitor.open(f"/matches/{match.pk}/games/1/")
    hand = record_of(match).games[0].replay().hands[0]
    for seat in (0, 1):
        shown = (
            page.locator(".seat")
            .nth(seat)
            .locator(".card use")
            .evaluate_all("uses => uses.map(use => use.getAttribute('href').slice(1))")
        )
        assert sorted(shown) == sorted(str(card) for card in hand.dealt(seat))
    assert page.locator(".pile .card").get_attribute("aria-label")


def test_keys_buttons_scrubber_and_list_agree(visitor: Visitor, match: Match) -> None:
    page = visitor.open(f"/matches/{match.pk}/games/1/")
    last = int(page.locator("#scrubber").get_attribute("max") or 0)
    page.keyboard.press("End")
    assert at(visitor) == last
    page.keyboard.press("ArrowLeft")
    assert at(visitor) == last - 1
    page.keyboard.press("Home")
    assert at(visitor) == 0
    page.get_by_role("button", name="Forward one move").click()
    page.get_by_role("button", name="Forward one move").click()
    page.get_by_role("button", name="Back one move").click()
    assert at(visitor) == 1
    page.locator("#scrubber").focus()
    page.keyboard.press("ArrowRight")
    assert at(visitor) == 2
    page.locator("#moves li a").nth(5).click()
    assert at(visitor) == 5
    assert page.locator("#moves [aria-current]").get_attribute("href") == "#5"
    page.locator("#hand").select_option(index=1)
    assert at(visitor) == int(page.locator("#hand option").nth(1).get_attribute("value") or 0)


def test_each_position_has_its_link(visitor: Visitor, match: Match) -> None:
    for address, expected in (("#12", 12), ("?step=7", 7), ("#end", -1), ("#nonsense", 0), ("#99999", -1)):
        page = visitor.open("/rules/")
        page = visitor.open(f"/matches/{match.pk}/games/1/{address}")
        last = int(page.locator("#scrubber").get_attribute("max") or 0)
        assert at(visitor) == (last if expected < 0 else expected)
    page.evaluate("location.hash = '3'")
    expect(page.locator("#place")).to_have_text(f"3 / {last}")


def test_space_plays_and_pauses(visitor: Visitor, match: Match) -> None:
    page = visitor.open(f"/matches/{match.pk}/games/1/")
    page.keyboard.press(" ")
    expect(page.locator("#place")).to_have_text(re.compile("^2 / "))
    page.keyboard.press(" ")
    stopped = at(visitor)
    page.wait_for_timeout(1200)
    assert at(visitor) == stopped


def test_the_help_lists_the_keys_and_closes_by_key(visitor: Visitor, match: Match) -> None:
    page = visitor.open(f"/matches/{match.pk}/games/1/")
    page.keyboard.press("?")
    assert page.get_by_role("dialog").is_visible()
    visitor.check_access()
    page.keyboard.press("ArrowRight")
    assert at(visitor) == 0
    page.keyboard.press("Escape")
    assert not page.locator("#help").is_visible()


def test_without_a_script_every_move_can_be_read(visitor: Visitor, match: Match) -> None:
    browser = visitor.page.context.browser
    assert browser is not None
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{visitor.site}/matches/{match.pk}/games/1/")
        moves = page.locator("#moves li")
        record = record_of(match).games[0]
        assert moves.count() == len(record.hands) + sum(len(hand.times) for hand in record.hands)
        assert moves.first.is_visible()
        note = page.locator(".felt-note").first
        assert "The card table needs JavaScript." in note.inner_text()
        assert note.bounding_box() is not None
        assert not page.locator("#controls").is_visible()
