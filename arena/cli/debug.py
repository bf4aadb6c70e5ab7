"""`arena debug`: a recorded match put to a bot of your own, to see where it decides differently or fails.

The bot sits in one seat of a recorded game. It is told everything that seat saw and asked whatever that seat was asked,
with the same randomness; the game goes on as it is recorded, whatever the bot says.
"""

from __future__ import annotations

import argparse
from contextlib import closing
from dataclasses import dataclass

from arena.actions import Action, Arrange, Defend, Draw
from arena.bot import GameEnd, GameStart
from arena.cli.bots import BOT_HELP, find_bot
from arena.cli.records import pick_game, read_record, side_name
from arena.cli.terminal import BOLD, GREEN, RED, number_from, paint, path_from, plain, show_card, show_cards, show_hand
from arena.client import LinkedPlayer
from arena.decisions import in_words
from arena.game import Game
from arena.melds import best_arrangement
from arena.player import BotFault
from arena.record import GameRecord, MatchRecord
from arena.referee import bot_seed
from arena.view import EventStream, View, view_of

_ANY = 10**6


def add(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument(
        "record", metavar="FILE", type=path_from, help="a record from a match's page or `arena play --save`"
    )
    parser.add_argument("--bot", metavar="BOT", required=True, help=BOT_HELP)
    parser.add_argument("--game", metavar="N", type=number_from(1, _ANY, "a game's number"), help="the game")
    parser.add_argument("--seat", metavar="S", type=number_from(0, 1, "a seat"), help="the seat it takes, 0 or 1")
    parser.add_argument(
        "--at",
        metavar="N",
        type=number_from(0, _ANY, "a move's number"),
        help="show its decision at this move, or the first after it, and stop",
    )


def run(options: argparse.Namespace) -> int:
    """Put the record to the bot and report: 1 when it fails, else 0. Raises UsageError."""
    record = read_record(options.record)
    game, seat = _place(record, options.game, options.seat)
    bot = find_bot(options.bot)
    print(paint(f"{bot.name} in seat {seat} of game {game.number + 1}, where {side_name(game, seat)} sat", BOLD))
    with closing(bot.contestant().new_player()) as player:
        return _Session(record, game, seat, player, options.at).run()


def _place(record: MatchRecord, number: int | None, seat: int | None) -> tuple[GameRecord, int]:
    """The game and seat asked for; what is left open goes to where somebody failed, else to the first."""
    if number is None:
        failed = [game for game in record.games if any(seat in (None, fault.seat) for fault in game.faults)]
        game = failed[0] if failed else record.games[0]
    else:
        game = pick_game(record, number)
    if seat is None:
        seat = game.faults[0].seat if game.faults else 0
    return game, seat


@dataclass
class _Session:
    """One game put to one bot."""

    record: MatchRecord
    game: GameRecord
    seat: int
    player: LinkedPlayer
    at: int | None
    asked: int = 0
    differ: int = 0

    def run(self) -> int:
        """Go through the game as it is recorded."""
        live = Game(self.game.rules, self.game.seed)
        events = EventStream(live, self.seat)
        number = 0
        seed = bot_seed(self.record.seed, self.game.number, self.seat)
        try:
            self.player.start(GameStart(self.game.rules, self.seat, seed))
        except BotFault as fault:
            return self._failed("before the first hand", fault, None)
        for hand in self.game.hands:
            number += 1  # the deal
            for action, _ in hand.moves():
                if live.turn == self.seat:
                    status = self._decision(number, view_of(live, self.seat), events, action)
                    if status is not None:
                        return status
                live.apply(action)
                number += 1
        if not live.is_over and live.turn == self.seat:  # the forfeited decision, of which no action is recorded
            status = self._decision(number, view_of(live, self.seat), events, None)
            if status is not None:
                return status
        if live.is_over:
            try:
                self.player.end(GameEnd(self.game.ending, self.game.winner, self.game.scores, events.take()))
            except BotFault as fault:
                return self._failed("after the last hand", fault, None)
        if self.at is not None:
            print(f"Seat {self.seat} decides nothing at move {self.at} or after it.")
        print(f"{self.asked} decisions, {self.differ} other than recorded")
        return 0

    def _decision(self, number: int, view: View, events: EventStream, recorded: Action | None) -> int | None:
        """Ask the bot about a move; a status when this is where to stop."""
        printed = len(self.player.log)
        where = f"move {number}, hand {view.hand_number}"
        self.asked += 1
        try:
            action = self.player.decide(view, events.take())
        except BotFault as fault:
            return self._failed(where, fault, view, self.player.log[printed:])
        stops = self.at is not None and number >= self.at
        is_same = recorded is None or action == recorded
        self.differ += not is_same
        if stops or (self.at is None and not is_same):
            print(f"{where}: your bot {_words(action)}, {_recorded(action, recorded)}")
            print(_position(view))
        if not stops:
            return None
        _show_prints(self.player.log[printed:])
        return 0

    def _failed(self, where: str, fault: BotFault, view: View | None, printed: str = "") -> int:
        print(paint(f"{where}: your bot fails ({fault.kind.value}): {plain(fault.message)}", RED))
        if fault.traceback:
            print(plain(fault.traceback))
        if view is not None:
            print(_position(view))
        _show_prints(printed)
        return 1


def _show_prints(text: str) -> None:
    if text:
        print(f"  it printed\n{plain(text.rstrip())}")


def _recorded(action: Action, recorded: Action | None) -> str:
    if recorded is None:
        return "where the record ends with a forfeit"
    return paint("as recorded", GREEN) if action == recorded else f"the record {_words(recorded)}"


def _words(action: Action) -> str:
    """What a bot does, for after its name."""
    match action:
        case Draw.PASS:
            return "passes"
        case Arrange(None):
            return "leaves its melds to the arena"
        case Arrange(melds):
            return "shows " + (" | ".join(show_cards(meld.cards) for meld in melds or ()) or "no meld")
        case Defend(melds, layoffs):
            shown = "the best melds" if melds is None else " | ".join(show_cards(meld.cards) for meld in melds)
            laid = "the best layoffs" if layoffs is None else show_cards(layoff.card for layoff in layoffs)
            return f"defends with {shown or 'no meld'} and {laid or 'no layoff'}"
    return in_words(action, show_card)


def _position(view: View) -> str:
    """Everything that matters of a view, a line each."""
    lines = [
        f"  hand      {show_hand(best_arrangement(view.hand))}",
        f"  pile      {show_cards(view.discard_pile) or 'empty'}",
        f"  opponent  {show_cards(view.known_opponent_cards) or 'nothing'} known",
        f"  stock {view.stock_size}, turn {view.turns + 1}, score {view.my_score}:{view.opponent_score},"
        f" knock at {view.knock_limit}" + (", you deal" if view.dealer == view.seat else ""),
    ]
    if view.drawn is not None:
        lines.insert(1, f"  drawn     {show_card(view.drawn)} from the {'pile' if view.taken else 'stock'}")
    if view.knocker_melds is not None:
        lines.insert(1, f"  knocker   {' | '.join(show_cards(meld.cards) for meld in view.knocker_melds)}")
    return "\n".join(lines)
