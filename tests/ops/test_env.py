"""The environment helpers: a value, a default, or a sentence that names the variable."""

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import env

NAME = "ARENA_TEST_VARIABLE"


@pytest.fixture
def value(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    monkeypatch.setenv(NAME, request.param)


def refusal(error: pytest.ExceptionInfo[ImproperlyConfigured]) -> str:
    sentence = str(error.value)
    assert NAME in sentence
    assert sentence.endswith((".", "'"))
    return sentence


def test_a_missing_variable_without_default_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(NAME, raising=False)
    for helper in (env.text, env.secret, env.names):
        with pytest.raises(ImproperlyConfigured) as error:
            helper(NAME)
        assert "is not set" in refusal(error)


@pytest.mark.parametrize("value", ["", "   "], indirect=True)
@pytest.mark.usefixtures("value")
def test_an_empty_variable_counts_as_missing() -> None:
    with pytest.raises(ImproperlyConfigured) as error:
        env.text(NAME)
    assert "is not set" in refusal(error)
    assert env.text(NAME, "fallback") == "fallback"
    assert env.flag(NAME, default=True) is True
    assert env.number(NAME, 7) == 7
    assert env.redis_url(NAME) is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [("1", True), ("true", True), ("YES", True), ("on", True), ("0", False), ("False", False), ("no", False)],
    indirect=["value"],
)
@pytest.mark.usefixtures("value")
def test_a_flag_reads_yes_and_no(expected: bool) -> None:
    assert env.flag(NAME, default=not expected) is expected


@pytest.mark.parametrize("value", ["2", "ja", "truee"], indirect=True)
@pytest.mark.usefixtures("value")
def test_a_malformed_flag_is_refused() -> None:
    with pytest.raises(ImproperlyConfigured) as error:
        env.flag(NAME, default=False)
    refusal(error)


@pytest.mark.parametrize("value", ["1.5", "ten", "1e3", "-1", "2"], indirect=True)
@pytest.mark.usefixtures("value")
def test_a_number_that_is_malformed_or_too_small_is_refused() -> None:
    with pytest.raises(ImproperlyConfigured) as error:
        env.number(NAME, 10, least=3)
    refusal(error)


@pytest.mark.parametrize("value", ["65536", "9" * 20], indirect=True)
@pytest.mark.usefixtures("value")
def test_a_number_that_is_too_large_is_refused() -> None:
    with pytest.raises(ImproperlyConfigured) as error:
        env.number(NAME, 10, most=65535)
    refusal(error)


@pytest.mark.parametrize(
    "value", ["https://a.example", "a.example:80", "a.example/arena", "a.example b"], indirect=True
)
@pytest.mark.usefixtures("value")
def test_an_address_is_no_name_of_a_host() -> None:
    with pytest.raises(ImproperlyConfigured) as error:
        env.hosts(NAME)
    refusal(error)


@pytest.mark.parametrize("value", ["a.example,.b.example,10.0.0.1,[::1],*,web_1"], indirect=True)
@pytest.mark.usefixtures("value")
def test_names_and_numbers_of_hosts_are_read() -> None:
    assert env.hosts(NAME) == ["a.example", ".b.example", "10.0.0.1", "[::1]", "*", "web_1"]


@pytest.mark.parametrize("value", ["operator", "a@b.example, operator"], indirect=True)
@pytest.mark.usefixtures("value")
def test_who_cannot_be_written_to_is_refused() -> None:
    with pytest.raises(ImproperlyConfigured) as error:
        env.addresses(NAME)
    refusal(error)


@pytest.mark.parametrize("value", ["3"], indirect=True)
@pytest.mark.usefixtures("value")
def test_the_least_number_is_accepted() -> None:
    assert env.number(NAME, 10, least=3) == 3


@pytest.mark.parametrize("value", [" a.example , b.example,"], indirect=True)
@pytest.mark.usefixtures("value")
def test_names_are_split_at_commas() -> None:
    assert env.names(NAME) == ["a.example", "b.example"]


