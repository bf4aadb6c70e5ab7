"""A worker that dies without a word, and what is done about the boxes it had open."""

import functools
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import docker
import docker.errors
import pytest
import requests

from sandbox.drivers import slot as slots
from sandbox.drivers.base import Driver, DriverUnavailable, Limits
from sandbox.drivers.container import Container
from sandbox.drivers.docker import DockerDriver
from sandbox.drivers.engine import engine
from sandbox.drivers.owner import Owner, is_left_behind
from sandbox.image import ensure_image
from sandbox.labels import APP
from tests.sandbox import residue
from tests.sandbox.conftest import REAL_DRIVERS
from tests.services import PATIENCE, wait_until

ROOT = Path(__file__).parents[2]
WORKER = """
import sys, time
from sandbox.drivers.base import Limits
from sandbox.drivers.owner import Owner
from sandbox.select import DRIVERS
from arena.protocol import encode_request
from tests.sandbox.bots import COMPUTES, loading
box = DRIVERS[sys.argv[1]]().open_box(Limits())
mind = box.new_mind()
mind.send(encode_request(loading(COMPUTES.source)))
print(Owner.me(), flush=True)
time.sleep(600)
"""


def killed_worker(driver: Driver) -> str:
    """The name of a worker that got SIGKILL while a bot of its computed."""
    environment = {**os.environ, "SANDBOX_DOCKER_RUNTIME": driver.runtime if isinstance(driver, DockerDriver) else ""}
    command = [sys.executable, "-c", WORKER, driver.name]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE) as worker:
        assert worker.stdout is not None
        owner = worker.stdout.readline().decode().strip()
        assert owner, "the worker did not come up"
        time.sleep(0.3)
        worker.kill()
    return owner


@pytest.mark.parametrize("driver", REAL_DRIVERS, indirect=True)
def test_what_a_dead_worker_leaves_is_removed(driver: Driver, run_dir: Path) -> None:
    owner = killed_worker(driver)
    living = driver.open_box(Limits())
    try:
        assert driver.reap() >= 1
        assert driver.reap() == 0
        # A living owner's box is left alone.
        living.new_mind()
    finally:
        living.close()
    assert residue.containers_of(owner) == []
    assert residue.of_this_process(run_dir) == []


@pytest.mark.parametrize("driver", REAL_DRIVERS, indirect=True)
def test_a_spinning_bot_does_not_outlive_its_worker(driver: Driver, run_dir: Path) -> None:
    """Even before anybody reaps: the runner ends when its host hangs up, and takes the bot with it."""
    killed_worker(driver)
    deadline = time.monotonic() + PATIENCE
    while any(line.startswith("process") for line in residue.of_this_process(run_dir)):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    driver.reap()


@pytest.mark.docker
@pytest.mark.parametrize(
    "labels",
    [
        # The engine's own containers, as it builds an image, carry that image's labels and no others.
        pytest.param({"app": APP}, id="nobody's"),
        pytest.param({"app": APP, "arena": "/elsewhere", "owner": "dead", "deadline": "1.0"}, id="another arena's"),
    ],
)
def test_a_container_that_is_not_ours_is_not_ours_to_remove(labels: dict[str, str]) -> None:
    api = engine()
    ident = api.create_container(ensure_image(), labels=labels)["Id"]
    try:
        DockerDriver().reap()
        assert api.inspect_container(ident)["Id"] == ident
    finally:
        api.remove_container(ident, force=True)


@pytest.mark.docker
def test_a_box_of_a_dead_arena_is_removed_by_another_once_its_time_is_over() -> None:
    api, me = engine(), Owner.me()
    dead = Owner(me.host, me.boot_id, me.pid_namespace, me.pid, "1")
    _, young, living = boxes = [
        api.create_container(
            ensure_image(),
            labels={"app": APP, "arena": "/elsewhere", "owner": str(owner), "deadline": str(deadline)},
        )["Id"]
        for owner, deadline in ((dead, 1.0), (dead, time.time() + 60), (me, 1.0))
    ]
    try:
        DockerDriver().reap()
        # Another arena on this engine may have come first; the engine is still about it then.
        wait_until(lambda: residue.containers_of(str(dead)) == [young], "the end of the old box")
        assert residue.containers_of(str(me)) == [living]
    finally:
        for ident in boxes:
            Container(api, ident).destroy()


