"""Which driver plays on this machine."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

from sandbox.drivers.base import Driver, DriverUnavailable
from sandbox.drivers.bubblewrap import BubblewrapDriver
from sandbox.drivers.docker import DockerDriver
from sandbox.drivers.process import ProcessDriver

logger = logging.getLogger(__name__)

DRIVERS: Mapping[str, Callable[[], Driver]] = {
    "docker": DockerDriver,
    "bubblewrap": BubblewrapDriver,
    "process": ProcessDriver,
}
"""By name, the best first."""


def choose_driver(preference: str) -> Driver:
    """The driver of that name, or with "auto" the first that proves itself; the last of them takes trusted bots only.

    Raises DriverUnavailable when the named one does not work here, and ValueError for an unknown name.
    """
    if preference != "auto":
        if preference not in DRIVERS:
            raise ValueError(f"There is no sandbox {preference!r}: choose auto, {', '.join(DRIVERS)}.")
        driver = DRIVERS[preference]()
        driver.check()
        return driver
    reasons: list[str] = []
    for make in DRIVERS.values():
        driver = make()
        try:
            driver.check()
        except DriverUnavailable as reason:
            logger.warning("%s", reason)
            reasons.append(str(reason))
        else:
            return driver
    raise DriverUnavailable(" ".join(reasons))
