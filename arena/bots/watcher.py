"""A defender: it reads the discards, and would rather keep a card than give the opponent what it wants."""

from arena import DECK, Bot, Card, Discard, Draw, View

SURE = 6
"""The most deadwood it knocks with once the opponent has had time to arrange its hand."""
EARLY = 6
"""The number of completed turns until then."""


class Watcher(Bot):
    """Draws for melds, throws what the opponent can use least, and fears an undercut more the longer a hand lasts."""

    def choose_draw(self, view: View) -> Draw:
        """The upcard if it becomes part of a meld."""
        if Draw.UPCARD in view.legal and view.upcard and view.would_meld(view.upcard):
            return Draw.UPCARD
        return Draw.PASS if Draw.PASS in view.legal else Draw.STOCK

    def choose_discard(self, view: View) -> Discard:
        """A knock that is hard to undercut, else the safest of the cards that leave the least deadwood."""
        for knock in view.knock_options[:1]:
            if view.turns <= EARLY or view.deadwood_after(knock.card) <= SURE:
                return knock
        return Discard(min(view.legal_discards, key=lambda card: (view.deadwood_after(card), risk(card, view))))


def risk(card: Card, view: View) -> int:
    """How many pairs that would meld with the card the opponent may hold; those it surely holds count more."""
    gone = {*view.hand, *view.discard_pile}
    return sum(
        1 + 4 * sum(other in view.known_opponent_cards for other in pair)
        for pair in partners(card)
        if gone.isdisjoint(pair)
    )


def partners(card: Card) -> list[tuple[Card, Card]]:
    """The pairs of cards that make a meld of three with the card."""
    a, b, c = (other for other in DECK if other.rank == card.rank and other != card)
    pairs = [(a, b), (a, c), (b, c)]
    for below, above in ((-2, -1), (-1, 1), (1, 2)):
        if card.rank + below >= 1 and card.rank + above <= 13:
            pairs.append((DECK[card + below], DECK[card + above]))
    return pairs
