"""Ladders, the matches played on them, and the ratings that follow.

A match lives `queued -> running(attempt, lease) -> finished | void`; only `ladder.services` moves it. A rating is the
fold of its ladder's finished rated matches in the order of `Match.sequence` (see `ladder.fold`).
"""

from ladder.models.ladders import Check, Ladder
from ladder.models.matches import BotLog, Fault, Game, Match, MatchRecordBlob, Seat
from ladder.models.ratings import Fit, Rating, RatingChange, Strength, Trend
from ladder.models.tallies import Meeting, Tallied, Tally

__all__ = [
    "BotLog",
    "Check",
    "Fault",
    "Fit",
    "Game",
    "Ladder",
    "Match",
    "MatchRecordBlob",
    "Meeting",
    "Rating",
    "RatingChange",
    "Seat",
    "Strength",
    "Tallied",
    "Tally",
    "Trend",
]
