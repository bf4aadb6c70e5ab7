"""The parts of a tournament's page in a real browser, under the site's policy: accessible, within reach, in sight."""

from collections.abc import Iterator
from functools import partial

import pytest
from playwright.sync_api import Browser, Page, Route, ViewportSize, expect
from pytest_django.live_server_helper import LiveServer

from arena.tournament import (
    DoubleElimination,
    Format,
    GroupsThenKnockout,
    RoundRobin,
    SingleElimination,
    Swiss,
    Tournament,
)
from config.middleware import POLICY
from tests.e2e.visitors import PHONE, WIDE, Visitor, visitor_of
from tests.web.drawn_cups import facts_of, new_cup, page, played
from tournaments import bracket, crosstable, report, rounds, tables

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

BODY = """
{% include "tournaments/_report.html" %}
<h2>Bracket</h2>
<div class="panel panel-flush">{% include "tournaments/_bracket.html" %}</div>
<h2>Tables</h2>
<div class="panel panel-flush">{% include "tournaments/_standings.html" with table=standings %}</div>
{% for table in groups %}<div class="panel panel-flush">{% include "tournaments/_standings.html" %}</div>{% endfor %}
{% for table in crossed %}<div class="panel panel-flush">{% include "tournaments/_crosstable.html" %}</div>{% endfor %}
<h2>Rounds</h2>
{% include "tournaments/_rounds.html" %}
"""


def whole_page(cup: Tournament) -> str:
    facts = facts_of(cup, live=2)
    return page(
        BODY,
        title="The Cup",
        report=report.final_report(cup, facts, [report.Highlight("Longest game", "41 hands", "/matches/1/")]),
        bracket=bracket.draw(cup, facts),
        standings=tables.standings(cup, facts),
        groups=tables.groups(cup, facts),
        crossed=crosstable.cross_tables(cup, facts),
        rounds=rounds.rounds(cup, facts),
    )


def _serve(html: str, route: Route) -> None:
    route.fulfill(body=html, content_type="text/html; charset=utf-8", headers={"Content-Security-Policy": POLICY})


def show(visitor: Visitor, html: str) -> Page:
    visitor.page.unroute_all()
    visitor.page.route("**/cup/", partial(_serve, html))
    return visitor.open("/cup/")


@pytest.fixture(params=[WIDE, PHONE], ids=["wide", "phone"])
def reader(request: pytest.FixtureRequest, browser: Browser, live_server: LiveServer) -> Iterator[Visitor]:
    """A reader in either window and, on the phone, in the dark."""
    width, height = request.param
    viewport: ViewportSize = {"width": width, "height": height}
    with browser.new_context(viewport=viewport, color_scheme="dark" if request.param == PHONE else "light") as context:
        someone = visitor_of(context, live_server.url)
        yield someone
        assert someone.complaints == []


@pytest.mark.parametrize(
    ("chosen", "size", "most"),
    [
        (DoubleElimination(), 8, 9),
        (GroupsThenKnockout(matches=3), 8, None),
        (RoundRobin(legs=2), 9, 40),
        (Swiss(rounds=3), 33, None),
    ],
)
def test_every_part_is_accessible_and_fits(reader: Visitor, chosen: Format, size: int, most: int | None) -> None:
    cup = played(new_cup(chosen, size), most=most)
    seen = show(reader, whole_page(cup))
    seen.evaluate("document.querySelectorAll('details').forEach(folded => folded.open = true)")
    reader.check_access()


def test_names_stay_inside_their_boxes(reader: Visitor) -> None:
    seen = show(reader, whole_page(played(new_cup(SingleElimination(), 33))))
    over = seen.evaluate(
        """() => [...document.querySelectorAll(".bracket .name")].filter(name => {
          const room = name.ownerSVGElement.getBoundingClientRect().width;
          return name.getBoundingClientRect().width > room;
        }).map(name => name.textContent)"""
    )
    assert over == []


