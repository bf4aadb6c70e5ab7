"""A table's game, played again from its seed and actions."""

from __future__ import annotations

from dataclasses import dataclass

from arena.actions import parse_action
from arena.events import Event, HandStarted
from arena.game import Game
from arena.legal import Phase
from arena.record import game_seed
from arena.rules import RULE_SETS, Rules
from arena.view import EventStream
from tables.models import Table

CHOICES = (Phase.OFFER, Phase.DRAW, Phase.DISCARD)
"""What a person decides; the showdown is laid out for them in the best way there is."""


@dataclass(frozen=True)
class Reading:
    """The game as it stands."""

    game: Game
    told: tuple[tuple[Event, ...], ...]
    """What the person saw happen from their last action on, that included, or else from the first deal: hand by hand.
    The last is of the present hand, and those before it ended meanwhile."""

    @property
    def ended(self) -> range:
        """The places in `Game.results` of the hands that ended since the person's last action."""
        played = self.game.hands_played
        return range(played - len(self.told) + (0 if self.game.is_over else 1), played)

    def waits_for(self, seat: int) -> bool:
        """Whether the person in that seat has something to decide."""
        hand = self.game.hand
        return not self.game.is_over and hand.turn == seat and hand.phase in CHOICES


def rules_of(table: Table) -> Rules:
    """The rules it is played by. A quick game is one hand, and has none of the bonuses that end a whole one."""
    rules = RULE_SETS[table.rule_set]
    return rules.replace(hand_cap=1, game_bonus=0, shutout_bonus=0, box_bonus=0) if table.is_quick else rules


def new_game(table: Table) -> Game:
    """Its game before the first action."""
    return Game(rules_of(table), game_seed(bytes.fromhex(table.seed), 0))


def read(table: Table) -> Reading:
    """The table's game with all its actions."""
    game = new_game(table)
    stream = EventStream(game, table.seat)
    told: list[list[Event]] = []
    _add(told, stream)
    for word in table.actions.split():
        action = parse_action(word)
        if game.turn == table.seat and game.hand.phase in CHOICES:
            told = [[]]
        game.apply(action)
        _add(told, stream)
    return Reading(game, tuple(map(tuple, told)))


def _add(told: list[list[Event]], stream: EventStream) -> None:
    for event in stream.take():
        if isinstance(event, HandStarted):
            told.append([])
        told[-1].append(event)
