"""Files posted through the form: each that must be refused, with its own message; each that is validated and fails."""

from typing import Any

import pytest
from django.test import Client

from arena.archive import BotSource
from arena.checks import ValidationReport, examine
from bots import services, tasks
from bots.models import Bot, BotVersion
from bots.uploads import KEPT_BYTES
from tests.sandbox.faulty import FAULTY, PLAYS, Faulty
from tests.sandbox.faulty import name_of as faulty_name
from tests.sandbox.local_entrant import LocalEntrant
from tests.sandbox.uploads import REFUSED, Refused, name_of, zipped
from tests.web.entering import author, bot_named, logged_in, open_uploads, post_new, posted, text_of


class LocalDriver:
    """Stands for the workers' sandbox."""

    name = "local"
    trusted_only = False

    def reap(self) -> int:
        return 0


@pytest.fixture
def client(db: None) -> Client:
    open_uploads()
    return logged_in(author())


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any) -> Any:
    """A context in which validations run at the end of the request, in this process."""

    def validate(driver: object, source: BotSource, limits: object, *, progress: Any) -> ValidationReport:
        return examine(source, LocalEntrant, progress=progress)

    monkeypatch.setattr("bots.sandboxes.get_driver", LocalDriver)
    monkeypatch.setattr(tasks, "validate", validate)
    monkeypatch.setattr(services, "validate_later", tasks.validate_version)
    return lambda: django_capture_on_commit_callbacks(execute=True)


@pytest.mark.parametrize("refused", REFUSED, ids=name_of)
def test_a_file_that_is_no_bot_is_refused_with_its_own_message(client: Client, refused: Refused) -> None:
    response = post_new(client, "Gin Fizz", refused.filename, refused.data, note="first try")
    page = text_of(response)
    assert response.status_code == 422
    assert refused.says in page
    assert 'value="Gin Fizz"' in page
    assert 'value="first try"' in page
    assert not Bot.objects.exists()


@pytest.mark.parametrize("faulty", FAULTY, ids=faulty_name)
def test_a_bot_that_does_not_play_is_rejected_with_file_and_line(client: Client, at_once: Any, faulty: Faulty) -> None:
    data = zipped({path: text.encode() for path, text in faulty.files.items()})
    with at_once():
        response = post_new(client, "Gin Fizz", "bot.zip", data)
    assert response.status_code == 302
    page = text_of(client.get(response["Location"]))
    assert 'data-state="rejected"' in page
    assert faulty.says in page
    if faulty.line is not None:
        assert f"{faulty.file}, line {faulty.line}" in page
        culprit = faulty.files[str(faulty.file)].split("\n")[faulty.line - 1]
        assert f"> {faulty.line:3}  {culprit}" in page
    assert "hx-trigger" not in page


def test_the_traceback_is_shown(client: Client, at_once: Any) -> None:
    text = (
        PLAYS
        + "\n    def start_game(self, start):\n        self.plan()\n"
        + "\n    def plan(self):\n        raise KeyError('ace')\n"
    )
    with at_once():
        response = post_new(client, "Gin Fizz", "bot.py", text.encode())
    page = text_of(client.get(response["Location"]))
    assert "Traceback" in page
    assert "self.plan()" in page
    assert "KeyError: 'ace'" in page


def test_a_bot_that_plays_is_active(client: Client, at_once: Any) -> None:
    with at_once():
        response = post_new(client, "Gin Fizz", "bot.py", PLAYS.encode())
    assert response["Location"] == "/bots/gin-fizz/versions/1/"
    page = text_of(client.get(response["Location"]))
    assert 'data-state="active"' in page
    assert "class <code>Mine</code>" in page
    assert page.count("passed</span>") == 3


def test_a_zip_that_imports_its_own_helpers_is_active(client: Client, at_once: Any) -> None:
    files = {
        "mine/bot.py": ("from lib.odds import KNOCK\nimport table\n" + PLAYS).encode(),
        "mine/lib/__init__.py": b"",
        "mine/lib/odds.py": b"from . import more\nKNOCK = more.TEN\n",
        "mine/lib/more.py": b"TEN = 10\n",
        "mine/table.py": b"import random\nROWS = [random.random()]\n",
    }
    with at_once():
        response = post_new(client, "Gin Fizz", "mine.zip", zipped(files))
    page = text_of(client.get(response["Location"]))
    assert 'data-state="active"' in page, page
    assert set(BotSource.from_bytes(bytes(BotVersion.objects.get().source)).files) == {
        "bot.py", "lib/__init__.py", "lib/more.py", "lib/odds.py", "table.py",
    }  # fmt: skip


