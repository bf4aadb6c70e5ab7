"""Tournaments: who plays whom, where everybody stands, and who won, from nothing but the results.

    cup = Tournament(Swiss(rounds=5, matches=3), entrants=(17, 4, 23, 8))   # the best seed first
    for match in cup.playable: ...                                          # play it; then
    cup = cup.with_results(Result(match.round, match.first, match.second, match.number, (3, 1), (212, 180)))
    cup.standings, cup.bracket, cup.is_over, cup.champion

No clock, no chance, no storage: the same facts give the same tournament in any order of the results.
"""

from arena.tournament.bracket import Feeder, Layout, Node, Side, Takes
from arena.tournament.formats import (
    DoubleElimination,
    Format,
    GroupsThenKnockout,
    RoundRobin,
    SingleElimination,
    Swiss,
    format_from_dict,
    format_to_dict,
)
from arena.tournament.knockout import Bracket, BracketMatch, State
from arena.tournament.pairings import MAX_EXTRA_MATCHES, Match, Outcome, Pairing, Round
from arena.tournament.results import Result, Withdrawal, match_score
from arena.tournament.standings import Standing, Status, TieBreak
from arena.tournament.tournament import Group, Tournament

__all__ = [
    "MAX_EXTRA_MATCHES",
    "Bracket",
    "BracketMatch",
    "DoubleElimination",
    "Feeder",
    "Format",
    "Group",
    "GroupsThenKnockout",
    "Layout",
    "Match",
    "Node",
    "Outcome",
    "Pairing",
    "Result",
    "Round",
    "RoundRobin",
    "Side",
    "SingleElimination",
    "Standing",
    "State",
    "Status",
    "Swiss",
    "Takes",
    "TieBreak",
    "Tournament",
    "Withdrawal",
    "format_from_dict",
    "format_to_dict",
    "match_score",
]
