"""Which driver is chosen, and what is said when none will do."""

from collections.abc import Callable

import pytest

from sandbox import select
from sandbox.drivers.base import Driver, DriverUnavailable
from sandbox.drivers.scripted import ScriptedDriver


class Works(ScriptedDriver):
    def __init__(self) -> None:
        super().__init__(lambda: ())


class Fails(Works):
    def check(self) -> None:
        raise DriverUnavailable("It is not here: get one.")


def offer(monkeypatch: pytest.MonkeyPatch, **drivers: Callable[[], Driver]) -> None:
    monkeypatch.setattr(select, "DRIVERS", drivers)


def test_auto_takes_the_first_that_proves_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    class Second(Works):
        name = "second"

    offer(monkeypatch, first=Fails, second=Second, third=Works)
    assert select.choose_driver("auto").name == "second"


def test_a_named_driver_is_never_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, first=Fails, second=Works)
    with pytest.raises(DriverUnavailable, match="get one"):
        select.choose_driver("first")
    assert isinstance(select.choose_driver("second"), Works)


def test_where_none_works_every_reason_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, first=Fails, second=Fails)
    with pytest.raises(DriverUnavailable, match=r"get one\. It is not here"):
        select.choose_driver("auto")


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="auto, docker, bubblewrap, process"):
        select.choose_driver("podman")


def test_the_strongest_comes_first() -> None:
    assert list(select.DRIVERS) == ["docker", "bubblewrap", "process"]
    assert [make().trusted_only for make in select.DRIVERS.values()] == [False, False, True]
