"""What an account may do so often in a day, and the sentence that says what the limit is and when it lifts."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from bots.refusals import Refusal

DAY = timedelta(days=1)


def check_day(*, times: Sequence[datetime], cap: int, now: datetime, code: str, done: str) -> None:
    """Raises Refusal when `times`, those of the last 24 hours with the newest first, are as many as `cap` allows.

    `done` completes "You have ..." and has a place for their number: "made {} uploads".
    """
    if len(times) < cap:
        return
    said = f"You have {done.format(len(times))} in the last 24 hours; the limit is {cap}."
    if cap == 0:
        raise Refusal(code, said)
    # A minute is added, for the moment that is named is rounded down.
    free_at = times[cap - 1] + DAY + timedelta(minutes=1)
    tomorrow = " tomorrow" if free_at.date() > now.date() else ""
    raise Refusal(code, f"{said} The next one is possible at {free_at:%H:%M} UTC{tomorrow}.")
