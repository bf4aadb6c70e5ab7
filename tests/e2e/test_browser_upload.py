"""The check in the browser says what the server says, and the form lives by it."""

import base64
from typing import Any

import pytest
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from arena.archive import UploadRejected, read_upload, rules
from bots.models import BotVersion
from tests.e2e.visitors import Visitor
from tests.sandbox.faulty import PLAYS
from tests.sandbox.uploads import GOOD, REFUSED, name_of, zipped
from tests.web.entering import PASSWORD, author, open_uploads

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CHECK = """async ([uploads, rules]) => {
    const { check } = await import("/static/js/archive.js");
    const said = [];
    for (const [filename, encoded] of uploads) {
        said.push(await check(filename, Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0)), rules));
    }
    return said;
}"""
DROP = """(zone, files) => {
    const transfer = new DataTransfer();
    for (const [name, text] of files) transfer.items.add(new File([text], name));
    zone.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
}"""
TAKEN = [
    ("bot.py", GOOD),
    ("mon bot été (2).PY", b"\xef\xbb\xbf" + GOOD),
    ("x" * 300 + ".py", GOOD),
    ("bot.zip", zipped({"bot.py": GOOD, "lib/odds.py": b"", "table.csv": b"1,2", ".git/x": b"\0"})),
    ("bot.zip", zipped({"mine/bot.py": GOOD, "mine/été.py": GOOD})),
    ("bot.zip", b"prefix" + zipped({"only.py": GOOD})),
]


@pytest.fixture
def form(visitor: Visitor) -> Page:
    """The page for a new bot, with an author before it."""
    open_uploads()
    author()
    page = visitor.open("/accounts/login/?next=/bots/new/")
    page.locator("input[name=login]").fill("ada")
    page.locator("input[name=password]").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Log in").click()
    page.locator("[data-drop-hint]").wait_for()
    return page


def _server_says(filename: str, data: bytes) -> dict[str, str] | None:
    try:
        read_upload(filename, data)
    except UploadRejected as rejected:
        return {"code": rejected.code, "message": rejected.message}
    return None


def test_browser_and_server_say_the_same(visitor: Visitor) -> None:
    uploads = [(refused.filename, refused.data) for refused in REFUSED] + TAKEN
    sent = [[filename, base64.b64encode(data).decode()] for filename, data in uploads]
    said: list[Any] = visitor.open("/accounts/login/").evaluate(CHECK, [sent, rules()])
    names = [*map(name_of, REFUSED), *(filename for filename, _ in TAKEN)]
    for name, upload, heard in zip(names, uploads, said, strict=True):
        assert heard == _server_says(*upload), name
    assert [heard["code"] for heard in said[: len(REFUSED)]] == [refused.code for refused in REFUSED]
    assert said[len(REFUSED) :] == [None] * len(TAKEN)


def _choose(page: Page, filename: str, data: bytes) -> None:
    page.locator("input[type=file]").set_input_files(
        {"name": filename, "mimeType": "application/octet-stream", "buffer": data}
    )


def test_a_bad_file_is_named_at_once_and_not_sent(form: Page, live_server: LiveServer) -> None:
    form.locator("input[name=name]").fill("Gin Fizz")
    _choose(form, "bot.txt", GOOD)
    form.get_by_text("“bot.txt” is neither a .py file nor a .zip").wait_for()
    assert form.locator("input[type=file]").get_attribute("aria-invalid") == "true"
    form.get_by_role("button", name="Upload and check").click()
    assert form.url == f"{live_server.url}/bots/new/"
    assert not BotVersion.objects.exists()
    _choose(form, "bot.py", PLAYS.encode())
    form.get_by_text("“bot.py” looks right").wait_for()
    assert form.locator("input[type=file]").get_attribute("aria-invalid") is None
    form.get_by_role("button", name="Upload and check").click()
    form.wait_for_url(f"{live_server.url}/bots/gin-fizz/versions/1/")
    form.get_by_text("It waits for a worker.").wait_for()


def test_the_page_follows_the_check_without_a_reload(form: Page, live_server: LiveServer) -> None:
    form.locator("input[name=name]").fill("Gin Fizz")
    _choose(form, "bot.py", PLAYS.encode())
    form.get_by_role("button", name="Upload and check").click()
    form.get_by_text("It waits for a worker.").wait_for()
    BotVersion.objects.update(state=BotVersion.State.REJECTED)
    form.get_by_text("It was rejected and does not play.").wait_for()
    assert form.locator("#validation[hx-trigger]").count() == 0


def test_a_file_without_a_bot_class_is_only_warned_about(form: Page) -> None:
    _choose(form, "bot.py", b"x = 1\n")
    form.get_by_text("No class in it seems to subclass Bot").wait_for()


def test_a_dropped_file_is_looked_at_and_two_are_not(form: Page) -> None:
    zone = form.locator("[data-drop]")
    zone.evaluate(DROP, [["dropped.py", PLAYS]])
    form.get_by_text("“dropped.py” looks right").wait_for()
    assert form.locator("input[type=file]").evaluate("input => input.files[0].name") == "dropped.py"
    zone.evaluate(DROP, [["one.py", PLAYS], ["two.py", PLAYS]])
    form.get_by_text("Drop one file.").wait_for()
