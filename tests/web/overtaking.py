"""Two writers at the same moment, the second of which begins just when the first has looked and is about to write."""

import threading
from collections.abc import Callable
from typing import Any

from django.db import connection

from bots.refusals import Refusal

HEAD_START = 0.3
"""Seconds that the second one has. Who needs a lock that the first one holds is not done in any time."""


def overtaken(first: Callable[[], Any], second: Callable[[], Any], *, before: str) -> list[Any]:
    """What the two returned, or the code of their refusal; the test needs real transactions.

    `second` begins on a connection of its own when `first` is about to send a statement that starts with `before`.
    """
    outcomes: list[Any] = [None, None]

    def run() -> None:
        try:
            outcomes[1] = _outcome(second)
        finally:
            connection.close()

    rival = threading.Thread(target=run)

    def watched(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if sql.startswith(before) and rival.ident is None:
            rival.start()
            rival.join(HEAD_START)
        return execute(sql, *rest)

    with connection.execute_wrapper(watched):
        outcomes[0] = _outcome(first)
    assert rival.ident is not None, f"Nothing was sent that starts with {before}."
    rival.join(300)
    return outcomes


def _outcome(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except Refusal as refusal:
        return refusal.code
