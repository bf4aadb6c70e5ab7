"""Several ladders side by side: each plays by its own rules, rates by itself, and is reached from every page."""

import random
import re
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from arena.bots import house_source
from arena.record import MatchRecord
from arena.rules import RULE_SETS
from ladder import play, scheduler, services, tasks
from ladder.models import Ladder, Match, Rating
from sandbox.select import choose_driver
from tests.web.entering import text_of
from tests.web.matches import finished, make_ladder, make_version


@pytest.mark.django_db(transaction=True)
def test_two_ladders_are_scheduled_played_and_rated_apart(
    client: Client, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LADDER_QUEUE_DEPTH = 4  # of all ladders together
    driver = choose_driver("process")
    monkeypatch.setattr(play, "get_driver", lambda: driver)
    ladders = [make_ladder(), make_ladder("oklahoma", "oklahoma")]
    make_ladder("tally", "tally")
    Ladder.objects.filter(slug="tally").update(is_open=False)
    versions = [make_version(name, source=house_source("simple")) for name in ("Ann", "Ben")]
    assert scheduler.schedule(house_only=True, rng=random.Random(3)) == 4
    for match in Match.objects.all():
        tasks.play_match(match.pk)
    for ladder in ladders:
        matches = list(Match.objects.filter(ladder=ladder))
        assert [match.state for match in matches] == [Match.State.FINISHED] * 2
        assert sorted(match.sequence or 0 for match in matches) == [1, 2]
        for match in matches:
            record = MatchRecord.from_bytes(bytes(match.record_blob.data))
            assert record.rules == RULE_SETS[ladder.rule_set]
            for state in record.replay():
                assert max(state.scores) >= {"classic": 100, "oklahoma": 150}[ladder.slug]
        ratings = Rating.objects.filter(ladder=ladder)
        assert {rating.version_id: rating.matches for rating in ratings} == {version.pk: 2 for version in versions}
        assert services.verify_ladder(ladder=ladder) == []
        page = client.get(f"/matches/{matches[0].pk}/").content.decode()
        assert f'href="/rules/{ladder.rule_set}/"' in page
        assert f'href="/?ladder={ladder.slug}"' in page
        assert client.get(f"/matches/{matches[0].pk}/games/1/").status_code == 200
    assert not Rating.objects.filter(ladder__slug="tally").exists()


@pytest.mark.django_db
def test_the_ladder_page_switches_by_links_and_names_its_rules(client: Client) -> None:
    make_ladder()
    assert 'aria-label="Ladders"' not in text_of(client.get("/"))
    make_ladder("oklahoma", "oklahoma")
    make_ladder("shut", "tally")
    Ladder.objects.filter(slug="shut").update(is_open=False)
    for path, current in (("/", "classic"), ("/?ladder=oklahoma", "oklahoma")):
        page = text_of(client.get(path))
        tabs = page.partition('aria-label="Ladders">')[2].partition("</nav>")[0]
        assert re.findall(r'<a href="\?ladder=(\w+)"', tabs) == ["classic", "oklahoma"]
        assert re.findall(r'ladder=(\w+)" aria-current="page"', tabs) == [current]
        assert f'<a href="/rules/{current}/">Played by the {current} rules</a>' in page
    assert client.get("/?ladder=shut").status_code == 404


@pytest.mark.django_db
def test_a_bots_page_shows_its_rating_on_each_ladder(client: Client) -> None:
    classic, oklahoma = make_ladder(), make_ladder("oklahoma", "oklahoma")
    gin = make_version("Gin", User.objects.create_user("ada"))
    finished(classic, [gin, make_version("Rummy")], 4)
    assert "Ratings by ladder" not in text_of(client.get("/bots/gin/"))
    martini = make_version("Martini")
    for quarters in (0, 2):
        finished(oklahoma, [gin, martini], quarters)
    for ladder in (classic, oklahoma):
        services.tally_all(ladder=ladder)
    points = {rating.ladder.slug: rating.points for rating in Rating.objects.filter(version=gin)}
    for path, slug, other, record, share in (
        ("/bots/gin/", "classic", "Rummy", "1 \N{EN DASH} 0 \N{EN DASH} 0", 100),
        ("/bots/gin/?ladder=oklahoma", "oklahoma", "Martini", "0 \N{EN DASH} 1 \N{EN DASH} 1", 25),
    ):
        page = text_of(client.get(path))
        for name, milli in points.items():
            assert f'{name.title()} <span class="number">{milli}</span></a>' in page
        assert f'href="?ladder={slug}" aria-current="page"' in page
        assert f"<dd>{record} <small>{share}\N{NO-BREAK SPACE}% won</small></dd>" in page
        assert f"now {points[slug]}." in page
        assert f"{other}</a></th>" in page
    assert client.get("/bots/gin/?ladder=nothing").status_code == 404


@pytest.mark.django_db
def test_a_chart_begins_where_its_own_ladder_began(client: Client) -> None:
    classic, oklahoma = make_ladder(), make_ladder("oklahoma", "oklahoma")
    gin, rummy = make_version("Gin"), make_version("Rummy")
    for _ in range(6):
        finished(classic, [gin, rummy], 4)
    second = make_version("Gin", number=2)
    finished(classic, [second, rummy], 2)
    finished(oklahoma, [second, rummy], 4)
    assert "Elo over 1 rated match: lowest 1500" in text_of(client.get("/bots/gin/?ladder=oklahoma"))


@pytest.mark.django_db
def test_lists_tell_matches_under_other_rules(client: Client) -> None:
    pair = [make_version("Gin"), make_version("Rummy")]
    finished(make_ladder(), pair, 4)
    assert '<span class="badge">' not in text_of(client.get("/matches/")).partition("match-list")[2]
    finished(make_ladder("oklahoma", "oklahoma"), pair, 4)
    assert text_of(client.get("/matches/")).count('<span class="badge">Oklahoma</span>') == 1


@pytest.mark.django_db
def test_more_ladders_cost_the_front_page_no_more_queries(client: Client) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert client.get("/").status_code == 200
        return len(captured)

    pair = [make_version("Gin"), make_version("Rummy")]
    finished(make_ladder(), pair, 4)
    one = queries()
    for name in RULE_SETS:
        if name != "classic":
            finished(make_ladder(name, name), pair, 4)
    assert queries() == one


@pytest.mark.django_db
def test_setup_opens_the_ladders_it_is_told_and_leaves_them_as_the_operator_set_them() -> None:
    out = StringIO()
    call_command("setup", "--ladder", "oklahoma", "--ladder", "gin-only", stdout=out)
    assert dict(Ladder.objects.values_list("slug", "rule_set")) == {
        "classic": "classic",
        "gin-only": "gin-only",
        "oklahoma": "oklahoma",
    }
    assert Ladder.objects.get(slug="gin-only").name == "Gin only"
    Ladder.objects.filter(slug="oklahoma").update(is_open=False, name="Wild")
    call_command("setup", "--ladder", "oklahoma", stdout=out)
    assert "Ladder oklahoma is there, closed." in out.getvalue()
    assert Ladder.objects.get(slug="oklahoma").name == "Wild"
    with pytest.raises(CommandError, match="canasta"):
        call_command("setup", "--ladder", "canasta")
    with pytest.raises(ValueError, match="no rule set 'canasta'"):
        services.ensure_ladder(rule_set="canasta")
