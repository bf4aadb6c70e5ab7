"""The public API: what the pages show and nothing more, in pages, with a sentence for every error."""

import datetime as dt
import json
import random
import re
import urllib.request
from io import BytesIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from api.views import api
from arena.bots.random_bot import RandomBot
from arena.bots.simple import Simple
from arena.record import MatchRecord
from arena.tournament import Swiss
from bots.models import BotVersion
from ladder import services, tasks
from ladder.documents import code_blocks, document
from ladder.models import Ladder, Match
from tests.web import cups
from tests.web.entering import open_uploads, text_of
from tests.web.games import Forgetful, played
from tests.web.matches import claimed, finished, make_ladder, make_version
from tournaments.models import Tournament

pytestmark = pytest.mark.django_db


@pytest.fixture
def ladder() -> Ladder:
    return make_ladder()


@pytest.fixture
def versions() -> list[BotVersion]:
    return [make_version("Simple"), make_version("Sharp", User.objects.create_user("ada"))]


def ask(client: Client, path: str, status: int = 200) -> Any:
    response = client.get(path if path.startswith("http") else f"/api/v1/{path}")
    assert response.status_code == status, response.content
    assert response["Content-Type"].startswith("application/json")
    return json.loads(response.content)


def test_ladders_with_their_fit(client: Client, ladder: Ladder, versions: list[BotVersion]) -> None:
    make_version("Idle")
    (empty,) = ask(client, "ladders")
    assert (empty["slug"], empty["matches"], empty["pairs_met"], empty["fitted_at"]) == ("classic", 0, None, None)
    finished(ladder, versions, 4)
    tasks.fit_ladders()
    one = ask(client, "ladders/classic")
    assert (one["matches"], one["pairs_met"], one["pairs_possible"], one["fitted_matches"]) == (1, 1, 3, 1)


def test_standings_hold_both_ratings(client: Client, ladder: Ladder, versions: list[BotVersion]) -> None:
    finished(ladder, versions, 4)
    tasks.fit_ladders()
    page = ask(client, "ladders/classic/standings")
    first, second = page["rows"]
    assert (page["total"], page["next"]) == (2, None)
    assert first["bot"] == {"slug": "simple", "name": "Simple", "author": None, "is_house": True}
    assert second["bot"]["author"] == "ada"
    assert (first["rank"], first["rating"]["elo"], first["rating"]["wins"]) == (1, 1575.0, 1)
    assert first["rating"]["is_provisional"]
    strength = first["rating"]["bradley_terry"]
    assert strength["rating"] == 1500
    assert strength["is_anchor"]
    assert strength["low"] < 1500 < strength["high"]
    assert second["rating"]["bradley_terry"]["rating"] < 1500


def test_pages_follow_one_another_to_the_end(client: Client, ladder: Ladder) -> None:
    versions = [make_version(f"Bot{number}") for number in range(5)]
    for version in versions[1:]:
        finished(ladder, [versions[0], version], 4)
    for start, key in (("ladders/classic/standings?limit=2", "rows"), ("matches?limit=2&bot=bot0", "matches")):
        seen: list[Any] = []
        pages, path = 0, start
        while path:
            page = ask(client, path)
            seen += [row["id"] if key == "matches" else row["bot"]["slug"] for row in page[key]]
            pages, path = pages + 1, page["next"]
        assert len(seen) == len(set(seen)) == {"rows": 5, "matches": 4}[key]
        assert pages == {"rows": 3, "matches": 2}[key]


def test_a_bot_and_its_versions(client: Client, ladder: Ladder, versions: list[BotVersion]) -> None:
    finished(ladder, versions, 4)
    make_version("Sharp", number=2)
    services.enter_ladder(ladder=ladder, version=make_version("Sharp", number=3))
    bot = ask(client, "bots/sharp")
    assert (bot["name"], bot["author"], bot["state"], bot["description"]) == ("Sharp", "ada", "active", "")
    (rating,) = bot["ratings"]
    assert (rating["ladder"], rating["version"], rating["elo"], rating["matches"]) == ("classic", 3, 1425.0, 0)
    page = ask(client, "bots/sharp/versions?limit=2")
    assert [version["number"] for version in page["versions"]] == [3, 2]
    (last,) = ask(client, page["next"])["versions"]
    assert (last["number"], last["ratings"][0]["losses"]) == (1, 1)
    assert ask(client, "bots/simple")["description"].startswith("A club player")


