"""The lock that every write to a tournament holds, and the refusal of what its state does not allow."""

from __future__ import annotations

from collections.abc import Collection

from bots.refusals import Refusal
from tournaments.models import Tournament


def locked(tournament_id: int) -> Tournament:
    """The tournament under its row lock; inside a transaction."""
    return Tournament.objects.select_for_update(no_key=True).get(pk=tournament_id)


def require(tournament: Tournament, states: Collection[str], what: str) -> None:
    """Raises Refusal unless the tournament is in one of the states; `what` completes "... cannot be"."""
    if tournament.state not in states:
        raise Refusal("wrong_state", f"{tournament} is {tournament.get_state_display().lower()} and cannot be {what}.")
