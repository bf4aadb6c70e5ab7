"""Who sees what of a bot on its way in."""

import io
import zipfile

import pytest
from django.contrib.auth.models import User
from django.test import Client

from arena.archive import BotSource
from arena.checks import Check, ValidationReport
from bots import services, validations
from bots.models import Bot, BotVersion
from tests.sandbox.faulty import PLAYS
from tests.sandbox.uploads import zipped
from tests.web.entering import author, entered, logged_in, open_uploads, text_of

REJECTED = ValidationReport(
    (
        Check("load", ok=True, message="The class Mine was loaded from bot.py."),
        Check(
            "house_game", ok=False, message="ValueError: oops", code="exception", traceback="secret frames",
            file="bot.py", line=5,
        ),
    ),
    "Mine",
    "secret print",
)  # fmt: skip


@pytest.fixture
def owner(db: None) -> User:
    open_uploads()
    return author()


@pytest.fixture
def rejected(owner: User) -> BotVersion:
    version = entered(owner)
    claim = validations.claim_validation(version_id=version.pk)
    assert claim is not None
    assert validations.record_validation(claim=claim, report=REJECTED)
    return version


def test_the_owner_sees_everything(owner: User, rejected: BotVersion) -> None:
    page = text_of(logged_in(owner).get(rejected.get_absolute_url()))
    for part in ("ValueError: oops", "secret frames", "secret print", "bot.py, line 5", ">   5      def choose_draw"):
        assert part in page


@pytest.mark.parametrize("visitor", ["anonymous", "another author"])
def test_others_see_the_state_alone(rejected: BotVersion, visitor: str) -> None:
    client = Client() if visitor == "anonymous" else logged_in(author("eve"))
    response = client.get(rejected.get_absolute_url())
    page = text_of(response)
    assert response.status_code == 200
    assert "rejected" in page
    for part in ("oops", "secret", "line 5", "choose_draw", "Mine", "bot.py", "Download the source"):
        assert part not in page


def test_the_page_follows_a_running_check_by_itself(owner: User) -> None:
    version = entered(owner)
    client = logged_in(owner)
    page = text_of(client.get(version.get_absolute_url()))
    assert 'hx-trigger="every 1s"' in page
    assert "waits for a worker" in page
    claim = validations.claim_validation(version_id=version.pk)
    assert claim is not None
    validations.renew_validation(claim=claim, so_far=ValidationReport(REJECTED.checks[:1]))
    page = text_of(client.get(version.get_absolute_url()))
    assert "The class Mine was loaded" in page
    assert "running</span>" in page
    validations.release_validation(claim=claim, error="docker: permission denied on /secret/path")
    page = text_of(client.get(version.get_absolute_url()))
    assert "failed on our side" in page
    assert "/secret/path" not in page


@pytest.mark.parametrize(
    "path",
    ["/my/", "/bots/new/", "/bots/gin-fizz/upload/", "/bots/gin-fizz/retire/", "/bots/gin-fizz/versions/1/source/"],
)
def test_who_is_not_logged_in_is_asked_to(rejected: BotVersion, path: str) -> None:
    response = Client().get(path)
    assert (response.status_code, response["Location"]) == (302, f"/accounts/login/?next={path}")


@pytest.mark.parametrize("path", ["/bots/gin-fizz/upload/", "/bots/gin-fizz/retire/"])
def test_nobody_changes_anothers_bot(rejected: BotVersion, path: str) -> None:
    client = logged_in(author("eve"))
    assert client.get(path).status_code == 403
    assert client.post(path).status_code == 403
    assert Bot.objects.get().state == Bot.State.ACTIVE


def test_nobody_changes_a_house_bot(owner: User) -> None:
    services.sync_house_bots()
    assert logged_in(owner).get("/bots/simple/upload/").status_code == 403


def test_a_house_bots_page_tells_its_style_and_level(owner: User) -> None:
    services.sync_house_bots()
    assert "for whom only gin ends a hand" in logged_in(owner).get("/bots/purist/").content.decode()


@pytest.mark.parametrize(
    "path", ["/bots/no-such/upload/", "/bots/gin-fizz/versions/9/", "/bots/gin-fizz/versions/9/source/"]
)
def test_what_is_not_there_is_not_found(owner: User, rejected: BotVersion, path: str) -> None:
    assert logged_in(owner).get(path).status_code == 404


def test_the_source_is_for_its_owner_and_the_staff(owner: User, rejected: BotVersion) -> None:
    path = "/bots/gin-fizz/versions/1/source/"
    response = logged_in(owner).get(path)
    assert response.content.decode() == PLAYS
    assert response["Content-Disposition"] == 'attachment; filename="gin-fizz-v1.py"'
    assert logged_in(author("eve")).get(path).status_code == 403
    staff = User.objects.create_user("root", is_staff=True)
    assert logged_in(staff).get(path).status_code == 200