def test_a_finished_match_with_its_games_and_changes(
    client: Client, ladder: Ladder, versions: list[BotVersion]
) -> None:
    match = played(ladder, versions, (Simple, RandomBot))
    answer = ask(client, f"matches/{match.pk}")
    seats = list(match.seats.order_by("index"))
    assert [side["score"] for side in answer["sides"]] == [(seat.score_quarters or 0) / 4 for seat in seats]
    assert [side["points"] for side in answer["sides"]] == [seat.points for seat in seats]
    assert [game["points"] for game in answer["games"]] == [[g.score_a, g.score_b] for g in match.games.all()]
    assert answer["seed"] == match.seed
    assert sum(change["change"] for change in answer["rating_changes"]) == 0
    data = client.get(answer["record"]).content
    assert MatchRecord.from_bytes(data).seed.hex() == match.seed


def test_filters_of_matches(client: Client, ladder: Ladder, versions: list[BotVersion]) -> None:
    other = make_ladder("oklahoma", "oklahoma")
    third = make_version("Third")
    done = finished(ladder, versions, 4)
    elsewhere = finished(other, [versions[0], third], 4)
    waits = services.enqueue_match(ladder=ladder, versions=[versions[0], third])
    void = services.enqueue_match(ladder=ladder, versions=versions)
    services.void_match(match_id=void.pk, error="no")

    def found(query: str) -> list[int]:
        return [row["id"] for row in ask(client, f"matches?{query}")["matches"]]

    assert found("") == [waits.pk, elsewhere.pk, done.pk]
    assert found("ladder=oklahoma") == [elsewhere.pk]
    assert found("bot=third") == [waits.pk, elsewhere.pk]
    assert found("bot=simple&against=sharp") == [done.pk]
    assert found("bot=simple&state=queued") == found("state=queued") == [waits.pk]
    assert found("state=finished&ladder=classic") == found("bot=sharp&state=finished") == [done.pk]
    assert found("state=running") == found("bot=simple&state=running") == []


def test_two_bots_against_each_other(client: Client, ladder: Ladder, versions: list[BotVersion]) -> None:
    for quarters in (4, 4, 2, 1):
        finished(ladder, versions, quarters)
    tasks.tally_ladders()
    answer = ask(client, "bots/simple/against/sharp?ladder=classic")
    assert (answer["matches"], answer["wins"], answer["draws"], answer["losses"]) == (4, 2, 1, 1)
    assert answer["score"] == 11 / 16
    assert ask(client, "bots/sharp/against/simple")["score"] == 5 / 16


def test_nothing_of_unfinished_matches_or_for_owners_alone_gets_out(
    client: Client, ladder: Ladder, versions: list[BotVersion]
) -> None:
    faulty = played(ladder, [versions[1], versions[0]], (Forgetful, Simple))
    running = services.enqueue_match(ladder=ladder, versions=versions)
    seed = claimed(running, worker="worker-7@secret-host").seed.hex()
    void = services.enqueue_match(ladder=ladder, versions=versions)
    services.void_match(match_id=void.pk, error="DockerError: /var/run/docker.sock is gone")
    paths = ["ladders", "ladders/classic", "ladders/classic/standings", "bots/simple", "bots/sharp",
             "bots/sharp/versions", "bots/simple/against/sharp", "matches", "matches?bot=sharp",
             "matches?state=running", *(f"matches/{match.pk}" for match in (faulty, running, void))]  # fmt: skip
    said = "".join(json.dumps(ask(client, path)) for path in paths)
    for secret in (seed, "secret-host", "docker.sock", "Traceback", "where was I?", "games.py", "KeyError",
                   versions[1].sha256, "bot.py", "password", "email"):  # fmt: skip
        assert secret not in said
    answer = ask(client, f"matches/{running.pk}")
    assert (answer["seed"], answer["record"], answer["games"]) == (None, None, [])
    assert [(side["score"], side["points"]) for side in answer["sides"]] == [(None, None)] * 2
    for match in (running, void):
        assert "no finished match" in ask(client, f"matches/{match.pk}/record", 404)["error"]
    (fault, *_) = ask(client, f"matches/{faulty.pk}")["games"][0]["faults"]
    assert fault == {"seat": 0, "kind": "exception"}
    record = client.get(f"/api/v1/matches/{faulty.pk}/record").content
    assert record == client.get(f"/matches/{faulty.pk}/record").content


