"""A table in words, to the person who plays there: what to do now, what happened, how a hand and the game ended."""

from __future__ import annotations

from collections.abc import Iterable

from arena.actions import Draw
from arena.events import (
    DeclaredBigGin,
    Defended,
    Discarded,
    Drew,
    Event,
    HandEnded,
    HandStarted,
    Passed,
    Reshuffled,
    Shown,
)
from arena.game import Game
from arena.legal import Phase
from arena.steps import Showdown, pretty
from arena.view import View
from ladder.replay_view import text_signs
from ladder.scoring import game_sums, hand_sums
from tables.models import Table

YOU = "You"
_SECOND_PERSON = (
    ("You is ", "You are "),
    ("You has ", "You have "),
    ("You scores ", "You score "),
    ("You wins ", "You win "),
    ("against You's ", "against your "),
    (" points for You.", " points for you."),
)
"""What the sums of a replay say of somebody called You."""


def instruction(view: View) -> str:
    """What the person is to do, in one line; empty while it is not their turn."""
    upcard = "" if view.upcard is None else pretty(view.upcard)
    match view.decision:
        case Phase.OFFER:
            line = f"Take the {upcard}, or pass."
        case Phase.DRAW if view.must_draw_stock:
            line = "Nobody wanted it. Draw a card from the stock."
        case Phase.DRAW:
            line = f"Draw a card: from the stock, or the {upcard}."
        case Phase.DISCARD:
            line = f"Throw one card{_knocking(view)}"
        case _:
            line = ""
    return text_signs(line)


def _knocking(view: View) -> str:
    if view.rules.big_gin_bonus is not None and not view.deadwood:
        return ", or declare big gin: all eleven are melded."
    if options := view.knock_options:
        least = view.deadwood_after(options[0].card)
        return f"; you could knock with {least}." if least else ": you have gin."
    limit = view.knock_limit
    return f". With {limit} deadwood or less left you may knock." if limit else ". Only gin ends this hand."


def told(events: Iterable[Event], seat: int, bot: str) -> list[str]:
    """What happened, a sentence each; `seat` is the person's."""
    names = (YOU, bot) if seat == 0 else (bot, YOU)
    return [text_signs(line) for event in events if (line := _line(event, seat, names))]


def _line(event: Event, seat: int, names: tuple[str, str]) -> str:
    match event:
        case HandStarted(number, dealer, _, upcard, _):
            deals = "You deal" if dealer == seat else f"{names[dealer]} deals"
            return f"{deals} hand {number} and {'turn' if dealer == seat else 'turns'} up the {pretty(upcard)}."
        case Drew(who, Draw.UPCARD, card) if card is not None:
            return f"{names[who]} took the {pretty(card)}."
        case Drew(who, _, card):
            return f"{names[who]} drew {'a card' if card is None else f'the {pretty(card)}'} from the stock."
        case Passed(who):
            return f"{names[who]} passed."
        case Discarded(who, card, knock):
            return f"{names[who]} threw the {pretty(card)}{' and knocked' if knock else ''}."
        case DeclaredBigGin(who):
            return f"{names[who]} declared big gin."
        case Reshuffled(stock_size):
            return f"The pile is shuffled under the stock, now of {stock_size} cards."
        case Defended(who, _, layoffs, _) if layoffs:
            return f"{names[who]} laid off {', '.join(pretty(layoff.card) for layoff in layoffs)}."
        case Shown() | Defended() | HandEnded():
            return ""  # the showdown tells these
        case _:
            raise AssertionError(event)


def hand_lines(game: Game, showdown: Showdown, names: tuple[str, str]) -> list[str]:
    """How a hand ended, and its sum."""
    if showdown.winner is None:
        return [showdown.words]
    lines = [f"{names[showdown.winner]} {showdown.words}.", *hand_sums(showdown.to_dict(), names, game.rules)]
    return [text_signs(_to_you(line)) for line in lines]


def game_lines(table: Table, game: Game, bot: str) -> list[str]:
    """How the game ended, and what it added to the scores; nothing while it goes on."""
    names = (YOU, bot) if table.seat == 0 else (bot, YOU)
    match table.ending:
        case Table.Ending.RESIGNED:
            return [f"You resigned: {bot} wins the game."]
        case Table.Ending.LEFT:
            return [f"You were away for too long: {bot} wins the game."]
        case Table.Ending.FAULT:
            return [f"{bot} cannot go on: you win the game.", table.reason]
    if table.is_resigned:
        return [f"You resigned: {bot} wins the game."]
    if table.state == Table.State.FAILED:
        return [
            "We are sorry: this game could not go on, through a fault of ours. Nobody has won it; deal another one."
        ]
    if not game.is_over:
        return []
    mine, other = game.totals[table.seat], game.totals[1 - table.seat]
    if game.winner is None:
        lines = [f"The game is drawn, {mine} to {other}."]
    elif game.winner == table.seat:
        lines = [f"You win the game, {mine} to {other}."]
    else:
        lines = [f"{bot} wins the game, {other} to {mine}."]
    return lines + [_to_you(line) for line in game_sums(game.rules, names, game.scores, game.boxes, game.winner)]


def _to_you(line: str) -> str:
    for said, meant in _SECOND_PERSON:
        line = line.replace(said, meant)
    return line
