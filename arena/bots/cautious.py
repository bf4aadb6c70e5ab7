"""Cautious: it dreads an undercut, so it knocks only with next to nothing left."""

from arena import Bot, Card, Discard, Draw, View

SAFE = 2
"""The most deadwood it knocks with."""
HURRY = 8
"""With so few cards in the stock it knocks with whatever the rules allow."""


class Cautious(Bot):
    """Draws for melds, keeps pairs and neighbours, and knocks late and low."""

    def choose_draw(self, view: View) -> Draw:
        """The upcard if it becomes part of a meld."""
        if Draw.UPCARD in view.legal and view.upcard and view.would_meld(view.upcard):
            return Draw.UPCARD
        return Draw.PASS if Draw.PASS in view.legal else Draw.STOCK

    def choose_discard(self, view: View) -> Discard:
        """A safe knock, else the card that leaves the least deadwood, rather one that goes with no other."""
        for knock in view.knock_options[:1]:
            if view.stock_size <= HURRY or view.deadwood_after(knock.card) <= SAFE:
                return knock

        def loss(card: Card) -> tuple[int, int, int]:
            return view.deadwood_after(card), friends(card, view.hand), -card.rank

        return Discard(min(view.legal_discards, key=loss))


def friends(card: Card, hand: tuple[Card, ...]) -> int:
    """How many cards of the hand could be in a meld with the card: of its rank, or near it in its suit."""
    return sum(
        other != card and (other.rank == card.rank or (other.suit == card.suit and abs(other - card) <= 2))
        for other in hand
    )
