"""A game in words: what each position of a replay says, and how the list of moves is laid out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from django.utils.safestring import SafeString

from arena.bot import GameEnding
from arena.cards import Card
from arena.rules import Rules
from arena.steps import SUIT_SYMBOLS
from ladder.match_view import GameRow, LogRow, MatchView
from ladder.scoring import game_sums, hand_sums, hand_terms

TEXT_STYLE = "\N{VARIATION SELECTOR-15}"
_TEXT_SIGNS = str.maketrans({sign: sign + TEXT_STYLE for sign in SUIT_SYMBOLS})


@dataclass(frozen=True)
class MoveRow:
    """One position: its place in the game and what happened to reach it."""

    index: int
    words: str
    sums: tuple[str, ...]
    has_prints: bool
    """Whether a bot of the reader's printed something with it."""


@dataclass(frozen=True)
class HandRows:
    """The positions of one hand and, in a few words, how it ended."""

    number: int
    result: str
    moves: tuple[MoveRow, ...]
    terms: str
    """What a knock needs in this hand, and whether it counts double."""

    @property
    def items(self) -> SafeString:
        """The list items of the moves. There are hundreds, and a template takes many times as long."""
        items = [
            f'<li id="move-{move.index}"{" class=has-prints" if move.has_prints else ""}>'
            f'<a href="#{move.index}">{escape(move.words)}</a>{_paragraphs(move.sums)}</li>'
            for move in self.moves
        ]
        return SafeString("\n".join(items))

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
    def placed_logs(self) -> list[LogRow]:
        """What bots of the reader's printed, where it is known with which moves."""
        return [log for log in self.row.logs if log.marks]

    @property
    def last(self) -> int:
        """The index of the last position."""
        return self.hands[-1].moves[-1].index


def _paragraphs(lines: Sequence[str]) -> str:
    return "".join(f"<p>{escape(line)}</p>" for line in lines)


def seat_names(view: MatchView, row: GameRow) -> tuple[str, str]:
    """The bots' names in the order of the game's seats."""
    names = [side.seat.version.bot.name for side in view.sides]
    return (names[0], names[1]) if row.game.seat0_index == 0 else (names[1], names[0])


def replay_view(view: MatchView, row: GameRow, steps: Sequence[dict[str, Any]], rules: Rules) -> ReplayView:
    """The page of a game from its `narrated` steps."""
    names = seat_names(view, row)
    printed = {step for log in row.logs for step, _ in log.marks}
    hands: list[HandRows] = []
    moves: list[MoveRow] = []
    showdown = None
    for index, step in enumerate(steps):
        what, *sums = step["text"]
        showdown = step["showdown"] or showdown
        moves.append(MoveRow(index, what, tuple(sums), index in printed))
        if index + 1 == len(steps) or steps[index + 1]["hand"] != step["hand"]:
            terms = hand_terms(rules, Card.parse(steps[moves[0].index]["card"]))
            hands.append(HandRows(step["hand"], _outcome(showdown, names), tuple(moves), terms))
            moves, showdown = [], None
    return ReplayView(row, (names[row.top_seat], names[1 - row.top_seat]), row.top_seat, tuple(hands))


def narrated(view: MatchView, row: GameRow, steps: Sequence[dict[str, Any]], rules: Rules) -> list[dict[str, Any]]:
    """The steps, each with `text`: lines that say what happened and, where a hand ends, how it was scored."""
    names = seat_names(view, row)
    told = []
    points, boxes = [0, 0], [0, 0]
    for step in steps:
        lines = [f"{names[step['actor']]} {step['words']}".rstrip(".") + "."]
        if step["showdown"] is not None:
            lines += hand_sums(step["showdown"], names, rules)
            if (winner := step["showdown"]["winner"]) is not None:
                points[winner] += step["showdown"]["points"]
                boxes[winner] += 1
        if step is steps[-1]:
            if row.game.ending != GameEnding.FAULT.value:
                lines += game_sums(rules, names, points, boxes, _winning_seat(row))
            lines.append(_end_of_game(row))
        told.append({**step, "text": [text_signs(line) for line in lines]})
    return told


def text_signs(line: str) -> str:
    """Suit signs as text: without the selector some phones draw them as coloured pictures."""
    return line.translate(_TEXT_SIGNS)


def _outcome(showdown: dict[str, Any] | None, names: tuple[str, str]) -> str:
    """The end of a hand in a few words, for the list of hands."""
    if showdown is None:
        return "broken off"
    if showdown["winner"] is None:
        return "void"
    return f"{names[showdown['winner']]} +{showdown['points']}, {showdown['ending'].replace('-', ' ')}"


def _winning_seat(row: GameRow) -> int | None:
    """The winner's seat of the game, where the row knows its seat of the match."""
    game = row.game
    return None if game.winner is None else int(game.winner != game.seat0_index)


def _end_of_game(row: GameRow) -> str:
    game = row.game
    if row.winner is None:
        return f"The game is drawn, {game.score_a} to {game.score_b}."
    won, lost = (game.score_a, game.score_b) if game.winner == 0 else (game.score_b, game.score_a)
    return f"{row.winner.version.bot.name} wins the game, {won} to {lost}."
