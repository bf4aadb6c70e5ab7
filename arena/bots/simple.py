"""The simple policy, the yardstick of Gin Rummy bots: draw for melds, keep deadwood low, knock at once."""

from arena import Bot, Card, Discard, Draw, HandStarted, View


class Simple(Bot):
    """Takes the upcard only for a meld, leaves the least deadwood, and knocks as soon as it may."""

    def __init__(self) -> None:
        self.played: set[tuple[Card | None, Card]] = set()
        """The pairs of a drawn and a discarded card in this hand; repeating one could go on for ever."""

    def start_hand(self, start: HandStarted) -> None:
        """Forget the last hand's pairs."""
        self.played.clear()

    def choose_draw(self, view: View) -> Draw:
        """The upcard if it becomes part of a meld, else the stock."""
        if Draw.UPCARD in view.legal and view.upcard and view.would_meld(view.upcard):
            return Draw.UPCARD
        return Draw.PASS if Draw.PASS in view.legal else Draw.STOCK

    def choose_discard(self, view: View) -> Discard:
        """One of the cards that leave the least deadwood, but never for the same drawn card twice."""
        cards = [card for card in view.legal_discards if (view.drawn, card) not in self.played] or view.legal_discards
        least = min(view.deadwood_after(card) for card in cards)
        card = self.random.choice([card for card in cards if view.deadwood_after(card) == least])
        self.played.add((view.drawn, card))
        return Discard(card, knock=least <= view.knock_limit)