def test_a_source_of_several_modules_comes_as_a_zip(owner: User) -> None:
    data = zipped({"bot.py": PLAYS.encode(), "lib/odds.py": b"X = 1\n"})
    services.enter_bot(owner=owner, name="Gin Fizz", filename="bot.zip", data=data)
    response = logged_in(owner).get("/bots/gin-fizz/versions/1/source/")
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {
            "bot.py": PLAYS.encode(),
            "lib/odds.py": b"X = 1\n",
        }


def test_my_bots_say_what_happens_next(owner: User, rejected: BotVersion) -> None:
    client = logged_in(owner)
    page = text_of(client.get("/my/"))
    assert "Version 1 was rejected. Read why" in page
    assert "not in play yet" in page
    version = services.add_version(bot=rejected.bot, filename="bot.py", data=PLAYS.encode() + b"# 2\n", note="bolder")
    page = text_of(client.get("/my/"))
    assert "Version 2 is being checked. It enters the ladder if it passes." in page
    assert "bolder" in page
    BotVersion.objects.filter(pk=version.pk).update(state=BotVersion.State.ACTIVE)
    page = text_of(client.get("/my/"))
    assert "Version 2 plays rated matches." in page
    assert "not in play yet" not in page
    services.bench_bot(bot=version.bot, reason="It failed five times.")
    assert "Benched: It failed five times. Upload a corrected version" in text_of(client.get("/my/"))
    assert "Gin Fizz" not in text_of(logged_in(author("eve")).get("/my/"))


def test_my_bots_take_as_many_queries_for_many_as_for_one(
    owner: User, rejected: BotVersion, django_assert_max_num_queries: object
) -> None:
    client = logged_in(owner)
    for number in range(2, 5):
        version = entered(owner, name=f"Bot {number}", text=f"{PLAYS}# {number}\n")
        services.add_version(bot=version.bot, filename="bot.py", data=PLAYS.encode() + b"# again %d\n" % number)
    with django_assert_max_num_queries(16):  # type: ignore[operator]
        client.get("/my/")


def test_my_bots_show_the_newest_versions_and_know_the_one_that_plays(owner: User, rejected: BotVersion) -> None:
    BotVersion.objects.update(state=BotVersion.State.ACTIVE)
    BotVersion.objects.bulk_create(
        BotVersion(
            bot=rejected.bot, number=n, sha256="", source=b"", filename="bot.py", state=BotVersion.State.REJECTED
        )
        for n in range(2, 14)
    )
    page = text_of(logged_in(owner).get("/my/"))
    assert "Version 13 was rejected. Version 1 plays on." in page
    assert [n for n in range(1, 14) if f">Version {n}</a>" in page] == list(range(4, 14))
    assert "lists the older versions too" in page


def test_an_author_without_bots_is_shown_the_way(owner: User) -> None:
    page = text_of(logged_in(owner).get("/my/"))
    assert "/starter.py" in page
    assert "/guide/" in page


def test_retiring_asks_first(owner: User, rejected: BotVersion) -> None:
    client = logged_in(owner)
    assert "Retire Gin Fizz?" in text_of(client.get("/bots/gin-fizz/retire/"))
    assert Bot.objects.get().state == Bot.State.ACTIVE
    page = text_of(client.post("/bots/gin-fizz/retire/", follow=True))
    assert "Gin Fizz is retired." in page
    assert Bot.objects.get().state == Bot.State.RETIRED
    for path in ("/bots/gin-fizz/upload/", "/bots/gin-fizz/write/"):  # nobody fills in what would be refused
        page = text_of(client.get(path, follow=True))
        assert "Gin Fizz is retired and takes no new versions. Enter a new bot instead." in page
        assert "<h1>My bots</h1>" in page


def test_the_rules_for_the_browser_come_with_the_form(owner: User) -> None:
    page = logged_in(owner).get("/bots/new/").content.decode()
    assert "is neither a .py file nor a .zip" in page
    assert "<script>" not in page
    assert " style=" not in page


def test_the_staff_reads_sources_and_reports_but_changes_only_a_bots_state(owner: User, rejected: BotVersion) -> None:
    client = logged_in(User.objects.create_superuser("root"))
    for path in ("bot/", f"bot/{rejected.bot.pk}/change/", "botversion/", "sandboxstatus/"):
        assert client.get(f"/admin/bots/{path}").status_code == 200
    page = text_of(client.get(f"/admin/bots/botversion/{rejected.pk}/change/"))
    assert "secret frames" in page
    assert "def choose_draw" in page
    assert "Save" not in page
    assert client.get("/admin/bots/botversion/add/").status_code == 403
    assert client.post(f"/admin/bots/botversion/{rejected.pk}/delete/", {"post": "yes"}).status_code == 403


def test_a_stored_source_is_never_rewritten(owner: User, rejected: BotVersion) -> None:
    before = BotSource.from_bytes(bytes(BotVersion.objects.get().source)).sha256
    services.add_version(bot=rejected.bot, filename="bot.py", data=PLAYS.encode() + b"# 2\n")
    first = BotVersion.objects.get(number=1)
    assert first.sha256 == before == BotSource.from_bytes(bytes(first.source)).sha256
