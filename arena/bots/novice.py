"""A beginner: it sees the melds it has, but not what they could become, and its attention wanders."""

from arena import Bot, Discard, Draw, View

DISTRACTED = 0.2
"""How often it does not think."""


class Novice(Bot):
    """Takes what completes a meld, throws its highest loose card, and now and then any card at all."""

    def choose_draw(self, view: View) -> Draw:
        """The upcard if it becomes part of a meld and that is noticed."""
        if Draw.UPCARD in view.legal and view.upcard and view.would_meld(view.upcard) and not self.distracted():
            return Draw.UPCARD
        return Draw.PASS if Draw.PASS in view.legal else Draw.STOCK

    def choose_discard(self, view: View) -> Discard:
        """A knock that is noticed, else the highest card outside the melds, even one of a pair."""
        if view.knock_options and not self.distracted():
            return view.knock_options[0]
        if self.distracted():
            return Discard(self.random.choice(view.legal_discards))
        melded = {card for meld in view.best_melds for card in meld.cards}
        loose = [card for card in view.legal_discards if card not in melded]
        return Discard(max(loose or view.legal_discards, key=lambda card: card.rank))

    def distracted(self) -> bool:
        """Whether its mind is elsewhere right now."""
        return self.random.random() < DISTRACTED
