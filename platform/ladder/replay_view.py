"""A game in words: what each position of a replay says, and how the list of moves is laid out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from arena.rules import Rules
from ladder.match_view import GameRow, MatchView

SIGNS = {
    "c": "\N{BLACK CLUB SUIT}",
    "d": "\N{BLACK DIAMOND SUIT}",
    "h": "\N{BLACK HEART SUIT}",
    "s": "\N{BLACK SPADE SUIT}",
}
TEXT_STYLE = "\N{VARIATION SELECTOR-15}"
MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True)
class MoveRow:
    """One position: its place in the game and what happened to reach it."""

    index: int
    words: str
    sums: tuple[str, ...]


@dataclass(frozen=True)
class HandRows:
    """The positions of one hand and, in a few words, how it ended."""

    number: int
    result: str
    moves: tuple[MoveRow, ...]

    @property
    def first(self) -> int:
        """The position at which the cards are dealt."""
        return self.moves[0].index


@dataclass(frozen=True)
class ReplayView:
    """A replay page. `names` are in the match's seat order: the first sits at the top of the table."""

    row: GameRow
    names: tuple[str, str]
    top_seat: int
    """The game's seat that is drawn at the top."""
    hands: tuple[HandRows, ...]

    @property
    def place(self) -> int:
        """The game's number as people count, from 1."""
        return self.row.place

    @property
    def last(self) -> int:
        """The index of the last position."""
        return self.hands[-1].moves[-1].index


def seat_names(view: MatchView, row: GameRow) -> tuple[str, str]:
    """The bots' names in the order of the game's seats."""
    names = [side.seat.version.bot.name for side in view.sides]
    return (names[0], names[1]) if row.game.seat0_index == 0 else (names[1], names[0])


def replay_view(view: MatchView, row: GameRow, steps: Sequence[dict[str, Any]]) -> ReplayView:
    """The page of a game from its `with_words` steps."""
    names = seat_names(view, row)
    top_seat = 0 if row.game.seat0_index == 0 else 1
    hands: list[HandRows] = []
    moves: list[MoveRow] = []
    for index, step in enumerate(steps):
        what, *sums = step["words"]
        moves.append(MoveRow(index, what, tuple(sums)))
        if index + 1 == len(steps) or steps[index + 1]["hand"] != step["hand"]:
            hands.append(HandRows(step["hand"], _outcome(step, names), tuple(moves)))
            moves = []
    return ReplayView(row, (names[top_seat], names[1 - top_seat]), top_seat, tuple(hands))


def with_words(view: MatchView, row: GameRow, steps: Sequence[dict[str, Any]], rules: Rules) -> list[dict[str, Any]]:
    """The steps, each with `words`: what happened, then at a showdown the sum, line by line."""
    names = seat_names(view, row)
    told = [{**step, "words": _words(step, names, rules)} for step in steps]
    last = dict(told[-1])
    last["words"] = [*last["words"], _end_of_game(view, row, names)]
    if row.faults:
        last.update(action=None, card=None, seat=None)
        last["words"] = [f"{fault.seat.version.bot.name} {fault.what}." for fault in row.faults]
        last["words"] += [fault.fault.message for fault in row.faults] + [_end_of_game(view, row, names)]
        return [*told, last]
    return [*told[:-1], last]


def cards(codes: str) -> str:
    """Cards for reading: "Ts2h" is "10♠ 2♥"."""
    pairs = (codes[i : i + 2] for i in range(0, len(codes), 2))
    return " ".join(("10" if rank == "T" else rank) + SIGNS[suit] + TEXT_STYLE for rank, suit in pairs)


def _words(step: dict[str, Any], names: tuple[str, str], rules: Rules) -> list[str]:
    seat, action, card = step["seat"], step["action"], step["card"]
    if action is None:
        upcard = step["pile"][-2:]
        return [f"{names[step['dealer']]} deals. The upcard is {cards(upcard)}."]
    name = names[seat]
    if action == "p":
        return [f"{name} passes the upcard."]
    if action == "u":
        return [f"{name} takes {cards(card)} from the pile."]
    if action == "s":
        return [f"{name} draws {cards(card)} from the stock."]
    if action == "big":
        return [f"{name} declares big gin.", *_showdown(step, names, rules)]
    if action.startswith("a"):
        points = step["hands"][seat]["points"]
        shown = f"{name} lays out its melds" + (f": {points} deadwood." if points else " with no deadwood.")
        return [shown, *_showdown(step, names, rules)]
    if action.startswith("d"):
        laid = "".join(card for card, _ in step["result"]["layoffs"])
        shown = f"{name} lays off {cards(laid)}." if laid else f"{name} lays out its hand and can lay off nothing."
        return [shown, *_showdown(step, names, rules)]
    if action.endswith("!"):
        return [f"{name} discards {cards(card)} and knocks with {step['hands'][seat]['points']}."]
    if step["result"] is not None:
        return [f"{name} discards {cards(card)}.", _void(step, rules)]
    return [f"{name} discards {cards(card)}."]


def _showdown(step: dict[str, Any], names: tuple[str, str], rules: Rules) -> list[str]:
    """How the hand was scored, as a sum; nothing while the defender has yet to answer."""
    result = step["result"]
    if result is None or result["knocker"] is None:
        return []
    knocker, winner = result["knocker"], result["winner"]
    mine, theirs = step["hands"][knocker]["points"], step["hands"][1 - knocker]["points"]
    attacker, defender = names[knocker], names[1 - knocker]
    if result["ending"] in ("gin", "big-gin"):
        bonus = rules.gin_bonus if result["ending"] == "gin" else rules.big_gin_bonus or 0
        said = f"{'Gin' if result['ending'] == 'gin' else 'Big gin'}! {defender} is left with {theirs}."
        terms, total = f"{theirs} + {bonus}", theirs + bonus
    elif result["ending"] == "undercut":
        said = f"Undercut! {defender} has {theirs} deadwood against {attacker}'s {mine}."
        terms, total = f"{mine} {MINUS} {theirs} + {rules.undercut_bonus}", mine - theirs + rules.undercut_bonus
    else:
        said = f"{defender} is left with {theirs} deadwood against {attacker}'s {mine}."
        terms, total = f"{theirs} {MINUS} {mine}", theirs - mine
    doubled = f", doubled for the spade: {result['points']}" if result["points"] != total else ""
    return [said, f"{terms} = {total}{doubled} points for {names[winner]}."]


def _void(step: dict[str, Any], rules: Rules) -> str:
    if step["result"]["ending"] == "void-turns":
        return f"The hand is void after {rules.turn_cap} turns: nobody scores."
    return f"Only {step['stock']} cards are left in the stock: the hand is void, nobody scores."


def _outcome(step: dict[str, Any], names: tuple[str, str]) -> str:
    """The end of a hand in a few words, for the list of hands."""
    result = step["result"]
    if result is None:
        return "broken off"
    if result["winner"] is None:
        return "void"
    ending = {"gin": "gin", "big-gin": "big gin", "undercut": "undercut"}.get(result["ending"], "knock")
    return f"{names[result['winner']]} +{result['points']}, {ending}"


def _end_of_game(view: MatchView, row: GameRow, names: tuple[str, str]) -> str:
    game = row.game
    if row.winner is None:
        return f"The game is drawn, {game.score_a} to {game.score_b}."
    won, lost = (game.score_a, game.score_b) if game.winner == 0 else (game.score_b, game.score_a)
    return f"{row.winner.version.bot.name} wins the game, {won} to {lost}."
