"""Deleting an account: nothing of the person is left, the matches are, and somebody can still administer the site."""

import re

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core.cache import caches
from django.db import OperationalError
from django.test import Client

from bots import services
from bots.closing import DEADLOCK, close_account
from bots.models import Bot
from bots.refusals import Refusal
from ladder.models import Ladder, Match
from ladder.services import challenge, verify_ladder
from tests.web.entering import PASSWORD, author, logged_in, open_uploads, text_of
from tests.web.matches import finished, make_ladder, make_version

pytestmark = pytest.mark.django_db
URL = "/my/account/delete/"


@pytest.fixture(autouse=True)
def _fresh_limits(db: None) -> None:
    caches["default"].clear()
    open_uploads()


@pytest.fixture
def ladder() -> Ladder:
    return make_ladder()


@pytest.fixture
def ada() -> User:
    user = author("ada")
    user.email, user.first_name = "ada@example.org", "Augusta"
    user.save()
    EmailAddress.objects.create(user=user, email=user.email, primary=True)
    return user


def test_it_asks_for_the_password_and_then_forgets_the_person(ada: User, ladder: Ladder) -> None:
    match = finished(ladder, [make_version("Fizz", ada), make_version("Rival")], 4)
    client, elsewhere = logged_in(ada), logged_in(ada)
    assert URL in text_of(client.get("/my/"))
    page = text_of(client.get(URL))
    assert "its 1 bot deleted" in page
    response = client.post(URL, {"password": "wrong"})
    assert response.status_code == 422
    assert "not the account's password" in text_of(response)
    assert Bot.objects.get(owner=ada).name == "Fizz"

    assert "Your account is deleted." in text_of(client.post(URL, {"password": PASSWORD}, follow=True))
    for browser in (client, elsewhere):
        assert browser.get("/my/").status_code == 302
    assert not Client().login(username="ada", password=PASSWORD)
    row = User.objects.get(pk=ada.pk)
    assert not re.search("ada|Augusta|example", " ".join(str(value) for value in vars(row).values()))
    assert not EmailAddress.objects.exists()
    for path in (f"/matches/{match.pk}/", f"/matches/{match.pk}/games/1/", "/matches/", "/"):
        page = text_of(Client().get(path))
        assert "Fizz" not in page
        assert not re.search(r"\bada\b", page)
    assert f"Deleted bot {Bot.objects.get(owner=ada).pk}" in text_of(Client().get(f"/matches/{match.pk}/"))
    assert verify_ladder(ladder=ladder) == []


def test_the_name_is_free_and_the_substitute_can_be_nobodys() -> None:
    ada = author("ada")
    close_account(user=ada)
    substitute = User.objects.get(pk=ada.pk).username
    fields = {"email": "", "password1": PASSWORD, "password2": PASSWORD}
    assert Client().post("/accounts/signup/", {"username": substitute, **fields}).status_code == 200
    assert Client().post("/accounts/signup/", {"username": "ada", **fields}).status_code == 302


def test_guesses_are_slowed_down(ada: User) -> None:
    client = logged_in(ada)
    answers = [client.post(URL, {"password": f"guess {number}"}).status_code for number in range(12)]
    assert answers == [422] * 10 + [429] * 2


def test_an_address_alone_and_another_sites_form_delete_nothing(ada: User) -> None:
    assert Client().post(URL, {"password": PASSWORD}).status_code == 302
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(ada)
    assert strict.post(URL, {"password": PASSWORD}).status_code == 403
    assert User.objects.filter(username="ada", is_active=True).exists()


def test_what_was_asked_for_stays_as_nobodys(ada: User, ladder: Ladder) -> None:
    challenge(user=ada, version=make_version("Mine", ada), opponent=make_version("Rival").bot, ladder=ladder)
    close_account(user=ada)
    page = text_of(Client().get(f"/matches/{Match.objects.get().pk}/"))
    assert "Mine" not in page


def test_a_deadlock_with_matches_that_are_being_queued_is_tried_again(
    ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, last = make_version("Zed", ada).bot, make_version("Abe", ada).bot
    failures, asked = [DEADLOCK, "55P03"], []
    delete_bot = services.delete_bot

    def deadlocked(*, bot: Bot) -> None:
        asked.append(bot)
        delete_bot(bot=bot)
        if failures and bot == last:
            cause = Exception("of PostgreSQL")
            cause.sqlstate = failures.pop()  # type: ignore[attr-defined]
            raise OperationalError from cause

    monkeypatch.setattr(services, "delete_bot", deadlocked)
    with pytest.raises(OperationalError):  # another failure is no deadlock
        close_account(user=ada)
    assert Bot.objects.filter(state=Bot.State.ACTIVE).count() == 2
    close_account(user=ada)
    assert asked == 3 * [first, last]
    assert not User.objects.get(pk=ada.pk).is_active
    assert not Bot.objects.exclude(state=Bot.State.DELETED).exists()


def test_an_upload_that_comes_late_enters_nothing(ada: User) -> None:
    close_account(user=ada)
    with pytest.raises(Refusal, match="closed"):
        services.enter_bot(owner=ada, name="Late", filename="bot.py", data=b"x = 1")
    assert not Bot.objects.exists()


def test_the_last_account_that_can_administer_the_site_stays() -> None:
    root = User.objects.create_superuser("root", password=PASSWORD)
    User.objects.create_user("helper", password=PASSWORD, is_staff=True)
    response = logged_in(root).post(URL, {"password": PASSWORD})
    assert response.status_code == 422
    assert "last account that can administer" in text_of(response)
    User.objects.create_superuser("second", password=PASSWORD)
    assert logged_in(root).post(URL, {"password": PASSWORD}).status_code == 302


def test_the_staff_closes_accounts_and_deletes_no_row(ada: User) -> None:
    make_version("Fizz", ada)
    root = User.objects.create_superuser("root", password=PASSWORD)
    client = logged_in(root)
    assert client.get(f"/admin/auth/user/{ada.pk}/delete/").status_code == 403
    chosen = {"action": "close", "_selected_action": [ada.pk, root.pk]}
    page = text_of(client.post("/admin/auth/user/", chosen, follow=True))
    assert "The account ada is deleted." in page
    assert "The account root stays. This is the last account" in page
    assert not User.objects.get(pk=ada.pk).is_active
    assert Bot.objects.get().state == Bot.State.DELETED
    helper = User.objects.create_user("helper", password=PASSWORD, is_staff=True)
    assert logged_in(helper).post("/admin/auth/user/", {**chosen, "_selected_action": [root.pk]}).status_code == 403
