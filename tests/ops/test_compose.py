"""docker-compose.yml for real: the site, its workers and their sandbox in containers, as docs/deploy says."""

import http.cookiejar
import json
import os
import re
import secrets
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests import parts
from tests.conftest import CI
from tests.sandbox.faulty import PLAYS
from tests.services import free_port, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.docker, pytest.mark.compose]
ROOT = Path(__file__).resolve().parents[2]
IMAGES = {
    "ARENA_BASE_IMAGE": "python:3.11-slim-bookworm",
    "SANDBOX_BASE_IMAGE": "python:3.11-slim-bookworm",
    "POSTGRES_IMAGE": "postgres:17-bookworm",
    "REDIS_IMAGE": "redis:7-bookworm",
}
"""What the file builds on and runs, unless the environment names others."""
BUILD_SECONDS = 1800
PATIENCE = 600


@dataclass(frozen=True)
class Deployment:
    """The services of the file, and the port of the site."""

    project: str
    port: int
    environment: dict[str, str]

    def compose(self, *arguments: str) -> str:
        """What the command prints. Raises CalledProcessError."""
        command = [*(parts.compose() or ()), "--project-name", self.project, *arguments]
        run = subprocess.run(
            command, cwd=ROOT, env=self.environment, check=False, capture_output=True, text=True, timeout=BUILD_SECONDS
        )
        assert run.returncode == 0, f"{command}: {run.stdout[-3000:]}{run.stderr[-3000:]}"
        return run.stdout

    def containers(self, *filters: str) -> list[str]:
        """The ids of containers of the engine, ended ones too."""
        chosen = [word for some in filters for word in ("--filter", some)]
        command = ["docker", "ps", "--all", "--quiet", *chosen]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout.split()

    def boxes(self) -> list[str]:
        """Those that bots are played in."""
        return self.containers(f"label=arena={self.environment['SANDBOX_RUN_DIR']}")

    def exit_status(self, service: str) -> int:
        """Of the service's one container, which has ended."""
        (ident,) = self.compose("ps", "--quiet", service).split()
        command = ["docker", "inspect", "--format", "{{.State.Running}} {{.State.ExitCode}}", ident]
        told = subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout.split()
        assert told[0] == "false"
        return int(told[1])


class Visitor:
    """A browser without a screen, behind a proxy that speaks TLS."""

    def __init__(self, port: int) -> None:
        self.site = f"http://localhost:{port}"
        policy = http.cookiejar.DefaultCookiePolicy(secure_protocols=("http", "https"))
        cookies = http.cookiejar.CookieJar(policy)
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(cookies))
        self._opener.addheaders = [("X-Forwarded-Proto", "https"), ("Origin", f"https://localhost:{port}")]

    def get(self, path: str) -> str:
        """The page."""
        return self._read(urllib.request.Request(self.site + path))[1]

    def post(self, path: str, to: str = "", **fields: str) -> str:
        """The path that a form on that page leads to; it is posted there, or to `to` below it."""
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', self.get(path))
        assert token is not None
        form = urllib.parse.urlencode({"csrfmiddlewaretoken": token[1]} | fields).encode()
        return self._read(urllib.request.Request(f"{self.site}{path}{to}", form))[0]

    def api(self, path: str) -> Any:
        """What the web API says."""
        return json.loads(self.get(f"/api/v1/{path}"))

    def _read(self, request: urllib.request.Request) -> tuple[str, str]:
        try:
            with self._opener.open(request, timeout=PATIENCE) as reply:
                return urllib.parse.urlsplit(reply.url).path, reply.read().decode()
        except urllib.error.HTTPError as error:
            pytest.fail(f"{request.full_url}: {error.code} {error.read().decode()[:2000]}")


