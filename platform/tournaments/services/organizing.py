"""What organizers do to a tournament under way. Nothing is lost by any of it: what was played is set aside at most."""

from __future__ import annotations

from django.db import transaction

from bots.refusals import Refusal
from ladder.models import Match
from tournaments import queries
from tournaments.models import Fixture, Notice, Tournament
from tournaments.services import notices
from tournaments.services.locks import locked, require
from tournaments.services.settling import drop, settle

State = Tournament.State


def pause(*, tournament: Tournament, note: str = "") -> None:
    """Queues nothing more and takes back what waits; matches that are being played finish and count. Raises Refusal."""
    with transaction.atomic():
        found = locked(tournament.pk)
        require(found, [State.RUNNING], "paused")
        waiting = [one for one in queries.live_fixtures(found) if one.match.state == Match.State.QUEUED]
        drop(waiting, why="The tournament is paused.")
        Tournament.objects.filter(pk=found.pk).update(state=State.PAUSED, note=note[:300])


def resume(*, tournament: Tournament) -> None:
    """Goes on where it was paused. Raises Refusal."""
    with transaction.atomic():
        found = locked(tournament.pk)
        require(found, [State.PAUSED], "resumed")
        Tournament.objects.filter(pk=found.pk).update(state=State.RUNNING, note="")


def cancel(*, tournament: Tournament, note: str = "") -> None:
    """Ends it without a champion; its results stay to be read. Entrants are told. Raises Refusal."""
    with transaction.atomic():
        found = locked(tournament.pk)
        require(found, [State.DRAFT, State.OPEN, State.CLOSED, State.RUNNING, State.PAUSED], "cancelled")
        drop(queries.live_fixtures(found), why="The tournament is cancelled.")
        Tournament.objects.filter(pk=found.pk).update(state=State.CANCELLED, note=note[:300])
        text = f"Cancelled. {note}".strip()
        owners = found.entries.values_list("bot__owner", flat=True)
        notices.tell(found, Notice.Kind.CHANGED, [(owner, "cancelled", text) for owner in owners])


def redo_round(*, tournament: Tournament, number: int) -> int:
    """Has a round played again, and what was paired on it; returns the number of matches set aside. Raises Refusal.

    A finished tournament runs again.
    """
    with transaction.atomic():
        found = locked(tournament.pk)
        require(found, [State.RUNNING, State.PAUSED, State.FINISHED], "played again now")
        cup = queries.cup(found)
        if cup is None or not 1 <= number <= len(cup.rounds):
            raise Refusal("no_such_round", f"There is no round {number}.", field="round")
        kept = {result.key for result in cup.redo(number).results}
        gone = {result.key for result in cup.results} - kept
        live = queries.live_fixtures(found)
        drop([one for one in live if one.round >= number], why=f"Round {number} is played again.")
        played = Fixture.objects.filter(tournament=found, is_set_aside=False)
        old = [one.pk for one in played if queries.slot_of(one) in gone]
        Fixture.objects.filter(pk__in=old).update(is_set_aside=True)
        if found.state == State.FINISHED:
            found.state, found.finished_at, found.champion = State.RUNNING, None, None
            found.save(update_fields=["state", "finished_at", "champion"])
        settle(tournament=found)
    return len(old)
