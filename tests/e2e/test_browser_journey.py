"""The whole way, in a real browser against a whole arena (site, worker, scheduler, Docker): sign up, upload a bot, see
it checked, see it on the ladder after its first rated match, and step through that match's replay to the end."""

import io
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect

from arena.record import MatchRecord
from ladder.documents import small_bot
from tests.e2e.visitors import PHONE, WIDE, Visitor, visitor_of
from tests.services import environment_of, free_port

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.docker]

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 600
"""Building the sandbox image of a new version included."""
CHECK_SECONDS = MATCH_SECONDS = 600
PASSWORD = "a long enough pass phrase"

ZIPPED = {
    "my-bot/bot.py": (
        "from arena import Bot\nfrom strategy.plan import discard, draw\n\n\n"
        "class Planner(Bot):\n"
        "    def choose_draw(self, view):\n        return draw(view)\n\n"
        "    def choose_discard(self, view):\n        return discard(view)\n"
    ),
    "my-bot/strategy/__init__.py": "",
    "my-bot/strategy/plan.py": (
        "from arena import Discard, Draw\n\nfrom strategy.values import cost\n\n\n"
        "def draw(view):\n    return Draw.STOCK if Draw.STOCK in view.legal else Draw.PASS\n\n\n"
        "def discard(view):\n"
        "    if view.knock_options:\n        return view.knock_options[0]\n"
        "    return Discard(min(view.legal_discards, key=lambda card: cost(view, card)))\n"
    ),
    "my-bot/strategy/values.py": "def cost(view, card):\n    return view.deadwood_after(card), -card.points\n",
}


@dataclass
class Arena:
    """A running arena with data of its own."""

    site: str
    var: Path

    def record(self, match_id: int) -> MatchRecord:
        """The stored record of a match, read past the site."""
        with sqlite3.connect(self.var / "arena.sqlite3") as database:
            ((data,),) = database.execute("SELECT data FROM ladder_matchrecordblob WHERE match_id = ?", [match_id])
        database.close()
        return MatchRecord.from_bytes(data)


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory, migrated_sqlite: Path) -> Iterator[Arena]:
    """The arena as `manage.py serve` runs it, on Docker."""
    folder = tmp_path_factory.mktemp("arena")
    (folder / "var").mkdir()
    shutil.copy(migrated_sqlite, folder / "var")
    port = free_port()
    # Once every bot has played, the house bots leave the machine to the browser.
    resting = {"SETTLED_MATCHES": "1", "TRICKLE_SECONDS": "60"}
    environment = environment_of(folder / "var", ARENA_SANDBOX="docker", **resting)
    command = [sys.executable, str(ROOT / "manage.py"), "serve", "--port", str(port)]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
    running = Arena(f"http://127.0.0.1:{port}", folder / "var")
    try:
        _wait_for(running, process, folder / "log")
        yield running
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=300)


