"""Signing up, logging in and out, on the site's own pages; and the sample account."""

import os
import stat
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from tests.web.entering import PASSWORD, author, text_of

pytestmark = pytest.mark.django_db


def _sign_up(client: Client, **fields: str) -> Any:
    data = {"username": "ada", "email": "", "password1": PASSWORD, "password2": PASSWORD, **fields}
    return client.post("/accounts/signup/", data)


def test_signing_up_leads_to_ones_own_bots() -> None:
    client = Client()
    response = _sign_up(client)
    assert (response.status_code, response["Location"]) == (302, "/my/")
    assert client.get("/my/").status_code == 200
    assert User.objects.get().username == "ada"


def test_signing_up_needs_no_address_and_leads_on_to_where_one_was_going() -> None:
    client = Client()
    page = text_of(client.get("/accounts/signup/?next=/bots/new/"))
    assert 'value="/bots/new/"' in page
    assert _sign_up(client, next="/bots/new/")["Location"] == "/bots/new/"


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"password1": "12345", "password2": "12345"}, "too short"),
        ({"password2": "another pass phrase"}, "same password"),
        ({"username": "taken"}, "already exists"),
        ({"username": ""}, "required"),
    ],
)
def test_what_is_wrong_is_said_and_what_was_typed_is_kept(fields: dict[str, str], says: str) -> None:
    author("taken")
    response = _sign_up(Client(), email="ada@example.org", **fields)
    page = text_of(response)
    assert says in page
    assert "ada@example.org" in page
    assert User.objects.count() == 1


def test_accents_in_a_user_name_are_fine() -> None:
    assert _sign_up(Client(), username="élodie-日本").status_code == 302


def test_logging_in_and_out() -> None:
    author()
    client = Client()
    page = text_of(client.get("/accounts/login/"))
    assert "<h1>Log in</h1>" in page
    assert "Gin Rummy Arena" in page
    wrong = client.post("/accounts/login/", {"login": "ada", "password": "wrong"})
    assert "not correct" in text_of(wrong)
    right = client.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
    assert right["Location"] == "/my/"
    own = text_of(client.get("/my/"))
    assert "logged in as <strong>ada</strong>" in own
    assert all(
        f'href="{path}"' in own for path in ("/accounts/password/change/", "/accounts/email/", "/my/account/delete/")
    )
    client.get("/accounts/logout/")
    assert client.get("/my/").status_code == 200  # a link alone logs nobody out
    client.post("/accounts/logout/")
    assert client.get("/my/").status_code == 302


def test_wrong_passwords_are_slowed_down_whichever_process_is_asked() -> None:
    author()
    author("eve")

    def log_in(login: str, password: str) -> Any:
        return Client().post("/accounts/login/", {"login": login, "password": password})

    for _ in range(5):
        assert "not correct" in text_of(log_in("ada", "wrong"))
    assert "Too many failed login attempts" in text_of(log_in("ada", "wrong"))
    assert "Too many failed login attempts" in text_of(log_in("ada", PASSWORD))
    assert log_in("eve", PASSWORD).status_code == 302
    # Counted where every process of the site reads it.
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM shared_cache")
        assert cursor.fetchone()[0] > 0


def test_logging_in_leads_nowhere_else() -> None:
    author()
    response = Client().post("/accounts/login/?next=//evil.example/", {"login": "ada", "password": PASSWORD})
    assert "evil" not in response["Location"]


@pytest.mark.parametrize("path", ["login", "signup", "password/reset", "password/reset/done"])
def test_every_page_stands_in_the_sites_frame(path: str) -> None:
    page = text_of(Client().get(f"/accounts/{path}/"))
    assert page.count("<main") == 1
    assert '<header class="site-head">' in page
    assert " style=" not in page


def test_the_sample_account_is_the_same_at_every_start(tmp_path: Path, settings: Any) -> None:
    settings.VAR = tmp_path
    first, second = StringIO(), StringIO()
    call_command("sample_account", stdout=first)
    call_command("sample_account", stdout=second)
    username, password = first.getvalue().split()
    assert first.getvalue() == second.getvalue()
    assert Client().login(username=username, password=password)
    assert User.objects.count() == 1
    assert stat.S_IMODE((tmp_path / "sample_password").stat().st_mode) == 0o600
    assert not User.objects.get().is_staff


def test_the_printed_password_works_whatever_happened_before(tmp_path: Path, settings: Any) -> None:
    settings.VAR = tmp_path
    (tmp_path / "sample_password").write_text("")  # a start that was cut off
    User.objects.create_user("sample", password="changed since")
    out = StringIO()
    call_command("sample_account", stdout=out)
    username, password = out.getvalue().split()
    assert len(password) >= 12
    assert Client().login(username=username, password=password)


def test_each_server_has_a_password_of_its_own(tmp_path: Path, settings: Any) -> None:
    outputs = set()
    for name in ("one", "two"):
        settings.VAR = tmp_path / name
        out = StringIO()
        call_command("sample_account", stdout=out)
        outputs.add(out.getvalue())
    assert len(outputs) == 2


def test_production_has_no_sample_account(settings: Any) -> None:
    settings.PRODUCTION = True
    with pytest.raises(CommandError, match="no sample account"):
        call_command("sample_account")
    assert not User.objects.exists()


def test_a_database_without_tables_is_said_in_a_sentence(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "manage.py", "sample_account"],
        cwd=Path(__file__).parents[2],
        env=os.environ | {"ARENA_VAR": str(tmp_path), "DATABASE_URL": "", "DJANGO_SETTINGS_MODULE": "config.settings"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1
    assert ran.stderr.strip() == (
        "CommandError: The database has no tables yet: run `manage.py migrate` first, or start script/server."
    )
