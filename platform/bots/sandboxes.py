"""The sandbox of this process. Only workers call this; the site goes by their reports (`services.uploads_closed`)."""

import logging
import os
import time
from functools import cache

from django.conf import settings

from bots import services
from sandbox.drivers.base import Driver, DriverUnavailable
from sandbox.pool import WarmPool
from sandbox.select import choose_driver
from sandbox.selftest import numpy_version, read_all_files

REAP_SECONDS = 60.0

logger = logging.getLogger(__name__)
_reaped_at = -REAP_SECONDS  # of this process, on the steady clock


@cache
def get_driver() -> WarmPool:
    """The driver that ARENA_SANDBOX names, checked once in this process, with warm boxes. Raises DriverUnavailable."""
    return WarmPool(choose_driver(settings.ARENA_SANDBOX))


def close_driver() -> None:
    """Destroy the boxes that wait; the driver is chosen anew when it is next wanted."""
    if get_driver.cache_info().currsize:
        get_driver().close()
        get_driver.cache_clear()


def reap_sometimes(driver: Driver) -> None:
    """Remove what dead workers of this machine left behind, at most once in REAP_SECONDS.

    Every process that opens boxes calls this before it opens some: whoever takes a dead worker's place cleans up.
    """
    global _reaped_at  # noqa: PLW0603
    if time.monotonic() - _reaped_at < REAP_SECONDS:
        return
    _reaped_at = time.monotonic()
    try:
        left = driver.reap()
    except DriverUnavailable as unavailable:
        logger.warning("Nothing was reaped: %s", unavailable)
        return
    if left:
        logger.warning("Reaped %s boxes of dead workers.", left)


def take_a_core(number: int) -> None:
    """Keep this process and the boxes it opens on one core, the `number`th in turns.

    A match is a conversation of three processes that take turns: waking another core costs more than the switch.
    """
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[number % len(cores)]})


def report_sandbox() -> str:
    """Check the sandbox again, keep the outcome for the site, and return it as a sentence."""
    # Chosen, and with that checked, anew: an engine may have come or gone.
    close_driver()
    try:
        driver = get_driver()
    except DriverUnavailable as unavailable:
        services.record_sandbox(driver="", runs_uploads=False, message=str(unavailable))
        return f"No sandbox: {unavailable}"
    reap_sometimes(driver)
    if driver.trusted_only:
        message = f"The sandbox {driver.name} is for trusted code only: house bots play and uploads are refused."
        services.record_sandbox(driver=driver.name, runs_uploads=False, message=message)
        return message
    try:
        numpy = numpy_version(driver)
    except DriverUnavailable as unavailable:
        logger.warning("Whether bots may import numpy was not found out: %s", unavailable)
        numpy = ""
    services.record_sandbox(driver=driver.name, runs_uploads=True, numpy=numpy)
    return f"Bots play in the sandbox {driver.name}, {f'with numpy {numpy}' if numpy else 'without numpy'}."


def keep_files_in_memory() -> None:
    """See `sandbox.selftest.read_all_files`."""
    try:
        driver = get_driver()
    except DriverUnavailable:
        return  # `report_sandbox` has said so
    if not driver.trusted_only:
        read_all_files(driver)
