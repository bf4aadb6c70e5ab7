"""A real Chromium before the live site. Every page a test opens is watched: an error on the console, a request to
another origin or an answer in the five hundreds fails the test."""

import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright
from pytest_django.live_server_helper import LiveServer

from tests import parts
from tests.e2e import deaf
from tests.e2e.visitors import PATIENCE, WIDE, Visitor, visitor_of

expect.set_options(timeout=PATIENCE)

FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-gpu"]


@pytest.fixture(scope="session")
def deaf_chromium(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that starts Chromium so that containers beside the tests do not disturb it."""
    command = [sys.executable, deaf.__file__, parts.chromium() or ""]
    program = Path(tmp_path_factory.mktemp("chromium")) / "chromium"
    program.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')
    program.chmod(0o755)
    return program


@pytest.fixture(scope="session")
def browser(deaf_chromium: Path) -> Iterator[Browser]:
    """Chromium, for the tests marked `browser`."""
    # Playwright runs an event loop in this thread, and Django would take every query of a test for one inside it.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=deaf_chromium, args=FLAGS)
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
