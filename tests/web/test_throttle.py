"""The API's limit holds for the whole site: what one process counted, another knows."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.http import HttpRequest
from pytest_django import Settings

from api.throttle import MinuteThrottle
from tests.services import free_port, redis_server

ROOT = Path(__file__).resolve().parents[2]
ONE_REQUEST = """
from django.http import HttpRequest
from api.throttle import MinuteThrottle

throttle, request = MinuteThrottle(1), HttpRequest()
throttle.timer = lambda: 30.0
request.META["REMOTE_ADDR"] = "192.0.2.1"
print(throttle.allow_request(request))
"""


def test_processes_count_together(tmp_path: Path) -> None:
    environment = {"ARENA_VAR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "config.settings"}
    environment |= {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join((str(ROOT / "platform"), str(ROOT)))}
    answers = [
        subprocess.run(
            [sys.executable, "-c", ONE_REQUEST],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=300,
        ).stdout
        for _ in range(2)
    ]
    assert answers == ["True\n", "False\n"]


def _asks(settings: Settings, url: str, times: int) -> list[bool]:
    """What so many requests at once are told where a hundred a minute may come, counted by that Redis."""
    settings.CACHES = {"requests": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": url}}
    throttle, request = MinuteThrottle(100), HttpRequest()
    throttle.timer = lambda: 30.0
    request.META["REMOTE_ADDR"] = "192.0.2.1"
    with ThreadPoolExecutor(8) as threads:
        return list(threads.map(lambda _: throttle.allow_request(request), range(times)))


@pytest.mark.redis
def test_redis_counts_every_one_of_many_at_once(settings: Settings, tmp_path: Path) -> None:
    with redis_server(tmp_path) as url:
        assert sum(_asks(settings, url, 160)) == 100


def test_without_its_redis_the_site_answers(settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    assert all(_asks(settings, f"redis://127.0.0.1:{free_port()}/0", 3))
    assert "was not counted" in caplog.text
