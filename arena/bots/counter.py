"""A memory player: it counts the cards that could still come, and keeps what they would complete."""

from arena import DECK, Bot, Card, Discard, Draw, View, least_deadwood, mask_of

HOPE = 1.5
"""How many draws' worth of expected saving is set against the deadwood of now."""


class Counter(Bot):
    """Weighs deadwood against live outs: a pair whose other two cards are in the pile is worth nothing."""

    def choose_draw(self, view: View) -> Draw:
        """The upcard if it becomes part of a meld and lowers deadwood."""
        card = view.upcard
        if card and Draw.UPCARD in view.legal and view.would_meld(card) and view.deadwood_taking(card) < view.deadwood:
            return Draw.UPCARD
        return Draw.PASS if Draw.PASS in view.legal else Draw.STOCK

    def choose_discard(self, view: View) -> Discard:
        """A knock as soon as there is one, else the card whose loss costs least, hopes included."""
        if view.knock_options:
            return view.knock_options[0]
        live = unseen(view)
        near = sorted(view.legal_discards, key=view.deadwood_after)[:5]
        return Discard(min(near, key=lambda card: outlook(view.mask & ~card.mask, live)))


def unseen(view: View) -> list[Card]:
    """The cards that are in the stock or, unknown, in the opponent's hand."""
    seen = view.mask | mask_of(view.discard_pile) | mask_of(view.known_opponent_cards)
    return [card for card in DECK if not seen & card.mask]


def outlook(hand: int, live: list[Card]) -> float:
    """The deadwood of ten cards, less what the next draws from the live cards are expected to save."""
    now = least_deadwood(hand)
    saved = sum(max(0, now - least_deadwood(hand | card.mask)) for card in live)
    return now - HOPE * saved / max(1, len(live))
