"""An early knocker: a small hand soon beats a fine hand late."""

from arena import Bot, Discard, Draw, View

BARGAIN = 6
"""An upcard is taken when it saves that many points of deadwood."""


class Hasty(Bot):
    """Takes low cards and whatever lets it knock, and knocks the first time it may, however high."""

    def choose_draw(self, view: View) -> Draw:
        """The upcard if a knock follows from it, or if it melds or saves much."""
        card = view.upcard
        if card is not None and Draw.UPCARD in view.legal:
            least = view.deadwood_taking(card)
            if least <= view.knock_limit or least <= view.deadwood - BARGAIN or view.would_meld(card):
                return Draw.UPCARD
        return Draw.PASS if Draw.PASS in view.legal else Draw.STOCK

    def choose_discard(self, view: View) -> Discard:
        """A knock whenever there is one, else the dearest of the cards that leave the least deadwood."""
        if view.knock_options:
            return view.knock_options[0]
        return Discard(min(view.legal_discards, key=lambda card: (view.deadwood_after(card), -card.rank)))
