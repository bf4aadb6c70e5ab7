"""The API's limit holds for the whole site: what one process counted, another knows."""

import os
import subprocess
import sys
from pathlib import Path

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
            [sys.executable, "-c", ONE_REQUEST], env=environment, capture_output=True, text=True, check=True, timeout=60
        ).stdout
        for _ in range(2)
    ]
    assert answers == ["True\n", "False\n"]
