"""Whole matches for the tests of pages, played in this process, stored and rated by the services."""

import dataclasses
from collections.abc import Sequence

from arena import Bot
from arena.bots.random_bot import RandomBot
from arena.bots.simple import Simple
from arena.local import LocalContestant
from arena.record import MatchRecord
from arena.referee import play_match
from arena.rules import RULE_SETS
from arena.view import View
from bots.models import BotVersion
from ladder import services
from ladder.models import Ladder, Match
from tests.web.matches import claimed


class Forgetful(Simple):
    """Prints, then fails in the middle of the first hand."""

    def choose_draw(self, view: View):  # type: ignore[no-untyped-def]
        print("<b>where was I?</b>")
        if view.turns > 2:
            raise KeyError("<i>plan</i>")
        return super().choose_draw(view)


def played(
    ladder: Ladder,
    versions: Sequence[BotVersion],
    minds: Sequence[type[Bot]] = (Simple, RandomBot),
    *,
    decks: int = 1,
) -> Match:
    """A finished rated match between the versions, decided by `minds`; `decks` fixes the cards."""
    match = services.enqueue_match(ladder=ladder, versions=versions)
    claim = dataclasses.replace(claimed(match), seed=decks.to_bytes(32, "big"))
    Match.objects.filter(pk=match.pk).update(seed=claim.seed.hex())
    record = play_match(RULE_SETS[ladder.rule_set], claim.seed, *(LocalContestant(mind) for mind in minds))
    assert services.finish_match(claim=claim, record=record)
    match.refresh_from_db()
    return match


def record_of(match: Match) -> MatchRecord:
    """The stored record, read back."""
    return MatchRecord.from_bytes(bytes(match.record_blob.data))
