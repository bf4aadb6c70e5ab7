"""What a visitor's malformed request leaves in the log."""

import io
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from config.logs import VisitorsAreNoError

pytestmark = pytest.mark.django_db


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What the site's console would show."""
    console: Any = settings.LOGGING
    assert "visitors" in console["handlers"]["console"]["filters"]
    handler = logging.StreamHandler(stream := io.StringIO())
    handler.setFormatter(logging.Formatter(console["formatters"]["line"]["format"], style="{"))
    handler.addFilter(VisitorsAreNoError())
    logging.getLogger().addHandler(handler)
    yield stream
    logging.getLogger().removeHandler(handler)


def test_a_name_that_is_not_ours_is_one_line_of_warning(client: Client, log: io.StringIO) -> None:
    assert client.get("/", headers={"host": "evil.example"}).status_code == 400
    (line,) = log.getvalue().splitlines()
    assert " WARNING django.security.DisallowedHost: " in line
    assert "evil.example" in line


def test_a_form_that_is_too_large_is_one_line_of_warning(client: Client, log: io.StringIO) -> None:
    too_much = {"login": "x" * (settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)}
    assert client.post("/accounts/login/", too_much).status_code == 400
    (line,) = log.getvalue().splitlines()
    assert " WARNING django.security.RequestDataTooBig: " in line


def test_a_failure_of_ours_keeps_its_traceback(log: io.StringIO) -> None:
    try:
        1 // 0  # noqa: B018
    except ZeroDivisionError:
        logging.getLogger("django.request").exception("Internal Server Error: /")
    lines = log.getvalue().splitlines()
    assert " ERROR django.request: Internal Server Error: /" in lines[0]
    assert lines[-1].startswith("ZeroDivisionError")
