"""Hoards runs: it looks at each suit by itself and sees no pairs."""

from arena import Bot, Card, Discard, Draw, View


class Runner(Bot):
    """Takes a card that lengthens a run or makes one, keeps neighbours of a suit, and throws lonely cards."""

    def choose_draw(self, view: View) -> Draw:
        """The upcard if it is in a run of three or more."""
        if Draw.UPCARD in view.legal and view.upcard and run_with(view.upcard, view.hand) >= 3:
            return Draw.UPCARD
        return Draw.PASS if Draw.PASS in view.legal else Draw.STOCK

    def choose_discard(self, view: View) -> Discard:
        """A knock as soon as there is one, else the highest card outside the melds, a lonely one first."""
        if view.knock_options:
            return view.knock_options[0]
        melded = {card for meld in view.best_melds for card in meld.cards}
        loose = [card for card in view.legal_discards if card not in melded] or view.legal_discards
        return Discard(max(loose, key=lambda card: (is_lonely(card, view.hand), card.rank)))


def run_with(card: Card, hand: tuple[Card, ...]) -> int:
    """How many cards the longest block of the suit's neighbours has with the card in it."""
    ranks = {other.rank for other in hand if other.suit == card.suit} | {card.rank}
    low = high = card.rank
    while low - 1 in ranks:
        low -= 1
    while high + 1 in ranks:
        high += 1
    return high - low + 1


def is_lonely(card: Card, hand: tuple[Card, ...]) -> bool:
    """Whether the hand lacks both of the card's neighbours in its suit."""
    return run_with(card, hand) == 1
