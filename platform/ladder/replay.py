"""A finished match's record, as the replay page needs it."""

from __future__ import annotations

from typing import Any

from arena.decisions import Decision, decision_at
from arena.record import GameRecord, MatchRecord
from arena.referee import bot_seed
from arena.steps import steps, story
from ladder.models import Match, MatchRecordBlob


def match_record(match: Match) -> MatchRecord | None:
    """The move log of a finished match; None for any other, so that nothing of a running one leaks."""
    if match.state != Match.State.FINISHED:
        return None
    blob = MatchRecordBlob.objects.filter(match=match).first()
    return None if blob is None else MatchRecord.from_bytes(bytes(blob.data))


def game_record(match: Match, number: int) -> GameRecord | None:
    """Game `number` (from 0) of a finished match; None when there is no such game."""
    record = match_record(match)
    if record is None or not 0 <= number < len(record.games):
        return None
    return record.games[number]


def game_steps(match: Match, number: int) -> list[dict[str, Any]] | None:
    """Every position of the game in JSON-able form (`arena.steps.Step.to_dict`); seats are the game's."""
    record = game_record(match, number)
    return None if record is None else [step.to_dict() for step in steps(record)]


def game_story(match: Match, number: int) -> list[dict[str, Any]] | None:
    """`game_steps` without the cards on the table: what the list of moves is told from (`arena.steps.story`)."""
    record = game_record(match, number)
    return None if record is None else story(record)


def game_decision(match: Match, number: int, step: int) -> tuple[Decision, str] | None:
    """The draw or discard that was due at a step of a game, with the seed of the seat's own randomness; or None."""
    record = match_record(match)
    if record is None or not 0 <= number < len(record.games):
        return None
    decision = decision_at(record.games[number], step)
    return None if decision is None else (decision, bot_seed(record.seed, number, decision.view.seat))
