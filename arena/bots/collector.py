"""Collects sets: three or four of a rank are all it wants, and a run it gets by accident."""

from arena import Bot, Card, Discard, Draw, View


class Collector(Bot):
    """Takes a card of a rank it holds twice, keeps pairs, and throws its highest single card."""

    def choose_draw(self, view: View) -> Draw:
        """The upcard if it makes a set of three or four."""
        if Draw.UPCARD in view.legal and view.upcard and alike(view.upcard, view.hand) >= 2:
            return Draw.UPCARD
        return Draw.PASS if Draw.PASS in view.legal else Draw.STOCK

    def choose_discard(self, view: View) -> Discard:
        """A knock as soon as there is one, else the highest card that no meld needs, a hopeful pair last."""
        if view.knock_options:
            return view.knock_options[0]
        melded = {card for meld in view.best_melds for card in meld.cards}
        loose = [card for card in view.legal_discards if card not in melded] or view.legal_discards
        return Discard(min(loose, key=lambda card: (is_hopeful(card, view), -card.rank)))


def alike(card: Card, cards: tuple[Card, ...]) -> int:
    """How many of the cards have the card's rank."""
    return sum(other.rank == card.rank for other in cards)


def is_hopeful(card: Card, view: View) -> bool:
    """Whether the card is one of a pair that another may still join."""
    return alike(card, view.hand) >= 2 and alike(card, (*view.hand, *view.discard_pile)) < 4
