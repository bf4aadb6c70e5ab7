"""What browsers load: hashed and packed static files; of the dynamic answers the public one alone."""

import gzip
import json
import re
from pathlib import Path
from urllib.parse import urljoin

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.http.response import HttpResponseBase
from django.test import Client
from pytest_django import Settings

from arena.bots.simple import Simple
from config import settings as site_settings
from tests.web.games import played
from tests.web.matches import make_ladder, make_version

pytestmark = pytest.mark.django_db

PACKED = {"Accept-Encoding": "gzip"}


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("static")


@pytest.fixture
def static(collected: Path, settings: Settings) -> Path:
    """The folder that collectstatic filled, with the site's own way of naming."""
    settings.STATIC_ROOT = collected
    settings.STORAGES = site_settings.STORAGES | {"staticfiles": {"BACKEND": "config.static.HashedFiles"}}
    if not any(collected.iterdir()):
        call_command("collectstatic", verbosity=0, interactive=False)
    return collected


def fetch(client: Client, path: str) -> tuple[HttpResponseBase, bytes]:
    """The answer to a browser that unpacks gzip, and its body unpacked."""
    answer = client.get(path, headers=PACKED)
    body = answer.getvalue()
    answer.close()
    return answer, gzip.decompress(body) if answer.headers.get("Content-Encoding") == "gzip" else body


def test_every_file_that_a_page_names_is_there_packed_and_kept_for_good(static: Path) -> None:
    client = Client()
    named = set(re.findall(r'(?:href|src)="(/static/[^"#]+)"', client.get("/rules/").content.decode()))
    assert any(re.fullmatch(r"/static/css/site\.[0-9a-f]{12}\.css", name) for name in named)
    for name in named:
        assert re.search(r"\.[0-9a-f]{12}\.\w+$", name), name
        answer, body = fetch(client, name)
        assert answer.status_code == 200
        assert "immutable" in answer["Cache-Control"]
        assert body == (static / name.removeprefix("/static/")).read_bytes()
    css = next(name for name in named if "site." in name)
    assert fetch(client, css)[0]["Content-Encoding"] == "gzip"


def test_the_page_that_stands_alone_finds_its_style_by_the_plain_name(static: Path) -> None:
    page = (Path(site_settings.ROOT) / "platform" / "templates" / "500.html").read_text()
    (name,) = re.findall(r'href="(/static/[^"]+)"', page)
    assert fetch(Client(), name)[0].status_code == 200


def test_modules_import_each_other_by_the_hashed_names(static: Path) -> None:
    (upload,) = static.glob("js/upload.*.js")
    (imported,) = re.findall(r'from "\./([^"]+)"', upload.read_text())
    assert re.fullmatch(r"archive\.[0-9a-f]{12}\.js", imported)
    assert (static / "js" / imported).is_file()


def test_a_replays_steps_go_out_packed_and_pages_with_a_token_do_not(client: Client) -> None:
    match = played(make_ladder(), [make_version("Gin"), make_version("Rummy")], (Simple, Simple))
    page, steps = f"/matches/{match.pk}/games/1/", f"/matches/{match.pk}/games/1/steps.json"
    plain, packed = client.get(steps), client.get(steps, headers=PACKED)
    assert packed["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in packed["Vary"]
    assert json.loads(gzip.decompress(packed.content)) == plain.json()
    assert len(packed.content) < len(plain.content) / 8
    client.force_login(User.objects.create_user("ada"))
    answer = client.get(page, headers=PACKED)
    assert "csrfmiddlewaretoken" in answer.content.decode()
    assert not answer.has_header("Content-Encoding")


def test_the_editors_page_stays_in_the_budget_of_a_page(static: Path) -> None:
    """150 kB with all that its modules load, brotli-packed as over TLS; the page itself goes plain for its token."""
    client = Client(headers={"Accept-Encoding": "br, gzip"})
    client.force_login(User.objects.create_user("ada"))
    page = client.get("/bots/new/write/")
    waiting = set(re.findall(r'(?:href|src)="(/static/[^"#]+)"', page.content.decode())) | {"/guide/words.json"}
    loaded: dict[str, int] = {}
    while waiting:
        name = waiting.pop()
        answer = client.get(name)
        loaded[name] = len(answer.getvalue())
        answer.close()
        if name.endswith(".js"):
            text = (static / name.removeprefix("/static/")).read_text()
            found = re.findall(r'(?:from\s*|import\()"(\.[^"]+\.js)"', text)
            waiting |= {urljoin(name, one) for one in found} - set(loaded)
    assert any("vendor/codemirror" in name for name in loaded)
    assert len(page.content) + sum(loaded.values()) < 150_000, loaded
