"""A real Chromium before the live site. Every page a test opens is watched: an error on the console, a request to
another origin or an answer in the five hundreds fails the test."""

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright
from pytest_django.live_server_helper import LiveServer

from tests import parts
from tests.e2e.visitors import PATIENCE, WIDE, Visitor, visitor_of

expect.set_options(timeout=PATIENCE)

FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-gpu"]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, for the tests marked `browser`."""
    # Playwright runs an event loop in this thread, and Django would take every query of a test for one inside it.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=parts.chromium(), args=FLAGS)
        yield chromium
        chromium.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture
def visitor(browser: Browser, live_server: LiveServer) -> Iterator[Visitor]:
    """A visitor at a wide window."""
    with browser.new_context(viewport={"width": WIDE[0], "height": WIDE[1]}) as context:
        someone = visitor_of(context, live_server.url)
        yield someone
        assert someone.complaints == []
