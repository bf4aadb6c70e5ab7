"""What browsers load: hashed and packed static files; of the dynamic answers the public one alone."""

import base64
import gzip
import hashlib
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
from tests.web.entering import open_uploads
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
    client.force_login(User.objects.create_user("ada"))
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


def test_a_guests_page_brings_its_style_and_permits_no_other(static: Path, client: Client) -> None:
    answer = client.get("/")
    styles = re.findall(r"<style>(.*?)</style>", answer.content.decode(), re.DOTALL)
    folder = Path(site_settings.ROOT, "platform", "static", "css")
    assert styles == [(folder / name).read_text() for name in ("site.css", "ladder.css")]
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in styles]
    told = dict(part.split(" ", 1) for part in answer["Content-Security-Policy"].split("; "))
    assert told["style-src"].split() == ["'self'", *(f"'sha256-{each}'" for each in hashes)]
    assert b'rel="stylesheet"' not in answer.content
    client.force_login(User.objects.create_user("ada"))
    assert b"<style" not in client.get("/").content


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


def test_pages_go_out_packed_to_guests_alone_and_without_a_token(client: Client) -> None:
    guest = client.get("/rules/", headers=PACKED)
    assert guest["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in guest["Vary"]
    assert gzip.decompress(guest.content) == client.get("/rules/").content
    login = client.get("/accounts/login/", headers=PACKED)
    assert "csrfmiddlewaretoken" in login.content.decode()
    assert not login.has_header("Content-Encoding")
    client.force_login(User.objects.create_user("ada"))
    assert not client.get("/rules/", headers=PACKED).has_header("Content-Encoding")


def test_pages_that_ask_for_parts_of_themselves_and_no_others_load_what_does_that(static: Path) -> None:
    texts = {path: path.read_text() for path in Path(site_settings.ROOT, "platform").rglob("templates/**/*.html")}

    def whole(text: str) -> str:
        """A template with all that it includes."""
        named = re.findall(r'{% include "([^"]+)"', text)
        return text + "".join(whole(part) for name in named for path, part in texts.items() if path.match(f"*/{name}"))

    pages = {path.name: text for path, text in texts.items() if "{% extends" in text}
    asking = {name for name, text in pages.items() if re.search(r"\bhx-(get|post)=", whole(text))}
    assert asking
    assert asking == {name for name, text in pages.items() if '{% include "htmx.html" %}' in text}


MOST_BYTES, MOST_REQUESTS = 150_000, 20


def test_pages_stay_in_their_budget(static: Path) -> None:
    """With all that their modules load, brotli-packed as over TLS; the pages themselves go plain for their tokens."""
    client = Client(headers={"Accept-Encoding": "br, gzip"})
    ada = User.objects.create_user("ada")
    client.force_login(ada)
    open_uploads()
    match = played(make_ladder(), [make_version("Gin", ada), make_version("Rummy")], (Simple, Simple))
    match_page = f"/matches/{match.pk}/"
    pages = ["/", "/matches/", match_page, f"{match_page}games/1/", "/bots/gin/", "/bots/gin/against/rummy/",
             "/matrix/", "/rules/", "/guide/", "/guide/writing-a-bot/", "/guide/api/", "/settings/", "/my/",
             "/bots/new/", "/bots/new/write/", "/tournaments/", "/tournaments/new/"]  # fmt: skip
    met = {path: loads(client, static, path) for path in pages}
    assert any("vendor/codemirror" in name for name in met["/bots/new/write/"])
    assert any(name.endswith("steps.json") for name in met[f"{match_page}games/1/"])
    over = {path: loaded for path, loaded in met.items() if sum(loaded.values()) > MOST_BYTES}
    assert over == {}
    assert {path: len(loaded) for path, loaded in met.items() if len(loaded) > MOST_REQUESTS} == {}


def loads(client: Client, static: Path, path: str) -> dict[str, int]:
    """The bytes of a page and of whatever it loads, by address."""
    answer = client.get(path)
    assert answer.status_code == 200, path
    page = answer.content.decode()
    waiting = set(re.findall(r'(?:href|src|data-sprite)="(/static/[^"#]+)"', page))
    waiting |= set(re.findall(r'data-(?:steps|words)="([^"]+)"', page))
    loaded = {path: len(answer.content)}
    while waiting:
        name = waiting.pop()
        if not name.startswith("/static/"):
            loaded[name] = len(client.get(name).content)
            continue
        file = static / name.removeprefix("/static/")
        packed = file.with_name(f"{file.name}.br")
        loaded[name] = (packed if packed.exists() else file).stat().st_size
        if name.endswith(".js"):
            found = re.findall(r'(?:from\s*|import\()"(\.[^"]+\.js)"', file.read_text())
            waiting |= {urljoin(name, one) for one in found} - set(loaded)
    return loaded
