"""A match's end: the record is checked by replaying it, then stored and rated in one transaction."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from arena.game import Game as GameState
from arena.player import FaultKind, HouseFailure
from arena.record import GameRecord, MatchRecord, RecordError
from arena.rules import RULE_SETS
from bots import clock
from ladder.models import BotLog, Fault, Game, Match, MatchRecordBlob, Seat
from ladder.services.matches import Claim
from ladder.services.ratings import apply_result, bench_if_broken, lock_ladder
from ladder.styles import styles_of, to_text

LOG_CHARACTERS = 64 * 1024
"""Longest log kept of one bot in one game."""
SCORES = ("score_quarters", "games_won", "points", "faults")
"""What `score` writes into a seat."""


class RecordMismatch(HouseFailure):
    """The record does not replay to its own result, or is not of the claimed match: the house's failure."""


def finish_match(*, claim: Claim, record: MatchRecord) -> bool:
    """Stores and rates a result, once; False when the claim is lost, and then nothing is written.

    What only a bot's owner may see (logs, tracebacks) goes into rows of its own; the stored record is its public part.
    Raises RecordMismatch.

    Locks in the order match, ladder, ratings by key; everything that takes two of them does so in this order.
    """
    states = _check(claim, record)
    data = record.public().to_bytes()
    with transaction.atomic():
        match = Match.objects.select_for_update(no_key=True).get(pk=claim.match_id)
        if match.state != Match.State.RUNNING or match.attempt != claim.attempt:
            return False
        ladder = lock_ladder(match.ladder_id)
        ladder.last_sequence += 1
        ladder.public_matches += not match.is_private
        ladder.save(update_fields=["last_sequence", "public_matches"])
        match.ladder = ladder
        match.state = Match.State.FINISHED
        match.sequence = ladder.last_sequence
        match.finished_at = clock.now()
        match.lease_expires_at = None
        match.error = ""
        match.save(update_fields=["state", "sequence", "finished_at", "lease_expires_at", "error"])
        MatchRecordBlob.objects.create(match=match, data=data)
        seats = list(Seat.objects.filter(match=match).select_related("version__bot").defer("version__source"))
        _store_games(match, record, states)
        score(seats, record)
        Seat.objects.bulk_update(seats, SCORES)
        if match.is_rated:
            apply_result(match=match, seats=seats)
            for seat in seats:
                if seat.faults:
                    bench_if_broken(seat=seat)
    return True


def _check(claim: Claim, record: MatchRecord) -> tuple[GameState, ...]:
    # Outside the transaction: a replay takes milliseconds in which nobody else could write.
    if record.seed != claim.seed or record.rules != RULE_SETS[claim.rule_set]:
        raise RecordMismatch("The record is of another match: its seed or rules are not the claimed ones.")
    try:
        return record.replay()
    except RecordError as error:
        raise RecordMismatch(f"The record does not replay to its result: {error}") from error


def _store_games(match: Match, record: MatchRecord, states: Sequence[GameState]) -> None:
    for game, state in zip(record.games, states, strict=True):
        row = game_row(match, game)
        row.style = to_text(styles_of(game, state))
        row.save()
        Fault.objects.bulk_create(fault_rows(row, game))
        BotLog.objects.bulk_create(
            BotLog(game=row, seat=game.side_of(seat), text=_storable(text, LOG_CHARACTERS), marks=marks)
            for seat, (text, marks) in enumerate(zip(game.logs, game.marks, strict=True))
            if text
        )


def game_row(match: Match, game: GameRecord) -> Game:
    """What is stored of a recorded game, but for its style."""
    score = game.score()
    return Game(
        match=match,
        number=game.number,
        seat0_index=game.side_of(0),
        ending=game.ending.value,
        winner=score.winner,
        score_a=score.points[0],
        score_b=score.points[1],
        hands=len(game.hands),
    )


def fault_rows(row: Game, game: GameRecord) -> list[Fault]:
    """What is stored of a recorded game's faults."""
    return [
        Fault(
            game=row,
            seat=game.side_of(fault.seat),
            kind=fault.kind.value,
            message=_storable(fault.message, 2_000),
            traceback=_storable(fault.traceback, 20_000),
            file=_storable(fault.file or "", 255),
            line=fault.line if fault.line and 0 < fault.line < 2**31 else None,
            step=None if fault.kind is FaultKind.START else _step_before(game),
        )
        for fault in game.faults
    ]


def _step_before(game: GameRecord) -> int:
    # As `arena.steps` numbers them from 0: a deal, the actions of its hand, and so on; the fault is a step of its own.
    return sum(1 + len(hand.times) for hand in game.hands) - 1


def _storable(text: str, longest: int) -> str:
    # A bot chooses these characters. PostgreSQL takes no NUL and no codec takes half a surrogate pair; refusing them
    # would turn the bot's fault into a failure of the house, and its lost matches into void ones.
    return text[:longest].encode("utf-8", "replace").decode("utf-8").replace("\0", "\N{REPLACEMENT CHARACTER}")


def score(seats: Sequence[Seat], record: MatchRecord) -> None:
    """Writes into the seats what the record gives each; saves nothing."""
    quarters = record.score_quarters()
    scores = [game.score() for game in record.games]
    for seat in seats:
        seat.score_quarters = quarters if seat.index == 0 else 4 - quarters
        seat.games_won = sum(score.winner == seat.index for score in scores)
        seat.points = sum(score.points[seat.index] for score in scores)
        seat.faults = sum(seat.index in score.forfeits for score in scores)