@pytest.mark.docker
def test_an_image_that_somebody_removed_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    names = iter([f"{APP}-sandbox:removed", ensure_image()])
    monkeypatch.setattr("sandbox.drivers.docker._image", functools.cache(lambda: next(names)))
    box = DockerDriver("runc").open_box(Limits())
    assert box.is_alive()
    box.close()


@pytest.mark.docker
def test_a_box_that_ends_while_the_engine_is_away_is_removed_by_its_living_owner(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    driver = DockerDriver("runc")
    first, second, third = (driver.open_box(Limits()) for _ in range(3))
    with monkeypatch.context() as away:
        away.setattr(docker.APIClient, "remove_container", _is_away)
        first.close()
        second.close()
    assert len(residue.containers_of(str(Owner.me()))) == 3
    third.close()
    assert residue.containers_of(str(Owner.me())) == []
    assert driver.reap() == 0


def _is_away(*_: object, **__: object) -> None:
    raise requests.ConnectionError("no engine")


@pytest.mark.parametrize("driver", REAL_DRIVERS, indirect=True)
def test_several_may_reap_at_once(driver: Driver) -> None:
    for _ in range(2):
        killed_worker(driver)
    errors: list[BaseException] = []

    def reap() -> None:
        try:
            driver.reap()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=reap) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert driver.reap() == 0


def test_this_process_is_alive_and_a_dead_one_is_not() -> None:
    assert Owner.me().is_alive() is True
    assert Owner.parse(str(Owner.me())) == Owner.me()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        stat = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        me = Owner.me()
        other = Owner(me.host, me.boot_id, me.pid_namespace, process.pid, stat[19])
        assert other.is_alive() is True
        process.kill()
    assert other.is_alive() is False


def test_a_reused_process_id_is_not_the_owner() -> None:
    me = Owner.me()
    assert Owner(me.host, me.boot_id, me.pid_namespace, me.pid, "1").is_alive() is False


def test_an_owner_before_the_last_boot_is_dead_and_one_elsewhere_is_unknown() -> None:
    me = Owner.me()
    assert Owner(me.host, "another boot", me.pid_namespace, me.pid, me.start).is_alive() is False
    assert Owner("another host", "another boot", me.pid_namespace, me.pid, me.start).is_alive() is None
    assert Owner(me.host, me.boot_id, "another", me.pid, me.start).is_alive() is None


def test_where_the_owner_cannot_be_asked_the_deadline_decides() -> None:
    elsewhere = "another host/another boot/1/2/3"
    assert not is_left_behind(elsewhere, str(time.time() + 60))
    assert is_left_behind(elsewhere, str(time.time() - 60))
    assert is_left_behind("nonsense", str(time.time() - 60))
    assert not is_left_behind(str(Owner.me()), "0")


def test_a_slot_being_made_is_not_reaped(run_dir: Path) -> None:
    half_made = run_dir / "123456"
    half_made.mkdir()
    assert slots.reap_slots() == 0
    os.utime(half_made, (1, 1))
    assert slots.reap_slots() == 1
    assert not half_made.exists()


def test_no_two_slots_are_the_same() -> None:
    taken = [slots.Slot.take(time.time() + 60) for _ in range(20)]
    try:
        assert len({slot.name for slot in taken}) == 20
        if os.geteuid() == 0:
            assert len({slot.uid for slot in taken}) == 20
            assert 0 not in {slot.uid for slot in taken}
    finally:
        for slot in taken:
            slot.remove()


def test_a_run_folder_that_will_not_do_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SANDBOX_RUN_DIR", f"/tmp/{'x' * 100}")
    with pytest.raises(DriverUnavailable, match="too long"):
        slots.run_dir()
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setenv("SANDBOX_RUN_DIR", str(file))
    with pytest.raises(DriverUnavailable, match="SANDBOX_RUN_DIR"):
        slots.run_dir()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a folder of somebody else's")
def test_a_run_folder_of_somebody_else_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    os.chown(folder, 12345, 12345)
    monkeypatch.setenv("SANDBOX_RUN_DIR", str(folder))
    with pytest.raises(DriverUnavailable, match="somebody else"):
        slots.run_dir()


def test_a_listener_takes_one_connection_of_the_boxs_user() -> None:
    slot = slots.Slot.take(time.time() + 60)
    try:
        with slot.listen("control") as listener:
            path = slot.sockets / "control"
            found = path.stat()
            assert found.st_mode & 0o777 == 0o600
            assert found.st_uid == slot.uid
            assert listener.accept(0.01) is None
        assert not path.exists()
    finally:
        slot.remove()
