"""Plays games and matches between two contestants, and knows nothing of how their bots are reached.

The referee checks every action through the engine, ends a game at the first fault as a forfeit of that seat,
and lets a house failure through to whoever asked for the match.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256

from arena.actions import Action, IllegalAction
from arena.bot import GameEnd, GameStart
from arena.game import Game
from arena.player import BotFault, Contestant, FaultKind, Player
from arena.prints import Mark
from arena.record import FaultRecord, GameRecord, HandRecord, MatchRecord, game_seed, result_of
from arena.rules import Rules
from arena.view import EventStream, view_of

MIN_SEED_BYTES = 16
"""A shorter seed could be found by trying, and with it every deck."""

OnHand = Callable[[int, Game], None]
"""Called after every hand with the game's number and the game, to be read only; what it raises ends the match."""


def play_match(
    rules: Rules, seed: bytes, a: Contestant, b: Contestant, *, pairs: int = 1, on_hand: OnHand | None = None
) -> MatchRecord:
    """Play mirrored pairs of games: both games of a pair have the same decks, and A sits in seat 0, then in seat 1.

    `seed` must be secret until the match is over. Raises HouseFailure, and ValueError for a short seed.
    """
    games = []
    for number in range(2 * pairs):
        seats = (a, b) if number % 2 == 0 else (b, a)
        games.append(play_game(rules, seed, seats, number=number, on_hand=on_hand))
    return MatchRecord(rules, seed, tuple(games))


def play_game(
    rules: Rules,
    seed: bytes,
    contestants: tuple[Contestant, Contestant],
    *,
    number: int = 0,
    on_hand: OnHand | None = None,
) -> GameRecord:
    """Play one game of a match, between fresh players of the contestants in seats 0 and 1.

    Raises HouseFailure, and ValueError for a short seed.
    """
    if len(seed) < MIN_SEED_BYTES:
        raise ValueError(f"A match seed has at least {MIN_SEED_BYTES} bytes, not {len(seed)}.")
    players: list[Player] = []
    try:
        for contestant in contestants:
            players.append(contestant.new_player())  # noqa: PERF401 - those made so far are closed if one fails
        return _Table(rules, seed, players, number, on_hand).play()
    finally:
        for player in players:
            player.close()


def bot_seed(match_seed: bytes, number: int, seat: int) -> str:
    """The 32 hex digits that seed a bot's own randomness in a game: a hash, so that no deck follows from it."""
    return sha256(b"gin rummy arena, bot seed" + bytes([seat]) + number.to_bytes(4, "big") + match_seed).hexdigest()[
        :32
    ]


class _Table:
    """One game between two players."""

    def __init__(
        self, rules: Rules, seed: bytes, players: Sequence[Player], number: int, on_hand: OnHand | None
    ) -> None:
        self.rules = rules
        self.seed = seed
        self.players = players
        self.number = number
        self.on_hand = on_hand
        self.game = Game(rules, game_seed(seed, number))
        self.streams = [EventStream(self.game, seat) for seat in (0, 1)]
        self.hands: list[HandRecord] = []
        """The finished hands."""
        self.actions: list[Action] = []
        self.seconds: list[float] = []
        self.faults: list[FaultRecord] = []
        self.moves = 0
        """In all hands so far."""
        self.marks: tuple[list[Mark], list[Mark]] = ([], [])
        self.printed = [0, 0]
        """Characters of each player's log that belong to a step."""

    def play(self) -> GameRecord:
        self._start()
        while not self.faults and not self.game.is_over:
            self._move()
        if not self.faults:
            self._end()
        if self.actions or not self.game.is_over:
            self.hands.append(HandRecord.of(self.actions, self.seconds))
        ending, winner = result_of(self.game, [fault.seat for fault in self.faults])
        assert ending is not None
        return GameRecord(
            self.number,
            self.rules,
            self.game.seed,
            ending,
            winner,
            self.game.totals,
            tuple(self.hands),
            tuple(self.faults),
            (self.players[0].log, self.players[1].log),
            (tuple(self.marks[0]), tuple(self.marks[1])),
        )

    def _start(self) -> None:
        """Start both, so that a bot which cannot start is not saved by another that cannot either."""
        for seat, player in enumerate(self.players):
            try:
                player.start(GameStart(self.rules, seat, bot_seed(self.seed, self.number, seat)))
            except BotFault as fault:
                self._fault(seat, fault)
            self._mark(seat, 0)

    def _move(self) -> None:
        game, seat = self.game, self.game.turn
        player, hands = self.players[seat], game.hands_played
        step = game.hand_number + self.moves
        before = player.spent
        try:
            action = player.decide(view_of(game, seat), self.streams[seat].take())
            game.apply(action)
        except BotFault as fault:
            self._fault(seat, fault)
            return
        except IllegalAction as error:
            self._fault(seat, BotFault(FaultKind.ILLEGAL, str(error)))
            return
        finally:
            self._mark(seat, step)
        self.moves += 1
        self.actions.append(action)
        self.seconds.append(player.spent - before)
        if game.hands_played == hands:
            return
        if not game.is_over:
            self.hands.append(HandRecord.of(self.actions, self.seconds))
            self.actions, self.seconds = [], []
        if self.on_hand is not None:
            self.on_hand(self.number, game)

    def _end(self) -> None:
        ending, winner = result_of(self.game, ())
        assert ending is not None
        for seat, player in enumerate(self.players):
            try:
                player.end(GameEnd(ending, winner, self.game.totals, self.streams[seat].take()))
            except BotFault as fault:
                self._fault(seat, fault)
            self._mark(seat, self.game.hand_number + self.moves - 1)

    def _mark(self, seat: int, step: int) -> None:
        """What the seat has printed since the last time belongs to the step: a deal, a move or a fault, from 0."""
        printed = len(self.players[seat].log)
        if printed > self.printed[seat]:
            self.marks[seat].append((step, self.printed[seat]))
            self.printed[seat] = printed

    def _fault(self, seat: int, fault: BotFault) -> None:
        self.faults.append(
            FaultRecord(
                seat,
                fault.kind,
                fault.message,
                self.game.hand_number,
                len(self.actions),
                fault.traceback,
                fault.file,
                fault.line,
                fault.code,
            )
        )