@pytest.mark.parametrize(
    ("path", "status", "sentence"),
    [
        ("ladders/none", 404, "There is no ladder 'none'."),
        ("bots/none", 404, "There is no bot 'none'."),
        ("bots/none/versions", 404, "There is no bot 'none'."),
        ("matches?bot=none", 404, "There is no bot 'none'."),
        ("matches?ladder=none", 404, "There is no ladder 'none'."),
        ("matches/77", 404, "There is no match 77."),
        ("matches/77/record", 404, "There is no finished match 77."),
        ("matches?against=simple", 422, "The parameter 'against' goes with 'bot'. Name both."),
        ("bots/simple/against/simple", 422, "A bot does not meet itself in rated matches. Name two bots."),
        ("ladders/classic/standings?after=x", 422, "'x' is no place on a ladder."),
        ("ladders/classic/standings?after=1.2", 422, "'1.2' is no place on a ladder."),
        ("bots/%00", 422, "The parameter 'slug' is wrong:"),
        ("matches?bot=%00", 422, "The parameter 'bot' is wrong:"),
        ("matches?limit=101", 422, "The parameter 'limit' is wrong:"),
        ("matches?before=9999999999999999999999", 422, "The parameter 'before' is wrong:"),
        ("matches?state=void", 422, "The parameter 'state' is wrong:"),
        ("matches/9999999999999999999999", 422, "The parameter 'match_id' is wrong:"),
        ("matches/x", 422, "The parameter 'match_id' is wrong:"),
        ("none", 404, "The API has no such address;"),
    ],
)
def test_errors_are_sentences(
    client: Client, ladder: Ladder, versions: list[BotVersion], path: str, status: int, sentence: str
) -> None:
    answer = ask(client, path, status)
    assert list(answer) == ["error"]
    assert answer["error"].startswith(sentence)
    assert answer["error"].endswith((".", "all."))


def test_whoever_asks_too_often_is_told_when_to_come_back(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api.throttle[0], "num_requests", 2)  # type: ignore[index]
    now = [60.0 * random.randrange(10**6) + 15]
    monkeypatch.setattr(api.throttle[0], "timer", lambda: now[0])  # type: ignore[index]
    for _ in range(2):
        ask(client, "ladders")
    response = client.get("/api/v1/ladders")
    assert (response.status_code, response["Retry-After"]) == (429, "45")
    assert "requests a minute" in json.loads(response.content)["error"]
    assert client.get("/api/v1/ladders", REMOTE_ADDR="192.0.2.9").status_code == 200
    now[0] += 45
    assert client.get("/api/v1/ladders").status_code == 200


