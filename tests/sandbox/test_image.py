"""The image that bots run in."""

import socket
import time
import uuid
from collections.abc import Iterator
from importlib import metadata

import pytest

from sandbox import image, sources
from sandbox.drivers import docker as docker_driver
from sandbox.drivers.base import DriverUnavailable
from sandbox.drivers.docker import DockerDriver
from sandbox.drivers.engine import engine
from sandbox.selftest import numpy_version
from sandbox.sources import runner_digest, runner_files

pytestmark = pytest.mark.docker


@pytest.fixture
def other_image() -> Iterator[None]:
    """The driver looks its image up anew, within the test and after it."""
    docker_driver._image.cache_clear()
    yield
    docker_driver._image.cache_clear()


def test_what_is_there_is_not_built_again() -> None:
    first = image.ensure_image()
    created = engine().inspect_image(first)["Created"]
    assert image.ensure_image() == first
    assert engine().inspect_image(first)["Created"] == created


def test_any_change_of_the_code_makes_another_image(monkeypatch: pytest.MonkeyPatch) -> None:
    before = runner_digest(b"base")
    assert runner_digest(b"another base") != before
    changed = {**runner_files(), "arena/cards.py": b"pass\n"}
    monkeypatch.setattr(sources, "runner_files", lambda: changed)
    assert runner_digest(b"base") != before


def test_the_image_holds_the_runner_and_nothing_of_the_site() -> None:
    files = runner_files()
    assert "arena/session.py" in files
    assert "sandbox/runner/zygote.py" in files
    assert not any(path.startswith("arena/tournament/") for path in files)
    assert {path.split("/")[0] for path in files} == {"arena", "sandbox"}
    assert {path for path in files if path.startswith("sandbox/")} == {
        path for path in files if path.startswith("sandbox/runner/") or path == "sandbox/__init__.py"
    }


def test_the_image_of_this_machines_own_python_holds_as_well(
    monkeypatch: pytest.MonkeyPatch, other_image: None
) -> None:
    monkeypatch.setenv("SANDBOX_BASE_IMAGE", image.HOST)
    driver = DockerDriver()
    driver.check()
    assert numpy_version(driver) == metadata.version("numpy")


def test_the_image_is_without_numpy_where_that_is_turned_off(
    monkeypatch: pytest.MonkeyPatch, other_image: None
) -> None:
    monkeypatch.setenv("SANDBOX_NUMPY", "0")
    driver = DockerDriver()
    driver.check()
    assert numpy_version(driver) == ""
    monkeypatch.setenv("SANDBOX_NUMPY", "perhaps")
    with pytest.raises(DriverUnavailable, match="SANDBOX_NUMPY is 'perhaps'; it must be 1 or 0"):
        driver.check()


@pytest.mark.parametrize("pin", ["", f"@sha256:{'0' * 64}"])
def test_a_base_that_cannot_be_had_is_named(pin: str) -> None:
    name = f"localhost:9/no-such-image-{uuid.uuid4().hex}{pin}"
    with pytest.raises(DriverUnavailable, match="cannot be pulled: set SANDBOX_BASE_IMAGE") as caught:
        image.ensure_image(name)
    assert name in str(caught.value)


def test_a_registry_that_cannot_be_reached_is_asked_and_told_of_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("SANDBOX_BASE_IMAGE", raising=False)
    monkeypatch.setattr(image, "DEFAULT_BASE", f"localhost:9/no-such-image-{uuid.uuid4().hex}")
    assert image.ensure_image() == image.ensure_image() == image.ensure_image(image.HOST)
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_what_a_newer_image_has_replaced_is_removed_and_nothing_else() -> None:
    class Api:
        """An engine that only lists images and removes them."""

        def __init__(self) -> None:
            self.removed: list[str] = []

        def images(self, filters: dict[str, str]) -> list[dict[str, object]]:
            def listed(name: str, maker: str | None, age: float) -> dict[str, object]:
                labels = {"made-by": maker} if maker else {}
                return {"Id": name, "RepoTags": [name], "Labels": labels, "Created": time.time() - age}

            assert filters == {"label": "image-of=gin-rummy-arena"}
            return [
                listed("new", us, 3600), listed("old", us, 3600), listed("<none>:<none>", us, 5),
                listed("theirs", "them", 3600), listed("ancient", "them", 8 * 24 * 3600),
                listed("base", None, 3600), listed("old base", None, 3600),
            ]  # fmt: skip

        def remove_image(self, ident: str) -> None:
            self.removed.append(ident)

    api, us = Api(), f"{socket.gethostname()}:{sources.ROOT}"
    image._remove_old(api, "new", "base")
    assert api.removed == ["old", "ancient", "old base"]


@pytest.mark.parametrize("base", [None, image.HOST])
def test_a_container_that_builds_the_image_is_not_taken_for_a_box_left_behind(base: str | None) -> None:
    # The engine builds in containers that have the labels of the image and no others.
    ident = engine().create_container(image.ensure_image(base))["Id"]
    try:
        DockerDriver().reap()
        assert engine().containers(all=True, filters={"id": ident})
    finally:
        engine().remove_container(ident, force=True)


def test_an_unknown_runtime_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SANDBOX_DOCKER_RUNTIME", "podman")
    with pytest.raises(DriverUnavailable, match="runc, crun, runsc"):
        DockerDriver().check()


def test_a_missing_engine_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandbox.drivers.engine._clients", {})
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    with pytest.raises(DriverUnavailable, match="No Docker engine answers"):
        DockerDriver().check()