def _wait_for(arena: Arena, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while "The arena is running" not in log.read_text():
        if process.poll() is not None or time.monotonic() > end:
            pytest.fail(f"The arena did not start:\n{log.read_text()}")
        time.sleep(0.3)
    with urllib.request.urlopen(f"{arena.site}/healthz", timeout=120) as answer:
        assert answer.status == 200


@pytest.fixture
def visitor(browser: Browser, arena: Arena) -> Iterator[Visitor]:
    """Somebody who has never been here."""
    with browser.new_context(viewport={"width": WIDE[0], "height": WIDE[1]}) as context:
        someone = visitor_of(context, arena.site)
        yield someone
        assert someone.complaints == []


def sign_up(visitor: Visitor, name: str) -> None:
    """From the front page to one's own bots."""
    page = visitor.open("/")
    page.get_by_role("link", name="Sign up").click()
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label(re.compile(r"Password \(again\)|confirm", re.IGNORECASE)).fill(PASSWORD)
    page.locator("main").get_by_role("button", name="Sign up").click()
    page.wait_for_url("**/my/")


def upload(visitor: Visitor, name: str, file: FilePayload) -> Page:
    """From the ladder to the page of the check."""
    page = visitor.open("/")
    page.get_by_role("link", name="Upload", exact=True).click()
    page.get_by_label("Name").fill(name)
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_role("button", name="Upload and check").click()
    page.wait_for_url("**/versions/1/")
    return page


def see_it_play(visitor: Visitor, name: str) -> int:
    """Watch the ladder until the bot has finished a match, then go to its newest one; returns the match's number."""
    page = visitor.page
    end = time.monotonic() + MATCH_SECONDS
    row = page.locator(".ladder-table tbody tr", has=page.get_by_role("link", name=name, exact=True))
    visitor.open("/")
    while row.count() == 0 or row.locator(".rank").inner_text() == "\N{EN DASH}":
        assert time.monotonic() < end, f"{name} has played no rated match."
        time.sleep(1)
        visitor.open("/")
    row.get_by_role("link", name=name, exact=True).click()
    page.locator(".match-row", has=page.locator(".match-score")).first.get_by_role("link").click()
    page.wait_for_url("**/matches/*/")
    return int(page.url.rstrip("/").rpartition("/")[2])


def step_to_the_end(visitor: Visitor, arena: Arena, match_id: int) -> None:
    """Both replays of the match against the record: one key by key, the other by the key that goes to the end."""
    record = arena.record(match_id)
    for game in record.games:
        page = visitor.open(f"/matches/{match_id}/")
        page.get_by_role("link", name=f"Watch the replay of game {game.number + 1}").click()
        expect(page.locator("#place")).to_be_visible()
        last = int(page.locator("#scrubber").get_attribute("max") or 0)
        assert last + 1 == len(game.hands) + sum(len(hand.times) for hand in game.hands) + len(game.faults)
        for key in ["ArrowRight"] * last if game.number == 0 else ["End"]:
            page.keyboard.press(key)
        expect(page.locator("#place")).to_have_text(f"{last} / {last}")
        # Side A of the match sits at the top in both games.
        shown = [int(text.split()[0]) for text in page.locator(".plate .points").all_inner_texts()]
        assert tuple(shown) == game.score().points


def test_a_bot_in_one_file_goes_all_the_way(visitor: Visitor, arena: Arena) -> None:
    sign_up(visitor, "marta")
    page = upload(
        visitor, "Martini", {"name": "mein böt (final).py", "mimeType": "text/x-python", "buffer": small_bot().encode()}
    )
    expect(page.get_by_text("It passed")).to_be_visible(timeout=CHECK_SECONDS * 1000)
    visitor.check_access()
    match_id = see_it_play(visitor, "Martini")
    visitor.check_access()
    step_to_the_end(visitor, arena, match_id)
    visitor.check_access()


def test_a_zip_of_modules_goes_all_the_way(visitor: Visitor, arena: Arena) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in ZIPPED.items():
            archive.writestr(path, text)
    sign_up(visitor, "zoe")
    page = upload(visitor, "Zipper", {"name": "my-bot.zip", "mimeType": "application/zip", "buffer": packed.getvalue()})
    expect(page.get_by_text("It passed")).to_be_visible(timeout=CHECK_SECONDS * 1000)
    step_to_the_end(visitor, arena, see_it_play(visitor, "Zipper"))


def test_an_author_reads_where_a_bot_is_wrong(visitor: Visitor, arena: Arena) -> None:
    sign_up(visitor, "ned")
    source = small_bot().replace("class MyBot(Bot):", "class MyBot(Bot)")
    page = upload(visitor, "Broken", {"name": "bot.py", "mimeType": "text/x-python", "buffer": source.encode()})
    expect(page.get_by_text("It was rejected")).to_be_visible(timeout=CHECK_SECONDS * 1000)
    line = source.splitlines().index("class MyBot(Bot)") + 1
    expect(page.get_by_text(f"bot.py, line {line}", exact=True)).to_be_visible()
    expect(page.get_by_text("SyntaxError").first).to_be_visible()
    visitor.check_access()


def test_a_bot_is_written_here_tried_out_and_submitted(visitor: Visitor) -> None:
    """Written from a house bot, by keyboard; a fault is marked, then put right; the replay is beside the code."""
    sign_up(visitor, "wanda")
    page = visitor.open("/bots/new/write/")
    code = page.locator(".cm-content")
    expect(code).to_be_visible()
    visitor.check_access()
    page.get_by_label("Begin from").select_option("greedy")
    page.get_by_role("button", name="Begin").click()
    expect(code).to_contain_text("class Greedy(Bot)")
    page.get_by_role("button", name="Bring back what was there").click()
    expect(code).to_contain_text("class Starter(Bot)")
    page.get_by_role("button", name="Begin").click()
    expect(code).to_contain_text("class Greedy(Bot)")

    code.focus()
    page.keyboard.press("Control+End")
    page.keyboard.type("\nraise ValueError('not yet')")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".cm-problem-text")).to_contain_text("not yet", timeout=MATCH_SECONDS * 1000)
    expect(page.locator("#trial-said")).to_have_text("Your draft failed in every game against Simple.")
    visitor.check_access()
    session = next(cookie for cookie in page.context.cookies() if cookie["name"] == "sessionid")
    page.context.clear_cookies(name="sessionid")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#trial")).to_contain_text("You are logged out. What you wrote is kept in this browser")
    page.context.add_cookies([{"name": "sessionid", "value": session["value"], "url": visitor.site}])
    visitor.complaints.remove(next(said for said in visitor.complaints if "401" in said))
    page.reload(wait_until="networkidle")
    expect(page.locator("[data-draft-note]")).to_contain_text("This is your draft")
    code.focus()
    page.keyboard.press("Control+End")
    page.keyboard.press("Shift+Home")
    page.keyboard.type("Draw.")
    expect(page.locator(".cm-tooltip-autocomplete")).to_contain_text("UPCARD")
    page.keyboard.press("Escape")
    page.keyboard.press("Shift+Home")
    page.keyboard.press("Backspace")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")  # out of the editor, to the first link below it
    expect(page.get_by_role("link", name="All that arena offers")).to_be_focused()

    page.get_by_label("Opponent").select_option("random")
    page.get_by_role("button", name="Try it").press("Enter")
    table = page.frame_locator("iframe[name=trial-replay]")
    expect(table.locator("#controls")).to_be_visible(timeout=MATCH_SECONDS * 1000)
    assert page.locator(".cm-problem").count() == 0
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    visitor.check_access()

    page.get_by_label("Name").fill("Wandering")
    page.get_by_role("button", name="Submit and check").press("Enter")
    page.wait_for_url("**/bots/wandering/versions/1/")
    expect(page.get_by_text("It passed")).to_be_visible(timeout=CHECK_SECONDS * 1000)
    assert page.evaluate("Object.keys(localStorage).filter((name) => name.startsWith('draft/')).length") == 0
