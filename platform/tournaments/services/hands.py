"""The most-played hand of each match: which one it is stands in the record, and is looked up once."""

from __future__ import annotations

from arena.record import MatchRecord
from ladder.models import Match
from ladder.replay import damage_noted, match_record
from tournaments.models import Fixture

AT_A_TIME = 100


def note_hands() -> int:
    """Looks at finished fixtures that nobody has looked at, some at a time; returns their number."""
    new = Fixture.objects.filter(most_moves=None, match__state=Match.State.FINISHED).select_related("match__ladder")
    found = list(new.order_by("match")[:AT_A_TIME])
    for fixture in found:
        moves, game, hand, step = _most_played(fixture.match)
        Fixture.objects.filter(pk=fixture.pk).update(most_moves=moves, most_game=game, most_hand=hand, most_step=step)
    return len(found)


def _most_played(match: Match) -> tuple[int, int | None, int | None, int | None]:
    """As `most_played`; no moves where the record cannot be read, which must not hold up the other matches."""
    with damage_noted(match):
        record = match_record(match)
        if record is not None:
            return most_played(record)
    return 0, None, None, None


def most_played(record: MatchRecord) -> tuple[int, int, int, int]:
    """The moves of the match's hand with the most, the first of several; its game and its number there, both from 1,
    and the step of the replay at which it is dealt."""
    found = []
    for game in record.games:
        step = 0
        for number, hand in enumerate(game.hands, start=1):
            found.append((len(hand.times), game.number + 1, number, step))
            step += 1 + len(hand.times)
    return max(found, key=lambda one: one[0], default=(0, 1, 1, 0))
