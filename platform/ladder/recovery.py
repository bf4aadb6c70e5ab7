"""What makes the broker and the workers expendable: matches left behind by them are found in the database.

A worker may be killed at any point and the broker may lose any message; every match is still played and counted once.
What dead workers leave in a sandbox is found by the living ones on their machine (`bots.sandboxes.reap_sometimes`).
"""

from __future__ import annotations

import logging

from ladder import services

logger = logging.getLogger(__name__)


def recover() -> None:
    """Queues matches of dead workers again and repeats lost messages."""
    expired = services.requeue_expired()
    resent = services.resend_overdue()
    if expired or resent:
        logger.warning("Recovery: %s matches of lost workers queued again, %s messages sent again.", expired, resent)
