"""The log of a match: enough to play it again to the identical state, and small enough to keep for ever.

One character stands for an action and one for the time it took; the decks follow from the seed. `to_bytes` is
zlib over compact JSON, and `from_bytes` trusts nothing it reads.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from arena.actions import Action, IllegalAction
from arena.bot import GameEnding
from arena.elo import GameScore, quarters
from arena.game import Game
from arena.handrecord import HandRecord, RecordError
from arena.player import FaultKind
from arena.prints import Mark
from arena.rules import Rules

__all__ = ["FaultRecord", "GameRecord", "HandRecord", "MatchRecord", "RecordError", "game_seed", "result_of"]

T = TypeVar("T")

FORMAT = 1
MAX_UNPACKED_BYTES = 16 * 1024 * 1024
"""What `from_bytes` unpacks at most."""


@dataclass(frozen=True, slots=True)
class FaultRecord:
    """Where and why a bot failed."""

    seat: int
    kind: FaultKind
    message: str
    """For spectators too."""
    hand: int
    """The hand being played, from 1."""
    move: int
    """How many actions of that hand had been played."""
    traceback: str = ""
    """For the owner alone, as are `file` and `line`."""
    file: str | None = None
    line: int | None = None
    code: str = ""
    """With START: which of the loader's checks failed."""


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One game. Side A of the match sits in seat 0 of its even games and in seat 1 of the odd ones."""

    number: int
    """From 0 within the match."""
    rules: Rules
    seed: bytes
    """What its decks are dealt from (`game_seed`)."""
    ending: GameEnding
    winner: int | None
    """The winning seat."""
    scores: tuple[int, int]
    """Final points by seat."""
    hands: tuple[HandRecord, ...]
    faults: tuple[FaultRecord, ...] = ()
    """None, one, or one of each seat when both failed at the same point."""
    logs: tuple[str, str] = ("", "")
    """What each seat's bot printed; for its owner alone."""
    marks: tuple[tuple[Mark, ...], tuple[Mark, ...]] = ((), ())
    """Where in each log the prints of a step begin (`arena.prints`); none in records of before there were any."""

    @property
    def fault(self) -> FaultRecord | None:
        """The first fault, if any."""
        return self.faults[0] if self.faults else None

    def side_of(self, seat: int) -> int:
        """The side of the match, 0 for A and 1 for B, that sat in a seat; also the seat of a side."""
        return seat ^ (self.number & 1)

    def score(self) -> GameScore:
        """The game as the sides of the match see it."""
        a = self.side_of(0)
        return GameScore(
            None if self.winner is None else self.side_of(self.winner),
            (self.scores[a], self.scores[1 - a]),
            frozenset(self.side_of(fault.seat) for fault in self.faults),
        )

    def replay(self) -> Game:
        """Play the game again and return its last state. Raises RecordError unless the result is the recorded one."""
        game = Game(self.rules, self.seed)
        for _ in self.play_in(game):
            pass
        return game

    def play_in(self, game: Game) -> Iterator[tuple[Action | None, float | None]]:
        """Play the game again in a new state of its own rules and seed, and stop before each hand's first action, with
        None, and after each action, with about the seconds that it took. Raises RecordError as `replay` does.
        """
        for number, hand in enumerate(self.hands, 1):
            yield None, None
            for action, seconds in hand.moves():
                if game.is_over or game.hand_number != number:
                    raise RecordError(f"Hand {number} goes on after its end.")
                try:
                    game.apply(action)
                except IllegalAction as error:
                    raise RecordError(f"Hand {number} holds an illegal action: {error}") from None
                except IndexError:  # forged rules may let a hand go on when the stock is empty
                    raise RecordError(f"Hand {number} draws from an empty stock.") from None
                yield action, seconds
        self._check(game)

    def _check(self, game: Game) -> None:
        if len(self.hands) != game.hand_number:
            raise RecordError(f"The record has {len(self.hands)} hands, its actions make {game.hand_number}.")
        ending, winner = result_of(game, tuple(fault.seat for fault in self.faults))
        if ending is None:
            raise RecordError("The record breaks off before the end of the game.")
        if (self.ending, self.winner, self.scores) != (ending, winner, game.totals):
            raise RecordError(
                f"The record claims {_result(self.ending, self.winner, self.scores)},"
                f" its actions give {_result(ending, winner, game.totals)}."
            )
        move = len(self.hands[-1].times)
        for fault in self.faults:
            if (fault.hand, fault.move) != (game.hand_number, move):
                raise RecordError("The record goes on after a fault, or names another place for it.")
            started = move > 0 or game.hand_number > 1
            if fault.seat != game.turn and started and not game.is_over:
                raise RecordError(f"Seat {fault.seat} cannot have failed in the other seat's turn.")


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """A match of mirrored pairs between sides A and B."""

    rules: Rules
    seed: bytes
    games: tuple[GameRecord, ...]

    def score_quarters(self) -> int:
        """Side A's score of a match of one pair, from 0 to 4. Raises ValueError when it has more pairs."""
        return quarters([game.score() for game in self.games])

    def games_won(self) -> tuple[int, int]:
        """Won games of A and of B."""
        winners = [game.score().winner for game in self.games]
        return winners.count(0), winners.count(1)

    def points(self) -> tuple[int, int]:
        """Points of A and of B over all games."""
        scores = [game.score().points for game in self.games]
        return sum(points[0] for points in scores), sum(points[1] for points in scores)

    def public(self) -> MatchRecord:
        """The record without what only an owner may see: logs, tracebacks and places in the source."""
        games = []
        for game in self.games:
            faults = tuple(replace(fault, traceback="", file=None, line=None) for fault in game.faults)
            games.append(replace(game, faults=faults, logs=("", ""), marks=((), ())))
        return replace(self, games=tuple(games))

    def replay(self) -> tuple[Game, ...]:
        """Play every game again and return their last states. Raises RecordError unless all results are identical."""
        return tuple(game.replay() for game in self.games)

    def to_bytes(self) -> bytes:
        """The packed record; `from_bytes` reads it back."""
        data = {
            "format": FORMAT,
            "rules": self.rules.to_wire(),
            "seed": self.seed.hex(),
            "games": [_game_to_wire(game) for game in self.games],
        }
        return zlib.compress(json.dumps(data, separators=(",", ":"), ensure_ascii=False).encode(), 9)

    @classmethod
    def from_bytes(cls, data: bytes, most_unpacked: int = MAX_UNPACKED_BYTES) -> MatchRecord:
        """The record that `to_bytes` gave. Raises RecordError when the bytes are anything else, or unpack to more."""
        try:
            return _match_from_wire(json.loads(_unpack(data, most_unpacked), parse_constant=_no_number))
        except RecordError:
            raise
        except (ValueError, TypeError, KeyError, IndexError, RecursionError, zlib.error) as error:
            raise RecordError(f"These bytes are no match record: {error}") from None


