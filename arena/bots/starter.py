"""A bot to begin with: upload it as it is, then make it better.

You may use the standard library, `arena`, and modules of your own beside this one in a zip. Print what you
like: it goes to your bot's log, which only you can read.
"""

from arena import Bot, Discard, Draw, View


class Starter(Bot):
    """Takes the upcard when that lowers its deadwood, and knocks as soon as it may."""

    def choose_draw(self, view: View) -> Draw:
        """Where to draw from. `view.legal` holds the choices that the rules allow now."""
        # deadwood_taking: the least deadwood left after taking the card and discarding another one.
        # Idea: is a card worth taking that starts a meld, or one that the opponent seems to want?
        if Draw.UPCARD in view.legal and view.upcard and view.deadwood_taking(view.upcard) < view.deadwood:
            return Draw.UPCARD
        # The first upcard of a hand is offered, and may be passed; after that you draw from the stock.
        return Draw.PASS if Draw.PASS in view.legal else Draw.STOCK

    def choose_discard(self, view: View) -> Discard:
        """Which of your eleven cards to throw, and whether to knock with it."""
        # knock_options: the discards that may knock, the one that leaves the least deadwood first.
        # Idea: is it better to wait for gin? How much deadwood may the opponent have by now (view.turns)?
        if view.knock_options:
            return view.knock_options[0]
        # Idea: keep pairs and neighbours, which become melds; do not feed view.known_opponent_cards.
        # Of cards that leave the same deadwood, throw the dearest.
        card = min(view.legal_discards, key=lambda card: (view.deadwood_after(card), -card.points))
        return Discard(card)
