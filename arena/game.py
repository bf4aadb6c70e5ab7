"""A game: hands until a score reaches the target, their decks drawn from one seed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.actions import BrokenRule, IllegalAction
from arena.decks import deal
from arena.hand import Hand
from arena.rules import DealerRule

if TYPE_CHECKING:
    from arena.actions import Action
    from arena.rules import Rules
    from arena.showdown import HandResult


class Game:
    """A game between seats 0 and 1. `apply` moves it on and deals the next hand by itself."""

    __slots__ = ("_scores", "hands", "is_over", "results", "rules", "seed", "winner")

    def __init__(self, rules: Rules, seed: bytes, first_dealer: int = 0) -> None:
        """Deal the first hand."""
        self.rules = rules
        self.seed = seed
        self.hands: list[Hand] = [Hand(rules, deal(seed, 0), first_dealer)]
        """Every hand, the present or last one at the end."""
        self.results: list[HandResult] = []
        """The results of the finished hands."""
        self.is_over = False
        self.winner: int | None = None
        """The seat that won; None until the game is over and when it is a draw."""
        self._scores: list[tuple[int, int]] = [(0, 0)]

    @property
    def hand(self) -> Hand:
        """The hand being played; the last one once the game is over."""
        return self.hands[-1]

    @property
    def hand_number(self) -> int:
        """The number of `hand`, from 1."""
        return len(self.hands)

    @property
    def hands_played(self) -> int:
        """The number of finished hands, void ones included."""
        return len(self.results)

    @property
    def dealer(self) -> int:
        """The dealer of `hand`."""
        return self.hands[-1].dealer

    @property
    def turn(self) -> int:
        """The seat to act."""
        return self.hands[-1].turn

    @property
    def scores(self) -> tuple[int, int]:
        """The points of the finished hands, by seat."""
        return self._scores[-1]

    def scores_after(self, hands: int) -> tuple[int, int]:
        """Return the points by seat after that many hands."""
        return self._scores[hands]

    @property
    def boxes(self) -> tuple[int, int]:
        """The hands won, by seat."""
        winners = [result.winner for result in self.results]
        return winners.count(0), winners.count(1)

    @property
    def totals(self) -> tuple[int, int]:
        """The scores; once the game is over with the bonuses that the rules give for the game and its boxes."""
        totals = list(self.scores)
        if self.is_over:
            rules, boxes = self.rules, self.boxes
            for seat in (0, 1):
                totals[seat] += rules.box_bonus * boxes[seat]
            if self.winner is not None:
                totals[self.winner] += rules.game_bonus if boxes[1 - self.winner] else rules.shutout_bonus
        return totals[0], totals[1]

    def apply(self, action: Action) -> None:
        """Play the action for the seat to act; after the last of a hand, score it and deal the next.

        Raises IllegalAction, naming the rule, and leaves the game as it was.
        """
        if self.is_over:
            raise IllegalAction(BrokenRule.OVER, "The game is over.")
        hand = self.hands[-1]
        hand.apply(action)
        if hand.result is not None:
            self._score(hand.result)

    def _score(self, result: HandResult) -> None:
        self.results.append(result)
        scores = list(self.scores)
        if result.winner is not None:
            scores[result.winner] += result.points
        self._scores.append((scores[0], scores[1]))
        if max(scores) >= self.rules.target or len(self.results) >= self.rules.hand_cap:
            self.is_over = True
            if scores[0] != scores[1]:
                self.winner = 0 if scores[0] > scores[1] else 1
        else:
            self.hands.append(Hand(self.rules, deal(self.seed, len(self.hands)), self._next_dealer(result)))

    def _next_dealer(self, result: HandResult) -> int:
        if result.winner is None:
            return self.dealer if self.rules.void_redealt else 1 - self.dealer
        if self.rules.dealer_rule is DealerRule.LOSER:
            return 1 - result.winner
        return 1 - self.dealer
