"""A tactician: it plays the game and not the hand, and looks at the score before it knocks."""

from arena import DECK, Bot, Discard, Draw, GameStart, View, least_deadwood, mask_of

HOPE = 2.0
"""How many draws' worth of expected saving is set against the deadwood of now."""
FIRST_TURNS = 6
"""Up to that many completed turns the opponent still holds much, and a knock pays."""


class Tactician(Bot):
    """Knocks early, or when a knock wins the game; else plays for gin, unless the opponent is about to win."""

    def start_game(self, start: GameStart) -> None:
        """Remember what the game is played to."""
        self.target = start.rules.target

    def choose_draw(self, view: View) -> Draw:
        """The upcard if it becomes part of a meld and lowers deadwood."""
        card = view.upcard
        if card and Draw.UPCARD in view.legal and view.would_meld(card) and view.deadwood_taking(card) < view.deadwood:
            return Draw.UPCARD
        return Draw.PASS if Draw.PASS in view.legal else Draw.STOCK

    def choose_discard(self, view: View) -> Discard:
        """A knock that the score calls for, else the card whose loss costs least, hopes included."""
        for knock in view.knock_options[:1]:
            if self.should_knock(view, view.deadwood_after(knock.card)):
                return knock
        seen = view.mask | mask_of(view.discard_pile) | mask_of(view.known_opponent_cards)
        live = [card.mask for card in DECK if not seen & card.mask]

        def outlook(hand: int) -> float:
            now = least_deadwood(hand)
            saved = sum(max(0, now - least_deadwood(hand | card)) for card in live)
            return now - HOPE * saved / max(1, len(live))

        near = sorted(view.legal_discards, key=view.deadwood_after)[:5]
        return Discard(min(near, key=lambda card: outlook(view.mask & ~card.mask)))

    def should_knock(self, view: View, deadwood: int) -> bool:
        """Whether to knock with so much deadwood: what it may win and lose, as the score stands."""
        if deadwood == 0 or view.turns <= FIRST_TURNS:
            return True
        if view.my_score + 10 >= self.target:
            return True  # a few points are enough, and gin's bonus would be wasted
        return view.opponent_score + view.rules.gin_bonus >= self.target and deadwood <= 5
