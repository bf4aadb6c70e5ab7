"""What follows from a tournament's results is carried out: matches taken out, people told, the end written down."""

from __future__ import annotations

from arena import tournament as pure
from bots import clock
from ladder import services as ladder
from tournaments import queries
from tournaments.models import Entry, Fixture, Tournament
from tournaments.services import notices

State = Tournament.State


def settle(*, tournament: Tournament) -> tuple[pure.Tournament, list[Fixture]]:
    """Brings a locked tournament in line with its results: matches that nobody asks for any more are taken out, who is
    out is told, and its end and its champion are written down.

    Returns what follows from the results, and the fixtures on the way before they were read.
    """
    # In this order: no lock holds up workers, and a match that finishes in between would else be neither.
    live = queries.live_fixtures(tournament)
    cup = queries.cup(tournament)
    assert cup is not None, "only tournaments with two entries are closed"
    asked = {(match.round, frozenset((match.first, match.second)), match.number) for match in cup.playable}
    drop([one for one in live if queries.slot_of(one) not in asked], why="The tournament does not ask for it any more.")
    notices.tell_who_is_out(tournament, cup)
    if cup.is_over and tournament.state in (State.RUNNING, State.FINISHED):
        if tournament.state == State.RUNNING:
            tournament.state, tournament.finished_at = State.FINISHED, clock.now()
        tournament.champion = None if cup.champion is None else Entry.objects.get(pk=cup.champion)
        tournament.save(update_fields=["state", "finished_at", "champion"])
        notices.tell_who_won(tournament, cup)
    return cup, live


def drop(fixtures: list[Fixture], *, why: str) -> None:
    """Takes live matches out and sets them aside; one that finishes at this very moment counts as if it had before."""
    for fixture in fixtures:
        if ladder.void_match(match_id=fixture.match_id, error=why):
            Fixture.objects.filter(pk=fixture.pk).update(is_set_aside=True)
