"""What an owner sees of his bots' play, and whom he lets read their source."""

import html
import re
import time

import pytest
from django.contrib.auth.models import User
from django.test import Client

from arena.bots.simple import Simple
from bots import services as bot_services
from bots.listing import LONGEST, highlighted
from bots.models import BotVersion
from ladder import services
from ladder.models import BotLog, Fault
from tests.web.entering import text_of
from tests.web.games import Forgetful, played
from tests.web.matches import claimed, make_ladder, make_version

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(client: Client) -> User:
    """Logged in."""
    owner = User.objects.create_user("owner")
    client.force_login(owner)
    return owner


def test_my_bots_say_what_is_under_way_and_where_in_the_queue(client: Client, owner: User) -> None:
    ladder = make_ladder()
    gin, rummy, other = make_version("Gin", owner), make_version("Rummy"), make_version("Other")
    running, *_ = (
        services.enqueue_match(ladder=ladder, versions=pair)
        for pair in ([gin, rummy], [rummy, other], [other, gin], [rummy, gin])
    )
    claimed(running)
    page = text_of(client.get("/my/"))
    places = re.findall(r">against (\w+)</a> <small>([^<]*)</small>", page)
    assert places == [
        ("Rummy", "is being played: watch it"),
        ("Other", "is number 2 in the queue"),
        ("Rummy", "is number 3 in the queue"),
    ]


def test_a_version_that_waits_for_its_check_has_a_place(client: Client, owner: User) -> None:
    for name in ("First", "Second"):
        version = make_version(name, owner)
        BotVersion.objects.filter(pk=version.pk).update(state=BotVersion.State.VALIDATING)
    page = text_of(client.get("/my/"))
    assert "Version 1 is being checked. It enters the ladder if it passes. It is the next to be checked." in page
    assert "It is number 2 in the queue." in page


def test_my_bots_show_faults_with_the_way_to_the_decision_and_prints(client: Client, owner: User) -> None:
    match = played(make_ladder(), [make_version("Lost", owner), make_version("Found")], (Forgetful, Simple))
    fault = Fault.objects.get(game__number=0)
    page = client.get("/my/").content.decode()
    assert f'href="/matches/{match.pk}/games/1/#{fault.step}"' in page
    assert "Traceback" in page
    assert html.escape(BotLog.objects.get(game__number=0, seat=fault.seat).text) in page
    assert "<b>where was I?</b>" not in page


def test_a_source_is_private_until_its_author_lets_everybody_read_it(client: Client, owner: User) -> None:
    gin = make_version("Gin", owner, source="SECRET = 'my plan'\n")
    page, stranger = gin.get_absolute_url(), Client()

    def seen() -> tuple[bool, int]:
        shown = "SECRET" in stranger.get(page).content.decode()
        return shown, stranger.get(f"{page}source/").status_code

    assert seen() == (False, 302)
    assert "SECRET" in client.get(page).content.decode()
    assert client.post(f"{page}publish/", {"public": "1"}).status_code == 302
    assert seen() == (True, 200)
    assert f"{page}#source" in stranger.get("/bots/gin/").content.decode()
    other = Client()
    other.force_login(User.objects.create_user("other"))
    assert other.post(f"{page}publish/", {"public": "0"}).status_code == 403
    assert client.get(f"{page}publish/").status_code == 405
    assert seen() == (True, 200)
    client.post(f"{page}publish/", {"public": "0"})
    assert seen() == (False, 302)
    assert other.get(f"{page}source/").status_code == 403
    client.post(f"{page}publish/", {"public": "1"})
    bot_services.delete_bot(bot=gin.bot)
    gin.bot.refresh_from_db()
    gone = gin.bot.versions.get().get_absolute_url()
    assert other.get(gone).status_code == 404
    assert other.get(f"{gone}source/").status_code == 403


def test_what_is_new_can_be_said_better_by_the_owner_alone(client: Client, owner: User) -> None:
    page, stranger = make_version("Gin", owner).get_absolute_url(), Client()
    assert "Say what is new" in text_of(client.get(page))
    assert "Knocks <later>" in html.unescape(
        text_of(client.post(f"{page}note/", {"note": " Knocks <later> "}, follow=True))
    )
    shown = text_of(stranger.get(page))
    assert "Knocks &lt;later>" in shown
    assert "what is new</summary>" not in shown
    refused = text_of(client.post(f"{page}note/", {"note": "n" * 201}, follow=True))
    assert "A note has at most 200 characters; this one has 201." in refused
    stranger.force_login(User.objects.create_user("other"))
    assert stranger.post(f"{page}note/", {"note": "Mine"}).status_code == 403
    assert BotVersion.objects.get().note == "Knocks <later>"


def test_the_source_of_a_house_bot_is_public(client: Client) -> None:
    version = make_version("Simple", source="PUBLIC = 1\n")
    assert "PUBLIC" in client.get(version.get_absolute_url()).content.decode()


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):  # <b>bold</b>\n    return 'a' + f\"{x!r}<i>\" if x < 0x1F else None\n",
        "def broken(:\n  '''never closed <script>\n",
        "if x:\n\ty\n        z\n",
        "no newline at the end",
        "",
        "s = '\N{SNOWMAN} \N{GRINNING FACE}'  # \N{LATIN SMALL LETTER E WITH ACUTE}\nx = 1\n\x0c\ny = 2\n",
    ],
)
def test_highlighting_adds_nothing_but_colour(source: str) -> None:
    shown = highlighted(source)
    assert set(re.findall(r"<[^>]*>", shown)) <= {
        "</span>",
        *(f'<span class="code-{kind}">' for kind in ("comment", "string", "number", "keyword")),
    }
    assert html.unescape(re.sub(r"<[^>]*>", "", shown)) == source.replace("\x0c", "\\u000c")


def test_what_would_deceive_a_reader_is_spelled_out() -> None:
    assert highlighted("access = 'user\u202e \u2066# admin\u2069'\n").count("\\u20") == 3
    assert '<span class="code-keyword">return</span>' in highlighted("def f():\n    return 1\n")


def test_quotes_that_nothing_closes_cost_no_more_than_their_length() -> None:
    began = time.process_time()
    assert html.unescape(highlighted(source := "'" + r"\'" * (LONGEST // 2))) == source
    assert time.process_time() - began < 10  # a minute and a half when each of them looks for its end


def test_a_long_source_is_cut(client: Client, owner: User) -> None:
    version = make_version("Gin", owner, source="x = 1\n" * LONGEST)
    page = client.get(version.get_absolute_url()).content.decode()
    assert "The rest is too long for a page." in page
    assert len(page) < 1_000_000
