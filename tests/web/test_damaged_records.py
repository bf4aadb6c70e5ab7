"""What a reader, a program and the work in the background get where a stored record cannot be read."""

import json
import zlib
from collections.abc import Callable
from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from arena.archive import BotSource
from arena.record import MatchRecord
from arena.rules import RULE_SETS
from bots.models import Trial
from ladder import services
from ladder.models import Game, Match, MatchRecordBlob
from tables.models import Table
from tests.web.entering import text_of
from tests.web.games import played, record_of
from tests.web.hosting import dealt, played_out, seated
from tests.web.matches import make_ladder, make_version

pytestmark = pytest.mark.django_db


def without_last_action(record: MatchRecord) -> MatchRecord:
    """It is read, and its first game breaks off when it is played again."""
    game, second = record.games
    *before, last = game.hands
    return replace(record, games=(replace(game, hands=(*before, replace(last, actions=last.actions[:-1]))), second))


def wire(**changed: object) -> Callable[[bytes], bytes]:
    """Valid JSON, but for what is changed."""
    return lambda data: zlib.compress(json.dumps(json.loads(zlib.decompress(data)) | changed).encode())


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "cut off": lambda data: data[:-9],
    "a byte changed": lambda data: data[:40] + bytes([data[40] ^ 255]) + data[41:],
    "packed by zstd": lambda _: bytes.fromhex("28b52ffd0400090000010203"),
    "no JSON": lambda _: zlib.compress(b"nothing"),
    "a list": lambda _: zlib.compress(b"[]"),
    "another format": wire(format=2),
    "games of another shape": wire(games={"1": []}),
    "no games": wire(games=[]),
    "other rules": wire(rules=RULE_SETS["parlour"].to_wire()),
    "rules that are gone": wire(rules="whist"),
    "other decks": wire(seed="00" * 32),
}


@pytest.fixture
def match() -> Match:
    return played(make_ladder(), [make_version("Gin"), make_version("Rummy")])


def store(match: Match, data: bytes) -> None:
    MatchRecordBlob.objects.filter(match=match).update(data=data)


def test_every_address_of_a_replay_says_that_the_record_is_damaged(
    client: Client, match: Match, caplog: pytest.LogCaptureFixture
) -> None:
    game = f"/matches/{match.pk}/games/1"
    store(match, without_last_action(record_of(match)).to_bytes())
    said = f"The record of match {match.pk} is damaged"
    for address in (f"{game}/", f"{game}/embed/", f"{game}/moves.txt", f"{game}/decisions/0.py"):
        answer = client.get(address)
        assert (answer.status_code, answer["Cache-Control"]) == (410, "no-store"), address
        assert said in text_of(answer), address
    assert f"The stored record of match {match.pk} cannot be read. A hand's times" in caplog.text
    for address in (f"{game}/steps.json", f"{game}/decisions/0.json"):
        answer = client.get(address)
        assert answer.status_code == 410, address
        assert answer.json()["error"].startswith(said), address
    page = client.get(f"{game}/")
    assert f'href="/matches/{match.pk}/"' in text_of(page)
    frame = client.get(f"{game}/embed/")
    assert "frame-ancestors *" in frame["Content-Security-Policy"]
    assert "X-Frame-Options" not in frame


def test_no_damage_breaks_a_page(client: Client, match: Match) -> None:
    whole = bytes(match.record_blob.data)
    for name, damage in DAMAGES.items():
        store(match, damage(whole))
        for address in ("games/2/steps.json", "record"):
            assert client.get(f"/matches/{match.pk}/{address}").status_code == 410, name
        answer = client.get(f"/api/v1/matches/{match.pk}/record")
        assert answer.status_code == 410, name
        assert answer.json()["error"].endswith("Its result stands: scores and ratings are kept apart from it."), name
    MatchRecordBlob.objects.all().delete()
    assert client.get(f"/matches/{match.pk}/games/1/").status_code == 410
    # What needs no record.
    for address in (f"/matches/{match.pk}/", f"/matches/{match.pk}/picture.png", "/bots/gin/", "/", "/now/"):
        assert client.get(address).status_code == 200, address
    assert client.get(f"/api/v1/matches/{match.pk}").status_code == 200


def test_a_damaged_record_holds_up_no_tallies(match: Match) -> None:
    """Those of games stored before there were styles, which come from the record."""
    whole = played(match.ladder, [seat.version for seat in match.seats.order_by("index")], decks=2)
    styles = list(whole.games.values_list("style", flat=True))
    Game.objects.update(style="")
    store(match, b"")
    assert services.tally_all(ladder=match.ladder) == 2
    assert list(whole.games.values_list("style", flat=True)) == styles
    assert services.verify_tallies(ladder=match.ladder) == []


def test_the_replay_of_a_table_says_it_too(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    seated(monkeypatch)
    table = played_out(dealt(is_quick=True))
    for data in (b"", wire(seed="00" * 32)(bytes(table.record))):
        Table.objects.update(record=data)
        page = client.get(f"{table.get_absolute_url()}replay/")
        assert page.status_code == 410
        assert "The record of this game is damaged" in text_of(page)
        assert f'href="{table.get_absolute_url()}"' in text_of(page)
        for address in ("steps.json", "decisions/0.json"):
            assert client.get(f"{table.get_absolute_url()}replay/{address}").status_code == 410
    assert client.get(table.get_absolute_url()).status_code == 200


def test_the_page_of_a_trial_says_it_too(admin_client: Client, admin_user: User) -> None:
    trial = Trial.objects.create(
        owner=admin_user,
        source=BotSource({"bot.py": ""}, "bot.py").to_bytes(),
        opponent="simple",
        state=Trial.State.FINISHED,
        record=b"no record",
        created_at=timezone.now(),
        resend_at=timezone.now(),
    )
    for address in (trial.get_absolute_url(), f"/my/trials/{trial.pk}/games/1/"):
        page = admin_client.get(address)
        assert page.status_code == 410
        assert "try the draft out again" in text_of(page)
