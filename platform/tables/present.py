"""What the page of a table gets: the view of the person's seat, and of finished hands what was laid open.

Positions have the shape of `arena.steps.Step.to_dict`, as the card table of replays draws it; of the bot's hand they
hold the number of cards and those that the view knows of.
"""

from __future__ import annotations

from typing import Any

from arena.actions import Action, BigGin, Discard, Draw
from arena.cards import Card
from arena.game import Game
from arena.legal import Phase
from arena.melds import best_arrangement
from arena.steps import Showdown
from arena.view import View, view_of
from bots import clock
from ladder.scoring import hand_terms
from tables.games import Reading, read
from tables.models import Table
from tables.words import YOU, game_lines, hand_lines, instruction, told


def state_of(table: Table, *, is_player: bool) -> dict[str, Any]:
    """The table as JSON values. `table` comes with its version's bot."""
    reading = read(table)
    game, seat, bot = reading.game, table.seat, table.version.bot.name
    view = view_of(game, seat)
    over = game_lines(table, game, bot)
    is_mine = not over and is_player and reading.waits_for(seat)
    return {
        "moves": table.moves,
        "is_over": bool(over),
        "is_mine": is_mine,
        "is_waiting": not over and not reading.waits_for(seat),
        "is_hosted": table.state != Table.State.QUEUED,
        "has_replay": table.state == Table.State.FINISHED,
        "seconds_left": _seconds_left(table) if is_mine else None,
        "over": over,
        "instruction": _instruction(table, reading, view) if not over else "",
        "told": told(reading.told[-1], seat, bot),
        "terms": hand_terms(game.rules, game.hand.first_upcard),
        "position": _position(game, view),
        "choices": _choices(view) if is_mine else None,
        "showdowns": [
            _showdown(game, place, seat, bot, told(events, seat, bot))
            for place, events in zip(reading.ended, reading.told, strict=False)
        ],
    }


def _instruction(table: Table, reading: Reading, view: View) -> str:
    if reading.waits_for(table.seat):
        return instruction(view)
    bot = table.version.bot.name
    return f"{bot} is thinking\N{HORIZONTAL ELLIPSIS}" if view.knocker_melds is None else f"{bot} lays out its cards."


def _seconds_left(table: Table) -> int | None:
    return None if table.act_by is None else max(0, int((table.act_by - clock.now()).total_seconds()))


def _position(game: Game, view: View) -> dict[str, Any]:
    """Where the hand stands, from the view; from the game itself only whose turn it is and how many cards are held."""
    hand, seat = game.hand, view.seat
    held = best_arrangement(view.hand)
    mine = {
        "cards": _texts(view.hand),
        "melds": [_texts(meld.cards) for meld in held.melds],
        "deadwood": _texts(held.deadwood),
        "points": held.points,
        "known": [],
    }
    other = {"cards": [None] * len(hand.cards(1 - seat)), "known": _texts(view.known_opponent_cards)}
    return {
        **_last(game, seat),
        "hand": view.hand_number,
        "seats": [mine, other] if seat == 0 else [other, mine],
        "discard_pile": _texts(view.discard_pile),
        "stock_size": view.stock_size,
        "dealer": view.dealer,
        "turn": None if game.is_over else hand.turn,
        "scores": list(game.totals if game.is_over else view.scores),
        "drawn": None if view.drawn is None else str(view.drawn),
        "showdown": None,
    }


def _last(game: Game, seat: int) -> dict[str, Any]:
    """The last action of the hand: what the table lets fly."""
    if not game.hand.log:
        return {"kind": "deal", "actor": game.dealer, "card": None, "is_secret": False}
    actor, action, drawn, _ = game.hand.log[-1]
    is_secret = action is Draw.STOCK
    card = action.card if isinstance(action, Discard) else drawn
    if is_secret and actor != seat:
        card = None
    return {
        "kind": _kind(action),
        "actor": actor,
        "card": None if card is None else str(card),
        "is_secret": is_secret,
    }


def _kind(action: Action) -> str:
    match action:
        case Draw.PASS:
            return "pass"
        case Draw():
            return "draw"
        case Discard(_, knock):
            return "knock" if knock else "discard"
        case BigGin():
            return "big-gin"
        case _:
            return "show"


def _choices(view: View) -> dict[str, Any]:
    """What the person may do: draws by their words, discards and knocks with the deadwood that they leave."""
    if view.decision is not Phase.DISCARD:
        words = {Draw.UPCARD: "u", Draw.STOCK: "s", Draw.PASS: "p"}
        return {"draws": [words[action] for action in view.legal if isinstance(action, Draw)]}
    return {
        "draws": [],
        "discards": {str(card): view.deadwood_after(card) for card in view.legal_discards},
        "knocks": [str(option.card) for option in view.knock_options],
        "big_gin": any(isinstance(action, BigGin) for action in view.legal),
    }


def _showdown(game: Game, place: int, seat: int, bot: str, happened: list[str]) -> dict[str, Any]:
    """The end of a finished hand. A void hand is shown by nobody."""
    number = place + 1
    result, hand = game.results[place], game.hands[place]
    showdown = Showdown.of(result)
    seats: list[dict[str, Any]] = []
    for index in (0, 1):
        held = best_arrangement(result.hands[index])
        cards = _texts(result.hands[index])
        if result.ending.is_void and index != seat:
            seats.append({"cards": [None] * len(cards), "known": []})
            continue
        melds = [_texts(meld.cards) for meld in held.melds]
        seats.append(
            {"cards": cards, "melds": melds, "deadwood": _texts(held.deadwood), "points": held.points, "known": cards}
        )
    is_last = number == len(game.hands)
    return {
        "kind": "show",
        "actor": seat,
        "card": None,
        "is_secret": False,
        "hand": number,
        "seats": seats,
        "discard_pile": _texts(hand.discard_pile),
        "stock_size": hand.stock_size,
        "dealer": hand.dealer,
        "turn": None,
        "scores": list(game.totals if game.is_over and is_last else game.scores_after(number)),
        "drawn": None,
        "showdown": showdown.to_dict(),
        "terms": hand_terms(game.rules, hand.first_upcard),
        "told": happened,
        "lines": hand_lines(game, showdown, (YOU, bot) if seat == 0 else (bot, YOU)),
    }


def _texts(cards: tuple[Card, ...]) -> list[str]:
    return list(map(str, cards))