def game_seed(match_seed: bytes, number: int) -> bytes:
    """What the decks of a match's game (from 0) are dealt from; both games of a pair get the same."""
    return match_seed + (number // 2).to_bytes(4, "big")


def result_of(game: Game, failed: Sequence[int]) -> tuple[GameEnding | None, int | None]:
    """How a game ended and who won it, given the seats that failed; no ending while it goes on."""
    if failed:
        return GameEnding.FAULT, 1 - failed[0] if len(failed) == 1 else None
    if not game.is_over:
        return None, None
    reached = max(game.scores) >= game.rules.target
    return GameEnding.TARGET if reached else GameEnding.HAND_CAP, game.winner


def _result(ending: GameEnding, winner: int | None, scores: tuple[int, int]) -> str:
    who = "nobody" if winner is None else f"seat {winner}"
    return f"'{ending.value}', won by {who} at {scores[0]}:{scores[1]}"


def _unpack(data: bytes, most: int) -> str:
    unpacker = zlib.decompressobj()
    text = unpacker.decompress(data, most)
    if not unpacker.eof or unpacker.unused_data:
        raise RecordError("The record is cut off, too long, or has something behind it.")
    return text.decode("utf-8")


def _no_number(name: str) -> Any:
    raise RecordError(f"A record holds no {name}.")


def _game_to_wire(game: GameRecord) -> dict[str, Any]:
    data = {
        "ending": game.ending.value,
        "winner": game.winner,
        "scores": list(game.scores),
        "hands": [[hand.actions, hand.times, *hand.shown] for hand in game.hands],
        "faults": [
            [f.seat, f.kind.value, f.message, f.hand, f.move, f.traceback, f.file, f.line, f.code] for f in game.faults
        ],
        "logs": list(game.logs),
    }
    return data | {"marks": game.marks} if any(game.marks) else data


def _match_from_wire(data: Any) -> MatchRecord:
    if data["format"] != FORMAT:
        raise RecordError(f"The record has format {data['format']!r}; this arena reads format {FORMAT}.")
    if not isinstance(data["rules"], str | dict):
        raise RecordError("A record's rules are a name or an object.")
    rules = Rules.from_wire(data["rules"])
    seed = bytes.fromhex(_kind(str, data["seed"]))
    games = tuple(_game_from_wire(game, n, rules, seed) for n, game in enumerate(_kind(list, data["games"])))
    return MatchRecord(rules, seed, games)


def _game_from_wire(data: Any, number: int, rules: Rules, seed: bytes) -> GameRecord:
    first, second = (_kind(int, score) for score in data["scores"])
    log_0, log_1 = (_kind(str, log) for log in data["logs"])
    marks_0, marks_1 = (_marks(*one) for one in zip(data.get("marks", [[], []]), (log_0, log_1), strict=True))
    hands = []
    for actions, times, *shown in data["hands"]:
        hands.append(HandRecord(_kind(str, actions), _kind(str, times), tuple(_kind(str, word) for word in shown)))
    faults = []
    for seat, kind, message, hand, move, traceback, file, line, code in data["faults"]:
        faults.append(
            FaultRecord(
                _seat(seat),
                FaultKind(kind),
                _kind(str, message),
                _kind(int, hand),
                _kind(int, move),
                _kind(str, traceback),
                None if file is None else _kind(str, file),
                None if line is None else _kind(int, line),
                _kind(str, code),
            )
        )
    if len({fault.seat for fault in faults}) != len(faults):
        raise RecordError("A seat fails once in a game.")
    winner = None if data["winner"] is None else _seat(data["winner"])
    return GameRecord(
        number,
        rules,
        game_seed(seed, number),
        GameEnding(data["ending"]),
        winner,
        (first, second),
        tuple(hands),
        tuple(faults),
        (log_0, log_1),
        (marks_0, marks_1),
    )


def _marks(data: object, log: str) -> tuple[Mark, ...]:
    marks = [(_kind(int, step), _kind(int, before)) for step, before in _kind(list, data)]
    places = [before for _, before in marks]
    if places != sorted(set(places)) or any(not 0 <= before < len(log) for before in places):
        raise RecordError("The marks of a log stand in it one behind the other.")
    return tuple(marks)


def _kind(kind: type[T], value: object) -> T:
    """The value, which must be of exactly this type (true is no number)."""
    if type(value) is not kind:
        raise RecordError(f"A record has {type(value).__name__} where {kind.__name__} belongs.")
    return value


def _seat(value: object) -> int:
    seat = _kind(int, value)
    if seat not in (0, 1):
        raise RecordError(f"A seat is 0 or 1, not {seat}.")
    return seat