@pytest.mark.parametrize("value", [" , ,"], indirect=True)
@pytest.mark.usefixtures("value")
def test_a_list_of_commas_holds_no_name() -> None:
    with pytest.raises(ImproperlyConfigured) as error:
        env.names(NAME)
    refusal(error)


@pytest.mark.parametrize("value", ["changeme"], indirect=True)
@pytest.mark.usefixtures("value")
def test_a_short_secret_is_refused_without_showing_it() -> None:
    with pytest.raises(ImproperlyConfigured) as error:
        env.secret(NAME)
    assert "changeme" not in refusal(error)


@pytest.mark.parametrize("value", ["docker", "magic"], indirect=True)
@pytest.mark.usefixtures("value")
def test_a_choice_outside_the_list_is_refused_with_the_list(request: pytest.FixtureRequest) -> None:
    if "docker" in request.node.name:
        assert env.choice(NAME, "bubblewrap", ("docker", "bubblewrap")) == "docker"
        return
    with pytest.raises(ImproperlyConfigured) as error:
        env.choice(NAME, "bubblewrap", ("docker", "bubblewrap"))
    assert "docker, bubblewrap" in refusal(error)


def test_without_a_url_the_database_is_sqlite_in_wal_with_immediate_transactions(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv(NAME, raising=False)
    settings = env.database(NAME, sqlite_file=tmp_path / "a.sqlite3")
    assert settings["ENGINE"] == "django.db.backends.sqlite3"
    assert settings["NAME"] == tmp_path / "a.sqlite3"
    assert settings["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert "journal_mode=WAL" in settings["OPTIONS"]["init_command"]


@pytest.mark.parametrize("value", ["postgresql://us%40er:p%2Fw@db.example:6543/arena"], indirect=True)
@pytest.mark.usefixtures("value")
def test_a_postgresql_url_is_read_with_its_escapes(tmp_path: Path) -> None:
    settings = env.database(NAME, sqlite_file=tmp_path)
    found = {key: settings[key] for key in ("ENGINE", "NAME", "USER", "PASSWORD", "HOST", "PORT")}
    assert found == {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "arena",
        "USER": "us@er",
        "PASSWORD": "p/w",
        "HOST": "db.example",
        "PORT": "6543",
    }


@pytest.mark.parametrize(
    "value",
    ["mysql://u:secret@h/d", "postgresql://u:secret@h", "postgresql://u:secret@h:port/d", "secret"],
    indirect=True,
)
@pytest.mark.usefixtures("value")
def test_a_malformed_database_url_is_refused_without_showing_its_password(tmp_path: Path) -> None:
    with pytest.raises(ImproperlyConfigured) as error:
        env.database(NAME, sqlite_file=tmp_path)
    assert "secret" not in refusal(error)


@pytest.mark.parametrize("value", ["redis://127.0.0.1:6379/1", "rediss://cache.example"], indirect=True)
@pytest.mark.usefixtures("value")
def test_a_redis_url_passes(request: pytest.FixtureRequest) -> None:
    assert env.redis_url(NAME) == request.node.callspec.params["value"]


@pytest.mark.parametrize("value", ["127.0.0.1:6379", "http://h", "redis://", "redis://h:port"], indirect=True)
@pytest.mark.usefixtures("value")
def test_a_malformed_redis_url_is_refused() -> None:
    with pytest.raises(ImproperlyConfigured) as error:
        env.redis_url(NAME)
    refusal(error)


@pytest.mark.parametrize("value", ["https://arena.example", "http://127.0.0.1:9000/"], indirect=True)
@pytest.mark.usefixtures("value")
def test_the_sites_address_is_read_without_a_slash_at_its_end(request: pytest.FixtureRequest) -> None:
    assert env.site_address(NAME, "http://a.example") == request.node.callspec.params["value"].rstrip("/")


@pytest.mark.parametrize(
    "value",
    ["arena.example", "ftp://h", "https://h:port", "https://u:pw@h", "https://h/path", "https://h/?a"],
    indirect=True,
)
@pytest.mark.usefixtures("value")
def test_a_malformed_address_of_the_site_is_refused() -> None:
    with pytest.raises(ImproperlyConfigured) as error:
        env.site_address(NAME, "http://a.example")
    refusal(error)