def test_requests_are_answered_while_they_cannot_be_counted(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(type(caches["requests"]), "add", gone)
    assert ask(client, "ladders") == []


def test_it_only_reads(client: Client) -> None:
    for method in (client.post, client.put, client.delete):
        response = method("/api/v1/ladders")
        assert (response.status_code, response["Allow"]) == (405, "GET")
        assert json.loads(response.content) == {"error": "The API is read only. Ask with GET."}


def test_the_queries_do_not_grow_with_the_answer(client: Client, ladder: Ladder) -> None:
    def queries() -> list[int]:
        counts = []
        newest = Match.objects.latest("pk").pk
        for path in ("ladders", "ladders/classic/standings", "matches", "matches?bot=bot0", "bots/bot0",
                     "bots/bot0/versions", "bots/bot0/against/bot1", f"matches/{newest}"):  # fmt: skip
            with CaptureQueriesContext(connection) as captured:
                ask(client, path)
            counts.append(len(captured))
        return counts

    versions = [make_version(f"Bot{number}", User.objects.create_user(f"user{number}")) for number in range(6)]
    finished(ladder, versions[:2], 4)
    few = queries()
    for number in (2, 3, 4):
        versions.append(make_version("Bot0", number=number))
        finished(ladder, [versions[-1], versions[1]], 4)
        finished(ladder, [versions[number], versions[number + 1]], 4)
    tasks.fit_ladders()
    assert queries() == few
    assert max(few) <= 6


def shape(value: Any) -> Any:
    """The keys of an answer, all the way down, and the kinds of its values."""
    if isinstance(value, dict):
        return {key: shape(each) for key, each in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return type(value).__name__


class TestDocument:
    @pytest.fixture
    def source(self) -> str:
        found = document("web-api")
        assert found is not None
        return found.source

    @pytest.fixture
    def match(self, ladder: Ladder, versions: list[BotVersion]) -> Match:
        make_version("Third")
        match = played(ladder, versions, (Simple, RandomBot))
        services.enter_ladder(ladder=ladder, version=BotVersion.objects.get(bot__slug="third"))
        tasks.fit_ladders()
        Match.objects.filter(pk=match.pk).update(finished_at=timezone.now() - dt.timedelta(days=3))
        tasks.update_trends()
        return match

    @pytest.fixture
    def cup(self, ladder: Ladder) -> Tournament:
        open_uploads()
        made = cups.opened(User.objects.create_user("chief", is_staff=True), Swiss(rounds=2), name="Spring cup")
        cups.entered(made, 4)
        cups.make_due(made)
        cups.play_out(made)
        return made

    def test_its_requests_are_answered(self, client: Client, source: str, match: Match, cup: Tournament) -> None:
        requests = [line.split() for block in code_blocks(source, "") for line in block.splitlines()]
        assert len(requests) >= 9
        for curl, address in requests:
            assert curl == "curl"
            path = address.removeprefix("http://localhost:8000").replace("matches/1", f"matches/{match.pk}")
            assert client.get(path).status_code == (404 if "nobody" in path else 200), path

    def test_its_answers_have_the_shape_of_the_real_ones(
        self, client: Client, source: str, match: Match, cup: Tournament
    ) -> None:
        standings, cup_standings, error = (json.loads(block) for block in code_blocks(source, "json"))
        assert shape(ask(client, f"tournaments/{cup.slug}/standings")) == shape(cup_standings)
        real = ask(client, "ladders/classic/standings?limit=1")
        assert shape(real) == shape(standings)
        assert ask(client, "bots/nobody", 404) == error

    def test_its_program_reads_a_record(
        self,
        client: Client,
        source: str,
        match: Match,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        def urlopen(address: str) -> BytesIO:
            path = address.removeprefix("http://localhost:8000").replace("matches/1", f"matches/{match.pk}")
            return BytesIO(client.get(path).content)

        monkeypatch.setattr(urllib.request, "urlopen", urlopen)
        (program,) = code_blocks(source, "python")
        exec(program, {})
        hands = [game.hands for game in match.games.all()]
        assert re.findall(r"(\d+) hands", capsys.readouterr().out) == [str(count) for count in hands]

    def test_the_reference_names_every_address_and_field(self, client: Client) -> None:
        page = text_of(client.get("/api/v1/"))
        schema = ask(client, "openapi.json")
        assert len(schema["paths"]) >= 10
        for path in schema["paths"]:
            assert f"GET {path}" in page
        for name, each in schema["components"]["schemas"].items():
            assert f'id="{name}"' in page
            for field in each["properties"]:
                assert f"<code>{field}</code>" in page
        assert "http" not in "".join(re.findall(r'(?:src|href)="([^"]*)"', page))


def test_what_breaks_on_our_side_is_json_too(ladder: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("on purpose")

    monkeypatch.setattr("api.present.ladder_out", broken)
    monkeypatch.setattr("ladder.views.queries.open_ladders", broken)
    client = Client(raise_request_exception=False)
    said = ask(client, "ladders", 500)["error"]
    assert "our side" in said
    assert "on purpose" not in said
    assert client.get("/")["Content-Type"].startswith("text/html")
    malformed = Client(raise_request_exception=False, headers={"host": "elsewhere.example"})
    assert "error" in ask(malformed, "nowhere", 400)
