"""What makes the broker and the workers expendable: matches left behind by them are found in the database.

A worker may be killed at any point and the broker may lose any message; every match is still played and counted once.
"""

from __future__ import annotations

import logging

from bots import sandboxes
from ladder import services
from sandbox.drivers.base import DriverUnavailable

logger = logging.getLogger(__name__)


def recover() -> None:
    """Queues matches of dead workers again, repeats lost messages, removes what dead workers left in the sandbox."""
    expired = services.requeue_expired()
    resent = services.resend_overdue()
    if expired or resent:
        logger.warning("Recovery: %s matches of lost workers queued again, %s messages sent again.", expired, resent)
    reap()


def reap() -> int:
    """Removes containers and folders whose owner is dead; returns their number, 0 where there is no sandbox."""
    try:
        return sandboxes.get_driver().reap()
    except DriverUnavailable as unavailable:
        logger.warning("Nothing to reap: %s", unavailable)
        return 0
