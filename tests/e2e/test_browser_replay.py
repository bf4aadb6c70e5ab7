"""The replay in a real browser: keys, buttons, links, and what the table shows against the record."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

from arena.bots.simple import Simple
from arena.legal import Phase
from arena.steps import steps
from ladder.models import Match
from tests.e2e.visitors import PHONE, Visitor
from tests.web.entering import author, logged_in
from tests.web.games import Forgetful, played, record_of
from tests.web.matches import make_ladder, make_version

ROOT = Path(__file__).parents[2]
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


def see(visitor: Visitor, position: int) -> None:
    """The table comes to that position."""
    expect(visitor.page.locator("#place")).to_have_text(re.compile(f"^{position} / "))


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
        see(visitor, step)
    assert scores(visitor) == [game.score_a, game.score_b]
    page.keyboard.press("ArrowRight")
    see(visitor, last)
    expect(page).to_have_url(re.compile(f"#{last}$"))


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
    see(visitor, last)
    page.keyboard.press("ArrowLeft")
    see(visitor, last - 1)
    page.keyboard.press("Home")
    see(visitor, 0)
    page.get_by_role("button", name="Forward one move").click()
    page.get_by_role("button", name="Forward one move").click()
    page.get_by_role("button", name="Back one move").click()
    see(visitor, 1)
    page.locator("#scrubber").focus()
    page.keyboard.press("ArrowRight")
    see(visitor, 2)
    page.locator("#moves li a").nth(5).click()
    see(visitor, 5)
    assert page.locator("#moves [aria-current]").get_attribute("href") == "#5"
    page.locator("#hand").select_option(index=1)
    second = int(page.locator("#hand option").nth(1).get_attribute("value") or 0)
    see(visitor, second)
    page.locator("#hand").press("ArrowRight")
    see(visitor, second + 1)


def test_each_position_has_its_link(visitor: Visitor, match: Match) -> None:
    for address, expected in (("#12", 12), ("?seat=5#7", 7), ("#end", -1), ("#nonsense", 0), ("#%", 0), ("#99999", -1)):
        page = visitor.open("/rules/")
        page = visitor.open(f"/matches/{match.pk}/games/1/{address}")
        last = int(page.locator("#scrubber").get_attribute("max") or 0)
        see(visitor, last if expected < 0 else expected)
    page.evaluate("location.hash = '3'")
    expect(page.locator("#place")).to_have_text(f"3 / {last}")
    page.get_by_role("link", name="Skip to the content").press("Enter")
    page.keyboard.press("ArrowRight")
    see(visitor, 4)


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
    expect(page.get_by_role("dialog")).to_be_visible()
    visitor.check_access()
    page.keyboard.press("ArrowRight")
    see(visitor, 0)
    page.keyboard.press("Escape")
    expect(page.locator("#help")).to_be_hidden()
    page.keyboard.press("?")
    page.mouse.click(5, 5)  # beside it
    expect(page.locator("#help")).to_be_hidden()


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


@pytest.mark.parametrize("lost", ["**/steps.json", "**/img/cards*.svg"])
def test_a_table_that_cannot_be_laid_says_so(visitor: Visitor, match: Match, lost: str) -> None:
    visitor.page.route(lost, lambda route: route.abort())
    visitor.page.goto(f"{visitor.site}/matches/{match.pk}/games/1/")
    expect(visitor.page.locator("#felt")).to_have_text(re.compile("^The moves could not be loaded. Check your "))
    expect(visitor.page.locator("#controls")).to_be_hidden()
    expect(visitor.page.locator("#moves li").first).to_be_visible()
    assert all("ERR_FAILED" in each or "Failed to fetch" in each for each in visitor.complaints)
    visitor.complaints.clear()


def test_letters_are_keys_until_they_are_turned_off(visitor: Visitor, match: Match) -> None:
    page = visitor.open(f"/matches/{match.pk}/games/1/")
    for key, expected in (("j", 1), ("j", 2), ("k", 1), ("$", -1), ("0", 0)):
        page.keyboard.press(key)
        see(visitor, int(page.locator("#scrubber").get_attribute("max") or 0) if expected < 0 else expected)
    for key, speed in (("+", "2"), ("+", "4"), ("-", "2"), ("-", "1"), ("-", "0.5")):
        page.keyboard.press(key)
        expect(page.locator("#speed")).to_have_value(speed)
    names = page.locator(".plate .who")
    expect(names).to_have_text(["Gin", "Rummy"])
    page.keyboard.press("f")
    expect(names).to_have_text(["Rummy", "Gin"])
    page.keyboard.press("?")
    page.get_by_label("Letters and signs are keys here").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    see(visitor, 0)
    page.keyboard.press("ArrowRight")
    see(visitor, 1)
    page = visitor.open(f"/matches/{match.pk}/games/1/?again")
    expect(page.locator("#speed")).to_have_value("0.5")
    page.keyboard.press("j")
    see(visitor, 0)


def test_the_marks_are_where_the_record_has_them(visitor: Visitor, match: Match) -> None:
    page = visitor.open(f"/matches/{match.pk}/games/1/")
    found = list(steps(record_of(match).games[0]))
    knocked = [step.number for step in found if step.kind == "knock"]
    gins = {step.hand for step in found if step.showdown and step.showdown.ending == "gin"}
    knocks = [number for number in knocked if found[number].hand not in gins]
    undercuts = [step.number for step in found if step.showdown and step.showdown.ending == "undercut"]
    takes = [step.number for step in found if step.kind == "draw" and not step.is_secret]
    for kind, expected in (("take", takes), ("knock", knocks), ("undercut", undercuts)):
        assert page.locator(f"#timeline .mark-{kind}").count() == len(expected)
    last = found[-1].number
    words = page.locator("#timeline use.mark-knock title").first
    assert "knocks with" in (words.text_content() or "")
    # by the legend from one to the next, and round
    button = page.get_by_role("button", name=re.compile(r"^\d+ knocks?$"))
    for number in [*knocks, knocks[0]]:
        button.click()
        see(visitor, number)
    page.keyboard.press("Home")
    marks = sorted([*knocks, *undercuts, *(step.number for step in found if step.showdown and step.hand in gins)])
    for number in marks:
        page.keyboard.press("]")
        see(visitor, number)
    page.keyboard.press("[")
    see(visitor, [marks[-1], *marks][-2] if len(marks) > 1 else marks[0])
    # a click near a mark means the mark, a click on the band a hand
    strip = page.locator("#timeline").bounding_box()
    assert strip is not None
    page.mouse.click(strip["x"] + strip["width"] * knocks[0] / last + 1, strip["y"] + 14)
    see(visitor, knocks[0])
    second = next(step.number for step in found if step.hand == 2)
    page.mouse.click(strip["x"] + strip["width"] * (second + 4) / last, strip["y"] + 30)
    see(visitor, second)


def test_one_seats_view_hides_what_that_seat_did_not_see(visitor: Visitor, match: Match) -> None:
    page = visitor.open(f"/matches/{match.pk}/games/1/")
    found = list(steps(record_of(match).games[0]))
    page.keyboard.press("v")
    assert page.locator("#sight option:checked").inner_text() == "As Gin saw it"
    for step in found[:30]:
        other = page.locator(".seat").nth(1)
        shown = other.locator("[data-card]").evaluate_all("cards => cards.map(card => card.dataset.card)")
        assert sorted(shown) == sorted(str(card) for card in step.seats[1].known)
        assert other.locator(".card.back").count() == len(step.seats[1].cards) - len(shown)
        hidden = step.is_secret and step.actor == 1
        for words in (page.locator(".said .what").inner_text(), page.locator(f"#move-{step.number} a").inner_text()):
            assert hidden == words.endswith("draws from the stock.")
        page.keyboard.press("ArrowRight")
    page.keyboard.press("p")
    expect(page.get_by_text("Face down in the view of one seat.")).to_be_visible()
    page.keyboard.press("Escape")
    theirs = next(step.number for step in found if step.decision is Phase.DISCARD and step.turn == 1)
    page.evaluate(f"location.hash = '{theirs}'")
    see(visitor, theirs)
    page.keyboard.press("s")
    expect(page.locator("#share-test")).to_have_value("The hand that decides here is hidden in this view.")
    expect(page.locator("#share-said")).to_contain_text(", as Gin saw it.")
    link = page.get_by_label("Link to this position").input_value()
    frame = re.search(r'src="([^"]+)"', page.locator("#share-frame").input_value())
    page.keyboard.press("Escape")
    assert page.url == link  # so the address itself may be copied
    hidden_now = page.locator(".felt .hand .card.back").count()
    # The scale of the chart goes by the hand in view; the other's counts are higher here.
    page.locator("#charts").scroll_into_view_if_needed()
    page.locator("#span").select_option("game")
    most = [max(step.seats[seat].points for step in found if len(step.seats[seat].cards) == 10) for seat in (0, 1)]
    assert 10 < most[0] < most[1]
    expect(page.locator(".chart-most").first).to_have_text(f"up to {most[0]} points")
    page.keyboard.press("v")
    page.keyboard.press("v")
    assert page.locator(".felt .hand .card.back").count() == 0
    assert page.url == f"{visitor.site}/matches/{match.pk}/games/1/#{theirs}"
    # One back in the history is another position, and was seen by one seat.
    page.go_back()
    see(visitor, 30)
    expect(page.locator("#sight option:checked")).to_have_text("As Gin saw it")
    # Whoever opens the link cold, or the frame, sees no more; nor does who goes on from the frame to the whole.
    assert hidden_now > 0
    assert frame is not None
    for address in (link, frame[1]):
        visitor.open("/rules/")
        page.goto(address)
        see(visitor, theirs)
        assert page.locator(".felt .hand .card.back").count() == hidden_now
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Open the replay").click()
    opened.value.locator("#controls").wait_for()
    assert opened.value.url == link
    expect(opened.value.locator("#sight option:checked")).to_have_text("As Gin saw it")
    # The other game is shown as the same bot saw it, which sits on the other side there.
    opened.value.keyboard.press("g")
    opened.value.wait_for_url(f"{visitor.site}/matches/{match.pk}/games/2/?seat=1")
    expect(opened.value.locator("#sight option:checked")).to_have_text("As Gin saw it")


def test_an_answer_that_comes_late_shows_no_hidden_hand(visitor: Visitor, match: Match) -> None:
    found = steps(record_of(match).games[0])
    theirs = next(step.number for step in found if step.decision is Phase.DISCARD and step.turn == 1)
    page = visitor.open(f"/matches/{match.pk}/games/1/")
    page.locator("#study").scroll_into_view_if_needed()
    page.locator("#decision tbody").wait_for()
    late: list[Route] = []
    page.route("**/decisions/*", lambda route: late.append(route))  # noqa: PLW0108 - it marks what it is given
    with page.expect_request("**/decisions/*.json*"):
        page.evaluate(f"location.hash = '{theirs}'")
    with page.expect_request("**/decisions/*.py"):
        page.keyboard.press("s")
    page.keyboard.press("Escape")
    page.keyboard.press("v")
    page.keyboard.press("s")
    for route in late:
        with page.expect_request_finished():
            route.continue_()
    page.evaluate("new Promise((done) => setTimeout(done, 100))")  # an answer that has come is shown at once
    expect(page.locator("#decision")).to_contain_text("its hand is hidden in this view.")
    expect(page.locator("#share-test")).to_have_value("The hand that decides here is hidden in this view.")


def test_stock_and_pile_can_be_looked_through(visitor: Visitor, match: Match) -> None:
    page = visitor.open(f"/matches/{match.pk}/games/1/#9")
    hand = record_of(match).games[0].replay().hands[0]
    page.get_by_role("button", name="Stock and pile").click()
    expect(page.locator(".spread")).to_have_count(2)
    pile, stock = (
        page.locator(".spread").nth(row).locator("[data-card]").evaluate_all("all => all.map(one => one.dataset.card)")
        for row in (0, 1)
    )
    step = list(steps(record_of(match).games[0]))[9]
    assert pile == [str(card) for card in reversed(step.discard_pile)]
    # what is left of the stock at the end of the hand is the end of the stock of now
    end = [str(card) for card in hand.stock]
    assert stock[len(stock) - len(end) :] == end
    assert len(stock) == step.stock_size
    visitor.check_access()


def test_the_decision_names_every_discard_and_a_house_bots_choice(visitor: Visitor, match: Match) -> None:
    page = visitor.open(f"/matches/{match.pk}/games/1/")
    found = list(steps(record_of(match).games[0]))
    step = next(step for step in found if step.decision is Phase.DISCARD)
    page.evaluate(f"location.hash = '{step.number}'")
    rows = page.locator("#decision tbody tr")
    expect(rows).to_have_count(11)
    assert step.turn is not None
    name = ("Gin", "Rummy")[step.turn]
    expect(page.locator("#decision .verdict")).to_contain_text(f"{name} discards")
    page.locator("#adviser").select_option("greedy")
    expect(page.locator("#decision .verdict")).to_contain_text("Greedy")
    page.keyboard.press("End")
    expect(page.locator("#decision")).to_contain_text("Nothing to choose here: the hand is over.")


def test_the_charts_follow_and_lead(visitor: Visitor, match: Match) -> None:
    page = visitor.open(f"/matches/{match.pk}/games/1/")
    found = list(steps(record_of(match).games[0]))
    page.locator("#span").select_option("game")
    chart = page.locator("#charts svg").first
    box = chart.bounding_box()
    assert box is not None
    chart.click(position={"x": box["width"] / 2, "y": 20})
    assert abs(at(visitor) - (len(found) - 1) / 2) <= 1
    page.locator("#charts summary").click()
    for row, deal in enumerate(step for step in found if step.kind == "deal"):
        cells = page.locator("#charts tbody tr").nth(row).locator("td").all_inner_texts()
        assert [cells[0].split(" to ")[0], cells[2].split(" to ")[0]] == [str(seat.points) for seat in deal.seats]
    for row, end in enumerate(step.showdown for step in found if step.showdown):
        left = [str(end.knocker_points), str(end.defender_points)]
        cells = page.locator("#charts tbody tr").nth(row).locator("td").all_inner_texts()
        assert [cells[0].split(" to ")[1], cells[2].split(" to ")[1]] == (left if end.knocker == 0 else left[::-1])
    page.locator("#charts tbody a").nth(1).click()
    second = next(step.number for step in found if step.hand == 2)
    expect(page.locator("#place")).to_have_text(re.compile(f"^{second} / "))


def test_sharing_gives_links_that_open_the_position_cold(visitor: Visitor, match: Match, tmp_path: Path) -> None:
    page = visitor.open(f"/matches/{match.pk}/games/1/#17")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.keyboard.press("s")
    expect(page.locator("#share")).to_be_visible()
    link = page.get_by_label("Link to this position").input_value()
    page.get_by_role("button", name="Copy the link").click()
    expect(page.locator("#share-said")).to_have_text("Copied.")
    assert page.evaluate("navigator.clipboard.readText()") == link
    expect(page.get_by_label("This decision as a unit test")).to_have_value(re.compile("class Match.*Move17"))
    words = page.locator("#share-command").input_value().replace("bot.py", "house:sharp").split()
    (tmp_path / words[2]).write_bytes(bytes(match.record_blob.data))
    tool = [sys.executable, "-m", *words]
    ran = subprocess.run(tool, cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True)
    # the tool counts a decision by the move that came of it
    assert f"move 18, hand {list(steps(record_of(match).games[0]))[17].hand}:" in ran.stdout
    frame = page.locator("#share-frame").input_value()
    visitor.check_access()
    visitor.open("/rules/")
    page.goto(link)
    page.locator("#controls").wait_for()
    see(visitor, 17)
    source = re.search(r'src="([^"]+)"', frame)
    assert source is not None
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    page.goto(source[1])
    page.locator("#controls").wait_for()
    see(visitor, 17)
    page.keyboard.press("ArrowRight")
    see(visitor, 18)
    visitor.check_access()
    with page.expect_download() as download:
        visitor.open(f"/matches/{match.pk}/games/1/")
        page.keyboard.press("s")
        page.get_by_role("link", name="positions as JSON").click()
    assert download.value.suggested_filename == f"match-{match.pk}-game-1.json"


def test_its_author_sees_what_a_bot_printed_beside_the_move(visitor: Visitor) -> None:
    ada = author()
    match = played(make_ladder(), [make_version("Lost", ada), make_version("Found")], (Forgetful, Simple))
    session = logged_in(ada).cookies["sessionid"].value
    visitor.page.context.add_cookies([{"name": "sessionid", "value": session, "url": visitor.site}])
    page = visitor.open(f"/matches/{match.pk}/games/1/")
    prints = page.get_by_role("region", name="Printed with this move")
    expect(prints).to_have_text("Nothing was printed with this move.")
    page.keyboard.press("End")
    expect(prints.locator(".who")).to_have_text("Lost printed")
    expect(prints.locator("pre")).to_have_text("<b>where was I?</b>\n")
    visitor.check_access_in_both_schemes()
    page.locator("#sight").select_option(label="As Found saw it")
    for place in (page.locator(".said .what"), page.locator("#moves [aria-current]")):
        expect(place).to_have_text("Lost forfeits the game.")  # why may name its cards
    expect(prints).to_have_text("What Lost printed is hidden in this view.")  # as may this
    page.locator("#sight").select_option(label="As Lost saw it")
    expect(prints.locator("pre")).to_have_text("<b>where was I?</b>\n")


def test_the_card_that_moved_flies_unless_motion_is_unwanted(visitor: Visitor, match: Match) -> None:
    page = visitor.open(f"/matches/{match.pk}/games/1/")
    # Counted as they begin: one is over before a slow machine looks for it.
    page.evaluate(
        """() => {
          const animate = Element.prototype.animate;
          window.flights = 0;
          Element.prototype.animate = function (...how) { flights++; return animate.apply(this, how); };
        }"""
    )
    page.emulate_media(reduced_motion="no-preference")
    draws = next(step.number for step in steps(record_of(match).games[0]) if step.kind == "draw")
    page.evaluate(f"location.hash = '{draws - 1}'")
    expect(page.locator("#place")).to_have_text(re.compile(f"^{draws - 1} / "))
    page.keyboard.press("ArrowRight")
    see(visitor, draws)
    assert page.evaluate("flights") == 1
    page.keyboard.press("ArrowLeft")
    see(visitor, draws - 1)
    page.emulate_media(reduced_motion="reduce")
    page.keyboard.press("ArrowRight")
    see(visitor, draws)
    assert page.evaluate("flights") == 1


def test_a_phone_shows_the_whole_table_and_everything_is_reached_by_keyboard(visitor: Visitor, match: Match) -> None:
    visitor.page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    page = visitor.open(f"/matches/{match.pk}/games/1/#20")
    for part in (page.locator("#felt"), page.locator("#controls")):
        box = part.bounding_box()
        assert box is not None
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= PHONE[1]
    reached = []
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.innerText.trim()"))
    table = ["scrubber", "To the start", "play", "To the end", "speed", "hand", "sight", "Flip", "Share"]
    wanted = [*table, "moves", "adviser"]
    places = [reached.index(name) for name in wanted]
    assert places == sorted(places)
    assert any(re.fullmatch(r"\d+ knocks?", name) for name in reached)
    page.get_by_role("button", name="Share").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#share")).to_be_visible()
    visitor.check_access()
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.innerText") == "Share"
