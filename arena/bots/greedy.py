"""Greedy: whatever lowers its deadwood now is right, and tomorrow is another day."""

from arena import Bot, Discard, Draw, View


class Greedy(Bot):
    """Takes any upcard that lowers its deadwood, throws the dearest card, and knocks as soon as it may."""

    def choose_draw(self, view: View) -> Draw:
        """The upcard if it leaves less deadwood than there is."""
        if Draw.UPCARD in view.legal and view.upcard and view.deadwood_taking(view.upcard) < view.deadwood:
            return Draw.UPCARD
        return Draw.PASS if Draw.PASS in view.legal else Draw.STOCK

    def choose_discard(self, view: View) -> Discard:
        """The least deadwood, knocking if that is allowed; of equals the lowest card, to draw to the others."""
        if view.knock_options:
            return view.knock_options[0]
        return Discard(min(view.legal_discards, key=lambda card: (view.deadwood_after(card), -card.points)))
