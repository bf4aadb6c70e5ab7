"""Rule sets: every option the game is built from, and the named sets that ladders play.

A rule set is an immutable value. The `classic` set is the default of `Rules`; the others say only how they differ.
"""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType

from arena.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from arena.cards import Card

SPADES = 2
"""The suit, as in `Card.suit`."""


class DealerRule(StrEnum):
    """Who deals the hand after a scored one."""

    ALTERNATE = "alternate"
    LOSER = "loser"


class Opening(StrEnum):
    """How the first upcard is offered."""

    OFFER = "offer"
    """The non-dealer may take it or pass, then the dealer may; if both pass the non-dealer draws from the stock."""
    FREE = "free"
    """The non-dealer begins with an ordinary turn: upcard or stock."""


class StockEnd(StrEnum):
    """What happens when a completed turn leaves no more than `Rules.stock_floor` cards in the stock."""

    VOID = "void"
    """The hand is void: nobody scores."""
    RESHUFFLE = "reshuffle"
    """The discard pile under its top card is shuffled and put under what is left of the stock."""


class Rules(Value):
    """One rule set. Points are deadwood points; `None` for a bonus means that the declaration does not exist."""

    name: str = "classic"
    """The name a ladder shows."""
    target: int = 100
    """The game ends when a score reaches this."""
    knock_limit: int = 10
    """Most deadwood a knock may leave; 0 means that only gin ends a hand."""
    limit_from_upcard: bool = False
    """The knock limit is the value of the first upcard instead of `knock_limit`."""
    ace_means_gin: bool = False
    """With `limit_from_upcard`: after an ace the limit is 0 instead of 1."""
    spades_double: bool = False
    """A hand whose first upcard is a spade scores double."""
    gin_bonus: int = 25
    """Added to the defender's deadwood when the knocker has none."""
    undercut_bonus: int = 25
    """Added to the difference when the defender has no more than the knocker."""
    big_gin_bonus: int | None = None
    """Added to the defender's deadwood when all eleven cards are melded and declared; None: scored as gin."""
    dealer_rule: DealerRule = DealerRule.ALTERNATE
    """Who deals next after a scored hand."""
    void_redealt: bool = False
    """A void hand is dealt again by the same dealer; otherwise the deal alternates."""
    opening: Opening = Opening.OFFER
    """How the first upcard is offered."""
    may_discard_taken: bool = False
    """Whether the card just taken from the discard pile may be discarded in the same turn."""
    stock_floor: int = 2
    """The stock has run out when a completed turn leaves this many cards or fewer."""
    stock_end: StockEnd = StockEnd.VOID
    """What happens when the stock has run out."""
    turn_cap: int = 200
    """A hand is void after this many turns without a knock."""
    hand_cap: int = 100
    """A game ends after this many hands: the higher score wins, equal scores draw."""
    game_bonus: int = 0
    """Added to the winner's total at the end of the game."""
    shutout_bonus: int = 0
    """Given in place of `game_bonus` when the loser won no hand."""
    box_bonus: int = 0
    """Added at the end of the game to both totals for each hand won."""

    def limit_for(self, upcard: Card) -> int:
        """Return the knock limit of a hand whose first upcard this is."""
        if not self.limit_from_upcard:
            return self.knock_limit
        return 0 if self.ace_means_gin and upcard.rank == 1 else upcard.points

    def multiplier_for(self, upcard: Card) -> int:
        """Return what the points of a hand whose first upcard this is are multiplied by."""
        return 2 if self.spades_double and upcard.suit == SPADES else 1

    def to_dict(self) -> dict[str, Any]:
        """Return every field by name as JSON values."""
        return {
            field: str(value) if isinstance(value := getattr(self, field), StrEnum) else value for field in self._fields
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Rules:
        """Return the rules that `to_dict` gave. Fields left out have the values of `classic`.

        Raises ValueError when a field is unknown or its value is not of the field's type.
        """
        values: dict[str, Any] = {}
        for key, value in data.items():
            if key not in cls._fields:
                raise ValueError(f"{key!r} is not an option of a rule set; the options are {', '.join(cls._fields)}.")
            default = getattr(CLASSIC, key)
            if isinstance(default, StrEnum):
                values[key] = type(default)(value)
            elif type(value) is type(default) or (key == "big_gin_bonus" and type(value) in (int, type(None))):
                values[key] = value
            else:
                raise ValueError(f"{value!r} is not a value for the rule option {key!r}.")
        return cls(**values)

    def to_wire(self) -> str | dict[str, Any]:
        """Return the name of a set that everybody knows, or every field of another."""
        known = RULE_SETS.get(self.name)
        return self.name if known is self or known == self else self.to_dict()

    @classmethod
    def from_wire(cls, data: str | Mapping[str, Any]) -> Rules:
        """Return the rules that `to_wire` gave.

        Raises ValueError when there is no set of that name, or as `from_dict` does.
        """
        if isinstance(data, str):
            if data not in RULE_SETS:
                raise ValueError(f"There is no rule set {data!r}; there are {', '.join(RULE_SETS)}.")
            return RULE_SETS[data]
        return cls.from_dict(data)


CLASSIC = Rules()
"""The default: knock at 10, gin 25, undercut 25, to 100."""

RULE_SETS: Mapping[str, Rules] = MappingProxyType(
    {
        rules.name: rules
        for rules in (
            CLASSIC,
            Rules("parlour", gin_bonus=20, undercut_bonus=10),
            Rules(
                "tally",
                gin_bonus=20,
                undercut_bonus=10,
                dealer_rule=DealerRule.LOSER,
                void_redealt=True,
                game_bonus=100,
                shutout_bonus=200,
                box_bonus=20,
            ),
            Rules("knock-card", limit_from_upcard=True),
            Rules(
                "oklahoma",
                target=150,
                limit_from_upcard=True,
                ace_means_gin=True,
                big_gin_bonus=31,
                spades_double=True,
            ),
            Rules("gin-only", knock_limit=0, undercut_bonus=0, big_gin_bonus=31),
        )
    }
)
"""The named rule sets, by name."""