@pytest.fixture(scope="module")
def deployment() -> Iterator[Deployment]:
    chosen = {name: os.environ.get(name) or image for name, image in IMAGES.items()}
    for name, image in chosen.items():
        have_image(name, image)
    project = f"arena{secrets.token_hex(4)}"
    folder = Path(tempfile.mkdtemp(prefix="arena-", dir="/run" if os.access("/run", os.W_OK) else "/tmp"))
    folder.chmod(0o755)
    port = free_port()
    wanted = {"PATH", "HOME", "DOCKER_HOST"}
    environment = {name: value for name, value in os.environ.items() if name in wanted}
    environment |= chosen | {
        "SECRET_KEY": secrets.token_urlsafe(50),
        "POSTGRES_PASSWORD": secrets.token_hex(24),
        "ALLOWED_HOSTS": "localhost",
        "PORT": str(port),
        "ARENA_IMAGE": project,
        "SANDBOX_RUN_DIR": str(folder),
        "DOCKER_SOCKET": os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock").removeprefix("unix://"),
        "COMPOSE_HTTP_TIMEOUT": str(PATIENCE),
        "WORKER_CONCURRENCY": "1",
        "WEB_WORKERS": "1",
    }
    deployment = Deployment(project, port, environment)
    try:
        deployment.compose("up", "--detach", "--build")
        yield deployment
    finally:
        deployment.compose("down", "--volumes", "--timeout", "60")
        subprocess.run(["docker", "image", "rm", "--force", project], check=True, capture_output=True, timeout=PATIENCE)
        shutil.rmtree(folder)


def have_image(name: str, image: str) -> None:
    """Pull the image where it is missing. Where that cannot be done the test ends: as a skip, in CI as a failure."""
    found = subprocess.run(["docker", "image", "inspect", image], check=False, capture_output=True, timeout=PATIENCE)
    if found.returncode == 0:
        return
    pulled = subprocess.run(["docker", "pull", image], check=False, capture_output=True, timeout=BUILD_SECONDS)
    if pulled.returncode:
        missing = f"The image {image} cannot be pulled: set {name} to one that does what it does."
        pytest.fail(missing, pytrace=False) if CI else pytest.skip(missing)


@pytest.fixture(scope="module")
def visitor(deployment: Deployment) -> Visitor:
    visitor = Visitor(deployment.port)

    def answers() -> bool:
        try:
            return visitor.get("/healthz").startswith("ok")
        except OSError:
            return False

    wait_until(answers, "the site", PATIENCE)
    return visitor


def finished(visitor: Visitor, query: str = "") -> list[Any]:
    """The rated matches that are over, the newest first."""
    time.sleep(0.5)  # the API answers so many requests a minute
    matches = visitor.api(f"matches?limit=50{query}")["matches"]
    return [match for match in matches if match["state"] == "finished" and match["is_rated"]]


def test_house_bots_play_and_their_ratings_are_right(deployment: Deployment, visitor: Visitor) -> None:
    wait_until(lambda: len(finished(visitor)) >= 2, "two rated matches", PATIENCE)
    assert "game 2 · Gin Rummy Arena</title>" in visitor.get(f"/matches/{finished(visitor)[0]['id']}/games/2/")
    told = deployment.compose("exec", "-T", "web", "python3", "manage.py", "ladder", "verify")
    assert told == "classic: every rating and tally is the fold of its matches.\n"


def test_an_upload_is_checked_and_plays(visitor: Visitor) -> None:
    password = secrets.token_urlsafe(12)
    visitor.post("/accounts/signup/", username="ada", password1=password, password2=password)
    path = visitor.post("/bots/new/write/", name="Gin Fizz", code=PLAYS, note="")
    assert path == "/bots/gin-fizz/versions/1/"
    wait_until(lambda: bool(finished(visitor, "&bot=gin-fizz")), "its first match", PATIENCE)
    assert visitor.api("bots/gin-fizz")["ratings"]


def test_a_bot_plays_a_person(visitor: Visitor) -> None:
    table = visitor.post("/play/", bot="simple", rules="classic", length="hand")

    def state() -> Any:
        time.sleep(0.5)
        return json.loads(visitor.get(f"{table}state.json"))

    at_first = state()
    passed = at_first["is_mine"] and at_first["moves"] == 0
    if passed:
        visitor.post(table, "act/", action="p", at="0")
    wait_until(lambda: state()["moves"] > passed, "the bot's move", PATIENCE)


def test_workers_that_are_told_to_stop_end_well_and_leave_no_sandbox(deployment: Deployment, visitor: Visitor) -> None:
    wait_until(lambda: bool(deployment.boxes()), "a sandbox", PATIENCE)
    deployment.compose("stop", "--timeout", str(PATIENCE), "worker", "validator", "tables")
    assert {deployment.exit_status(service) for service in ("worker", "validator", "tables")} == {0}
    assert deployment.boxes() == []