def test_the_keyboard_opens_a_match_from_the_bracket(visitor: Visitor) -> None:
    seen = show(visitor, whole_page(played(new_cup(SingleElimination(), 5))))
    seen.locator("[data-bracket]").focus()
    seen.keyboard.press("Tab")
    focused = seen.evaluate("[document.activeElement.ariaLabel, document.activeElement.getAttribute('href')]")
    assert focused[0].startswith("Quarter-finals: ")
    assert focused[1] == "/matches/1/"


def test_pointing_at_a_name_shows_its_way(visitor: Visitor) -> None:
    cup = played(new_cup(SingleElimination(), 8))
    seen = show(visitor, whole_page(cup))
    seen.locator(f'.bracket .line[data-entrant="{cup.champion}"]').first.hover()
    # The champion plays three matches and walks two wires.
    expect(seen.locator(".bracket .line.traced")).to_have_count(3)
    expect(seen.locator(".bracket .wire.traced")).to_have_count(2)
    seen.locator("h1").hover()
    expect(seen.locator(".traced")).to_have_count(0)


def test_a_tall_bracket_begins_where_it_is_played(visitor: Visitor) -> None:
    seen = show(visitor, whole_page(played(new_cup(SingleElimination(), 64), most=60)))
    frame, live = seen.locator("[data-bracket]").bounding_box(), seen.locator(".box.live").first.bounding_box()
    assert frame is not None
    assert live is not None
    assert frame["x"] <= live["x"] < live["x"] + live["width"] <= frame["x"] + frame["width"]
    assert frame["y"] <= live["y"] < live["y"] + live["height"] <= frame["y"] + frame["height"]


def test_a_newer_page_leaves_the_reader_where_it_was(visitor: Visitor) -> None:
    html = whole_page(played(new_cup(DoubleElimination(), 64), most=60))
    seen = show(
        visitor,
        html.replace(
            "<h2>Bracket", '<button hx-get="/cup/" hx-select="main" hx-target="main">More</button><h2>Bracket'
        ),
    )
    window = seen.locator("[data-bracket]")
    seen.locator("#round-2 > summary").click()
    was_open = seen.locator("#round-2").evaluate("part => part.open")
    window.evaluate("box => box.scrollTo(100, 200)")
    # Scroll events come with the next frame.
    seen.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    window.evaluate("box => box.dataset.old = 'yes'")
    with seen.expect_response("**/cup/"):
        seen.locator("button", has_text="More").click()
    seen.locator("[data-bracket]:not([data-old])").wait_for()
    # It comes with its place at the top, and is moved a moment later.
    seen.wait_for_function(
        "() => { const box = document.querySelector('[data-bracket]'); return box.scrollLeft + box.scrollTop > 0; }"
    )
    assert window.evaluate("box => [box.scrollLeft, box.scrollTop]") == [100, 200]
    assert seen.locator("#round-2").evaluate("part => part.open") == was_open


def test_round_names_stay_in_sight_in_a_tall_bracket(reader: Visitor) -> None:
    seen = show(reader, whole_page(played(new_cup(DoubleElimination(), 64), most=60)))
    window = seen.locator("[data-bracket]")
    window.evaluate("box => box.scrollTo(0, 600)")
    offset = window.evaluate(
        "box => box.querySelector('.bracket-head').getBoundingClientRect().top - box.getBoundingClientRect().top"
    )
    assert 0 <= offset < 5


def test_a_cross_tables_names_stay_in_sight(browser: Browser, live_server: LiveServer) -> None:
    with browser.new_context(viewport={"width": PHONE[0], "height": PHONE[1]}) as context:
        someone = visitor_of(context, live_server.url)
        seen = show(someone, whole_page(played(new_cup(RoundRobin(), 22))))
        table = seen.locator(".table-scroll", has=seen.locator(".crosstable"))
        table.evaluate("box => box.scrollTo(600, 0)")
        left = table.evaluate(
            "box => box.querySelector('tbody th').getBoundingClientRect().left - box.getBoundingClientRect().left"
        )
        assert abs(left) < 2
        assert someone.complaints == []
