"""Gin Rummy: cards, rules, hands, games, bots and the maths of a ladder, on the standard library alone.

This module holds what a bot needs; the arena's own parts are imported from their modules. To import it takes little
time, because it uses no slow part of the standard library: `typing` alone would take half as long again, so what only
type checkers read stands below a `TYPE_CHECKING` that each module defines.
"""

from arena.actions import BigGin, Discard, Draw, IllegalAction
from arena.bot import Bot, Clock, GameEnd, GameEnding, GameStart
from arena.cards import DECK, Card, cards_of, format_cards, mask_of, parse_cards
from arena.deadwood import deadwood_after_discard, least_deadwood
from arena.events import (
    DeclaredBigGin,
    Defended,
    Discarded,
    Drew,
    Event,
    HandEnded,
    HandEnding,
    HandStarted,
    Passed,
    Reshuffled,
    Shown,
)
from arena.layoffs import Defence, LayOff, best_defence, knocker_arrangement
from arena.legal import Phase
from arena.melds import (
    Arrangement,
    Meld,
    MeldKind,
    best_arrangement,
    best_arrangements,
)
from arena.rules import CLASSIC, RULE_SETS, Rules
from arena.view import View

__all__ = [
    "CLASSIC",
    "DECK",
    "RULE_SETS",
    "Arrangement",
    "BigGin",
    "Bot",
    "Card",
    "Clock",
    "DeclaredBigGin",
    "Defence",
    "Defended",
    "Discard",
    "Discarded",
    "Draw",
    "Drew",
    "Event",
    "GameEnd",
    "GameEnding",
    "GameStart",
    "HandEnded",
    "HandEnding",
    "HandStarted",
    "IllegalAction",
    "LayOff",
    "Meld",
    "MeldKind",
    "Passed",
    "Phase",
    "Reshuffled",
    "Rules",
    "Shown",
    "View",
    "best_arrangement",
    "best_arrangements",
    "best_defence",
    "cards_of",
    "deadwood_after_discard",
    "format_cards",
    "knocker_arrangement",
    "least_deadwood",
    "mask_of",
    "parse_cards",
]
