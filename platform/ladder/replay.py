"""A finished match's record, as the replay page needs it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from arena.decisions import Decision, decision_at
from arena.record import GameRecord, MatchRecord, RecordError
from arena.referee import bot_seed
from arena.rules import RULE_SETS, Rules
from arena.steps import steps, story
from ladder.models import Match, MatchRecordBlob

PAIR = 2
"""Games of a match."""

logger = logging.getLogger(__name__)


def match_record(match: Match) -> MatchRecord | None:
    """The move log of a finished match; None for any other, so that nothing of a running one leaks.

    Raises RecordError as `read_record` does; a page leaves it to `api.problems.damaged_record`.
    """
    if match.state != Match.State.FINISHED:
        return None
    blob = MatchRecordBlob.objects.filter(match=match).first()
    if blob is None:
        raise RecordError("There is none.")
    return read_record(bytes(blob.data), seed=match.seed, rules=RULE_SETS.get(match.ladder.rule_set), games=PAIR)


def read_record(data: bytes, *, seed: str, rules: Rules | None, games: int) -> MatchRecord:
    """A stored record. Raises RecordError when it is none, or of other decks, rules or games than it should be.

    Whether its moves can be played again shows only when they are.
    """
    record = MatchRecord.from_bytes(data)
    if record.seed.hex() != seed or record.rules != rules:
        raise RecordError("It is that of another match: its decks or rules are others.")
    if len(record.games) != games:
        raise RecordError(f"It has {len(record.games)} games, not {games}.")
    return record


def note_damage(what: str, error: RecordError) -> None:
    """Writes to the log that the record of `what`, such as "match 17", cannot be read."""
    logger.error(
        "The stored record of %s cannot be read. %s Results and ratings need no record. `manage.py ladder verify"
        " --records all` names every such match; a backup may have its row of ladder_matchrecordblob.",
        what,
        error,
    )


@contextmanager
def damage_noted(match: Match) -> Iterator[None]:
    """For work that goes on without a record: a RecordError ends the block and is written to the log."""
    try:
        yield
    except RecordError as error:
        note_damage(f"match {match.pk}", error)


def game_record(match: Match, number: int) -> GameRecord | None:
    """Game `number` (from 0) of a finished match; None when there is no such game. Raises RecordError."""
    record = match_record(match)
    if record is None or not 0 <= number < len(record.games):
        return None
    return record.games[number]


def game_steps(match: Match, number: int) -> list[dict[str, Any]] | None:
    """Every position of the game in JSON-able form (`arena.steps.Step.to_dict`); seats are the game's.

    Raises RecordError.
    """
    record = game_record(match, number)
    return None if record is None else [step.to_dict() for step in steps(record)]


def game_story(match: Match, number: int) -> list[dict[str, Any]] | None:
    """`game_steps` without the cards on the table: what the list of moves is told from (`arena.steps.story`).

    Raises RecordError.
    """
    record = game_record(match, number)
    return None if record is None else story(record)


def game_decision(match: Match, number: int, step: int) -> tuple[Decision, str] | None:
    """The draw or discard that was due at a step of a game, with the seed of the seat's own randomness; or None.

    Raises RecordError.
    """
    record = match_record(match)
    if record is None or not 0 <= number < len(record.games):
        return None
    record.games[number].replay()
    decision = decision_at(record.games[number], step)
    return None if decision is None else (decision, bot_seed(record.seed, number, decision.view.seat))