@pytest.mark.parametrize(
    "filename", ["mon bot été (2).py", "猫 🂡.py", "x" * 297 + ".py", "BOT.PY", "a b.PY"], ids=str.__len__
)
def test_any_file_name_will_do(client: Client, at_once: Any, filename: str) -> None:
    with at_once():
        response = post_new(client, "Gin Fizz", filename, PLAYS.encode())
    assert response.status_code == 302
    version = BotVersion.objects.get()
    assert version.state == BotVersion.State.ACTIVE
    assert len(version.filename) <= 100
    assert version.filename[:5] == filename[:5]
    assert version.filename[-3:].lower() == ".py"
    assert version.filename in text_of(client.get(response["Location"]))


def test_prints_are_shown_to_the_owner(client: Client, at_once: Any) -> None:
    with at_once():
        response = post_new(client, "Gin Fizz", "bot.py", (PLAYS + "\nprint('<b>loud</b>')\n").encode())
    body = client.get(response["Location"]).content.decode()
    assert "&lt;b&gt;loud&lt;/b&gt;" in body
    assert "<b>loud" not in body


def test_a_huge_file_is_cut_off_and_what_was_typed_is_kept(client: Client) -> None:
    response = post_new(client, "Gin Fizz", "bot.zip", b"PK\x03\x04" + bytes(8 * KEPT_BYTES), note="big")
    page = text_of(response)
    assert "“bot.zip” is larger than 1 MiB" in page
    assert 'value="big"' in page


def test_no_more_of_a_file_is_held_than_an_upload_may_have(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def read_upload(filename: str, data: bytes) -> BotSource:
        seen.append(len(data))
        return BotSource({"bot.py": ""}, "bot.py")

    monkeypatch.setattr("bots.services.read_upload", read_upload)
    post_new(client, "Gin Fizz", "bot.zip", bytes(8 * KEPT_BYTES))
    assert seen == [KEPT_BYTES]


def test_a_form_without_a_file_says_so(client: Client) -> None:
    page = text_of(client.post("/bots/new/", {"name": "Gin Fizz", "note": ""}))
    assert "Choose the file that holds your bot." in page
    assert 'value="Gin Fizz"' in page


@pytest.mark.parametrize(
    ("name", "says"), [("x", "has 2 to 40 characters; this one has 1"), ("a/b", "“/” is none of them")]
)
def test_a_name_that_is_refused_says_why(client: Client, name: str, says: str) -> None:
    response = post_new(client, name, "bot.py", PLAYS.encode())
    assert (response.status_code, says in text_of(response)) == (422, True)


def test_a_new_version(client: Client, at_once: Any) -> None:
    with at_once():
        post_new(client, "Gin Fizz", "bot.py", PLAYS.encode())
        response = client.post(
            "/bots/gin-fizz/upload/", {"file": posted("v2.py", PLAYS.encode() + b"# 2\n"), "note": "bolder"}
        )
    assert response["Location"] == "/bots/gin-fizz/versions/2/"
    version = bot_named("Gin Fizz").versions.get(number=2)
    assert (version.note, version.filename, version.state) == ("bolder", "v2.py", BotVersion.State.ACTIVE)


def test_the_same_version_again_is_refused(client: Client, at_once: Any) -> None:
    with at_once():
        post_new(client, "Gin Fizz", "bot.py", PLAYS.encode())
    response = client.post("/bots/gin-fizz/upload/", {"file": posted("renamed.py", PLAYS.encode()), "note": ""})
    assert "the same as version 1 of Gin Fizz" in text_of(response)
    assert BotVersion.objects.count() == 1


def test_closed_uploads_say_so_before_and_after(client: Client) -> None:
    services.record_sandbox(driver="process", runs_uploads=False)
    page = text_of(client.get("/bots/new/"))
    assert "Uploads are closed" in page
    assert "disabled" in page
    response = post_new(client, "Gin Fizz", "bot.py", PLAYS.encode())
    assert "Uploads are closed" in text_of(response)
    assert not Bot.objects.exists()


def test_a_form_from_another_site_is_refused() -> None:
    client = Client(enforce_csrf_checks=True)
    assert client.post("/bots/new/", {"name": "Gin Fizz"}).status_code == 403
