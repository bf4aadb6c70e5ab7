"""Recorded matches from files, and what is told about their games."""

from __future__ import annotations

import re
from pathlib import Path

from arena.cards import Card
from arena.cli.bots import read_file
from arena.cli.terminal import UsageError, show_card
from arena.record import GameRecord, MatchRecord, RecordError
from arena.steps import SUIT_SYMBOLS

SIDES = "AB"
"""What the sides of a match are called: a record does not hold the bots' names."""
_MOST_BYTES = 1 << 30
"""Of a file, and of what it unpacks to: more than a match on the site, for `arena play` may save many pairs."""
_PRINTED_CARD = re.compile(rf"(10|[A2-9JQK])([{SUIT_SYMBOLS}])")


def read_record(path: Path) -> MatchRecord:
    """The record in a file, once it has replayed to the result it claims. Raises UsageError."""
    try:
        record = MatchRecord.from_bytes(read_file(path, _MOST_BYTES), _MOST_BYTES)
        record.replay()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}.") from None
    except RecordError as error:
        raise UsageError(f"{path} holds no record that replays. {error}") from None
    if not record.games:
        raise UsageError(f"{path} holds no game.")
    return record


def pick_game(record: MatchRecord, number: int) -> GameRecord:
    """A game by its number from 1. Raises UsageError."""
    if not 1 <= number <= len(record.games):
        raise UsageError(f"There is no game {number}: the record holds games 1 to {len(record.games)}.")
    return record.games[number - 1]


def side_name(game: GameRecord, seat: int) -> str:
    """A or B, whoever sits in that seat of the game."""
    return SIDES[game.side_of(seat)]


def coloured(words: str) -> str:
    """The words of a step with its cards as the terminal shows them."""

    def card(found: re.Match[str]) -> str:
        rank = found[1].replace("10", "T")
        return show_card(Card.parse(rank + "chsd"[SUIT_SYMBOLS.index(found[2])]))

    return _PRINTED_CARD.sub(card, words)
