"""What the site gives to those who work on their own machine: the wheel, and the records of matches."""

import re
import subprocess
import sys
import zipfile
import zlib
from io import BytesIO
from pathlib import Path
from urllib.parse import unquote

import pytest
from django.test import Client

from arena.bots.random_bot import RandomBot
from arena.bots.simple import Simple
from arena.record import MatchRecord
from arena.wheel import wheel
from ladder import services
from tests.arena.commands import arena
from tests.web.entering import text_of
from tests.web.games import Forgetful, played, record_of
from tests.web.matches import claimed, make_ladder, make_version

pytestmark = pytest.mark.django_db


def test_the_guide_tells_how_to_install_what_the_site_runs(client: Client) -> None:
    page = text_of(client.get("/guide/"))
    (address,) = re.findall(r'python3 -m pip install (?:"|&quot;)http://testserver(/tool/\S+?\.whl)(?:"|&quot;)', page)
    assert wheel().version in page
    assert unquote(address).endswith(wheel().filename)
    response = client.get(address)
    assert response.status_code == 200
    assert response.content == wheel().data
    with zipfile.ZipFile(BytesIO(response.content)) as archive:
        assert archive.testzip() is None


def test_pip_installs_from_the_site(live_server, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    address = f"{live_server.url}/tool/{wheel().filename}"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--isolated", "install", "--no-index", "--quiet"]
    subprocess.run([*pip, "--target", str(tmp_path), address], check=True)
    run = subprocess.run(
        [sys.executable, tmp_path / "bin" / "arena", "--version"],
        env={"PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    assert run.stdout == f"arena {wheel().version}\n"


@pytest.mark.parametrize("name", ["gin_rummy_arena-0.0.1-py3-none-any.whl", "x", "..%2Fsettings.py"])
def test_another_file_is_not_there(client: Client, name: str) -> None:
    assert client.get(f"/tool/{name}").status_code == 404


def test_a_finished_match_has_its_public_record_to_download(client: Client) -> None:
    match = played(make_ladder(), [make_version("Gin"), make_version("Rummy")], (Simple, Forgetful))
    assert f'href="/matches/{match.pk}/record"' in text_of(client.get(f"/matches/{match.pk}/"))
    response = client.get(f"/matches/{match.pk}/record")
    assert response["Content-Disposition"] == f'attachment; filename="match-{match.pk}.record"'
    record = MatchRecord.from_bytes(response.content)
    stored = record_of(match)
    assert [game.scores for game in record.games] == [game.scores for game in stored.games]
    assert b"where was I?" not in zlib.decompress(response.content)  # what Forgetful prints
    assert all(game.logs == ("", "") for game in record.games)
    faults = [fault for game in record.games for fault in game.faults]
    assert faults
    assert all((fault.traceback, fault.file, fault.line) == ("", None, None) for fault in faults)


def test_the_downloaded_record_shows_the_author_the_crash(client: Client, tmp_path: Path) -> None:
    match = played(make_ladder(), [make_version("Gin"), make_version("Rummy")], (Simple, Forgetful))
    (tmp_path / "m.record").write_bytes(client.get(f"/matches/{match.pk}/record").content)
    source = Path(sys.modules[Simple.__module__].__file__ or "").read_text(encoding="utf-8")
    draw = "        if Draw.UPCARD in view.legal"
    crash = "        if view.turns > 2:\n            raise KeyError('plan')\n"
    planted = source.replace(draw, crash + draw, 1)
    (tmp_path / "mine.py").write_text(planted, encoding="utf-8")
    run = arena("debug", "m.record", "--bot", "mine.py", cwd=tmp_path)
    assert run.returncode == 1
    assert "your bot fails (exception): KeyError: 'plan'" in run.stdout
    assert 'File "mine.py", line ' in run.stdout
    assert arena("replay", "m.record", cwd=tmp_path).returncode == 0


def test_nothing_of_a_match_that_is_not_over_can_be_downloaded(client: Client) -> None:
    match = services.enqueue_match(ladder=make_ladder(), versions=[make_version("Gin"), make_version("Rummy")])
    assert client.get(f"/matches/{match.pk}/record").status_code == 404
    claimed(match)
    assert client.get(f"/matches/{match.pk}/record").status_code == 404
    assert "/record" not in text_of(client.get(f"/matches/{match.pk}/"))
    assert client.get("/matches/999999/record").status_code == 404


def test_the_record_is_one_that_replays(client: Client) -> None:
    match = played(make_ladder(), [make_version("Gin"), make_version("Rummy")], (Simple, RandomBot))
    MatchRecord.from_bytes(client.get(f"/matches/{match.pk}/record").content).replay()
