"""`arena replay`: a recorded match in the terminal, move by move, with both hands open.

Moves have the numbers of the site's replay, so that what is seen in one is found in the other.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from arena.cli.records import coloured, pick_game, read_record, side_name
from arena.cli.terminal import BOLD, DIM, UsageError, number_from, paint, path_from, plain, show_card, show_hand
from arena.melds import Arrangement
from arena.record import GameRecord
from arena.steps import SeatStep, Step, steps


def add(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument(
        "record", metavar="FILE", type=path_from, help="a record from a match's page or `arena play --save`"
    )
    parser.add_argument("--game", metavar="N", type=number_from(1, 10**6, "a game's number"), help="only this game")
    parser.add_argument("--hand", metavar="N", type=number_from(1, 10**6, "a hand's number"), help="only this hand")


def run(options: argparse.Namespace) -> int:
    """Print the moves. Raises UsageError."""
    record = read_record(options.record)
    games = record.games if options.game is None else (pick_game(record, options.game),)
    for game in games:
        if options.hand is not None and options.hand > len(game.hands):
            raise UsageError(f"There is no hand {options.hand}: game {game.number + 1} has {len(game.hands)} hands.")
        for line in _lines(game, options.hand):
            print(line)
    won_a, won_b = record.games_won()
    print(paint(f"\nA won {won_a} of {len(record.games)} games, B {won_b}", BOLD))
    return 0


def _lines(game: GameRecord, hand: int | None) -> Iterator[str]:
    yield paint(f"\nGame {game.number + 1}, {game.rules.name}: A is in seat {game.side_of(0)}", BOLD)
    for step in steps(game):
        if hand is None or step.hand == hand:
            yield from _step_lines(game, step)
    a = game.side_of(0)
    yield f"Game {game.number + 1} ends at A {game.scores[a]}, B {game.scores[1 - a]} ({game.ending.value})"


def _step_lines(game: GameRecord, step: Step) -> Iterator[str]:
    names = [side_name(game, seat) for seat in (0, 1)]
    who = names[step.actor]
    if step.kind == "deal":
        yield ""
        yield paint(f"Hand {step.hand}, {names[0]} {step.scores[0]}, {names[1]} {step.scores[1]}: {who} deals", BOLD)
        for seat in (0, 1):
            yield f"      {names[seat]} holds {_held(step.seats[seat])}"
        if step.card is not None:
            yield f"{step.number:4}  {show_card(step.card)} is turned up"
        return
    words = coloured(plain(step.words))
    line = f"{step.number:4}  {who} {words}"
    if step.kind in ("draw", "discard", "knock", "big-gin"):
        blank = max(1, 34 - len(f"{who} {step.words}"))
        line += " " * blank + _held(step.seats[step.actor])
    yield line
    if (end := step.showdown) is not None:
        yield "      " + (end.words if end.winner is None else f"{names[end.winner]} {end.words}")


def _held(seat: SeatStep) -> str:
    return show_hand(Arrangement(seat.melds, seat.deadwood, seat.points)) if seat.cards else paint("nothing", DIM)
