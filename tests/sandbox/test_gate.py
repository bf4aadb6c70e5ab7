"""The door in front of the engine: boxes pass, and nothing else does."""

import copy
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import docker
import docker.errors
import pytest

from arena.bot import GameEnding
from arena.local import UploadContestant
from arena.referee import play_game
from arena.rules import CLASSIC
from sandbox.drivers import docker as docker_driver
from sandbox.drivers.base import Limits
from sandbox.drivers.docker import container_config, labels_of
from sandbox.drivers.engine import engine
from sandbox.drivers.owner import Owner
from sandbox.drivers.slot import Slot
from sandbox.gate import Gate, RefusedError, check
from sandbox.image import ensure_image
from sandbox.labels import APP
from sandbox.player import SandboxContestant
from tests.sandbox.conftest import checked_driver
from tests.sandbox.test_numpy import PLAIN

pytestmark = pytest.mark.docker


@pytest.fixture
def address(run_dir: Path) -> Iterator[str]:
    """Where a gate listens."""
    path = run_dir / "engine.sock"
    with Gate(path) as gate:
        thread = threading.Thread(target=gate.serve_forever)
        thread.start()
        yield f"unix://{path}"
        gate.shutdown()
        thread.join()
    path.unlink()


@pytest.fixture
def box(run_dir: Path) -> dict[str, Any]:
    """What the engine is asked for by a worker that is root."""
    slot = Slot(run_dir / "200001", 200_001, 200_001)
    config = container_config(engine(), ensure_image(), slot, Limits(), "runc", labels_of(slot, Owner.me(), 1.0))
    return {key: value for key, value in json.loads(json.dumps(config)).items() if value is not None}


def test_a_game_is_played_through_it(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    driver = checked_driver("docker")
    behind = docker.APIClient(base_url=address, version="auto")
    monkeypatch.setattr(docker_driver, "engine", lambda: behind)
    contestant = SandboxContestant(driver, PLAIN)
    try:
        game = play_game(
            CLASSIC.replace(target=1), b"the decks of the gate", (contestant, UploadContestant(PLAIN.files, "bot.py"))
        )
    finally:
        contestant.close()
    assert game.faults == ()
    assert game.ending is GameEnding.TARGET
    driver.reap()
    behind.close()


def test_a_box_passes(box: dict[str, Any]) -> None:
    box["HostConfig"].update(CpusetCpus="0", Memory=2**26, MemorySwap=2**26, PidsLimit=4)
    target, body = check("POST", "/v1.41/containers/create", json.dumps(box).encode())
    assert target == "/v1.41/containers/create"
    assert json.loads(body) == box


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda box: box["HostConfig"].update(Privileged=True), id="privileged"),
        pytest.param(lambda box: box["HostConfig"].update(Binds=["/:/host"]), id="the host's root"),
        pytest.param(lambda box: box["HostConfig"]["Binds"].append("/etc:/etc2:ro"), id="one more folder"),
        pytest.param(lambda box: box["HostConfig"].update(PidMode="host"), id="the host's processes"),
        pytest.param(lambda box: box["HostConfig"].update(NetworkMode="host"), id="the network"),
        pytest.param(lambda box: box["HostConfig"].update(CapAdd=["SYS_ADMIN"]), id="a capability"),
        pytest.param(lambda box: box["HostConfig"].update(SecurityOpt=["seccomp=unconfined"]), id="no filter"),
        pytest.param(lambda box: box["HostConfig"].update(Memory=2**40), id="more memory"),
        pytest.param(lambda box: box["HostConfig"].update(PidsLimit=1000), id="more processes"),
        pytest.param(lambda box: box["HostConfig"].update(PidsLimit=-1), id="any number of processes"),
        pytest.param(lambda box: box["HostConfig"].update(Runtime="other"), id="another runtime"),
        pytest.param(lambda box: box["HostConfig"].pop("CapDrop"), id="capabilities kept"),
        pytest.param(lambda box: box["HostConfig"].update(CpusetCpus=[]), id="cores that are no text"),
        pytest.param(lambda box: box.update(hostconfig={"Privileged": True}), id="a key in another case"),
        pytest.param(lambda box: box.update(hostconfig=None), id="no settings in another case"),
        pytest.param(lambda box: box.update(Cmd=["0", "0"]), id="root"),
        pytest.param(lambda box: box.update(Image="postgres:17-bookworm"), id="another image"),
        pytest.param(lambda box: box.update(Entrypoint=["sh"]), id="another program"),
        pytest.param(lambda box: box["Labels"].update(slot="../x"), id="a slot elsewhere"),
        pytest.param(lambda box: box["Labels"].update(slot="0"), id="a slot of root's"),
        pytest.param(lambda box: box["Labels"].update(arena="/elsewhere"), id="another arena"),
        pytest.param(lambda box: box.pop("HostConfig"), id="no settings"),
    ],
)
def test_no_other_container_is_made(box: dict[str, Any], change: Callable[[dict[str, Any]], object]) -> None:
    asked = copy.deepcopy(box)
    change(asked)
    assert asked != box
    with pytest.raises(RefusedError):
        check("POST", "/v1.41/containers/create", json.dumps(asked).encode())


def test_a_key_that_comes_twice_reaches_the_engine_once(box: dict[str, Any]) -> None:
    twice = json.dumps(box).replace('"HostConfig":', '"HostConfig": {"Privileged": true}, "HostConfig":', 1)
    _, body = check("POST", "/v1.41/containers/create", twice.encode())
    assert b"Privileged" not in body


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1.41/build"),
        ("POST", "/v1.41/images/create?fromImage=busybox"),
        ("DELETE", "/v1.41/images/postgres"),
        ("POST", "/v1.41/containers/0123456789ab/exec"),
        ("POST", "/v1.41/containers/0123456789ab/kill"),
        ("PUT", "/v1.41/containers/0123456789ab/archive?path=/"),
        ("GET", "/v1.41/containers/json"),
        ("GET", "/v1.41/containers/json?filters=%7B%7D"),
        ("GET", f"/v1.41/containers/json?filters=%7B%22label%22%3A%5B%22app%3D{APP}%22%5D%7D"),
        ("GET", "/v1.41/images/../containers/0123456789ab/json"),
        ("GET", "/v1.41/volumes"),
        ("GET", "/v1.41/secrets"),
        ("POST", "/v1.41/containers/create?name=postgres"),
    ],
)
def test_nothing_else_is_asked(method: str, path: str) -> None:
    with pytest.raises(RefusedError):
        check(method, path, b"{}" if method == "POST" else b"")


def test_other_containers_are_left_alone(address: str) -> None:
    ident = engine().create_container(ensure_image())["Id"]
    behind = docker.APIClient(base_url=address, version="auto")
    try:
        for action in (behind.start, behind.inspect_container, behind.remove_container):
            with pytest.raises(docker.errors.APIError, match="This container is not a box"):
                action(ident)
        assert engine().inspect_container(ident)["State"]["Status"] == "created"
    finally:
        behind.close()
        engine().remove_container(ident)
