"""A purist: only gin ends a hand. It loses most hands and wins most games, for gin pays a bonus."""

from arena import DECK, Bot, Card, Discard, Draw, View, least_deadwood, mask_of

PATIENCE = 1.5
"""What a card that would help is worth, beside a point of deadwood."""


class Purist(Bot):
    """Never knocks with a point left: it keeps the cards that the most others would complete."""

    def choose_draw(self, view: View) -> Draw:
        """The upcard if it becomes part of a meld and lowers deadwood."""
        card = view.upcard
        if card and Draw.UPCARD in view.legal and view.would_meld(card) and view.deadwood_taking(card) < view.deadwood:
            return Draw.UPCARD
        return Draw.PASS if Draw.PASS in view.legal else Draw.STOCK

    def choose_discard(self, view: View) -> Discard:
        """Gin if there is one, else the card that leaves little deadwood and many ways to meld it."""
        for knock in view.knock_options[:1]:
            if view.deadwood_after(knock.card) == 0:
                return knock
        gone = view.mask | mask_of(view.discard_pile) | mask_of(view.known_opponent_cards)
        coming = [card.mask for card in DECK if not gone & card.mask]

        def loss(card: Card) -> float:
            rest = view.mask & ~card.mask
            now = view.deadwood_after(card)
            helpful = sum(least_deadwood(rest | other) < now for other in coming)
            return now - PATIENCE * helpful

        near = sorted(view.legal_discards, key=view.deadwood_after)[:5]
        return Discard(min(near, key=loss))
