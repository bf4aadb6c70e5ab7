"""A hand reader: it guesses the opponent's hand from what the opponent takes, leaves and throws."""

from arena import (
    DECK,
    Bot,
    Card,
    Discard,
    Discarded,
    Draw,
    Drew,
    Event,
    GameStart,
    HandStarted,
    Passed,
    View,
    least_deadwood,
    mask_of,
)

HOPE = 2.0
"""How many draws' worth of expected saving is set against the deadwood of now."""
FEAR = 8.0
"""What it costs, in points, to throw a card that the opponent surely melds."""
LEAVES = 0.6
"""How much less likely a card is held when the opponent left or threw one that goes with it."""
WORTH = 32.0
"""A knock must be expected to score so many points: to play on for gin is worth as much."""
GUESSES = 12
"""How many hands of the opponent's it imagines before it knocks."""


class Reader(Bot):
    """Keeps cards that may still meld, starves the opponent by its guess, and knocks when the guess is high."""

    def start_game(self, start: GameStart) -> None:
        """Remember which seat is the opponent's."""
        self.opponent = 1 - start.seat

    def start_hand(self, start: HandStarted) -> None:
        """Nothing is known of a new hand."""
        self.top: Card | None = start.upcard
        self.belief = dict.fromkeys(DECK, 1.0)
        """For each card, how much more or less likely than at first the opponent holds it."""

    def observe(self, event: Event) -> None:
        """Learn from what the opponent leaves and throws; what it takes the view remembers."""
        match event:
            case Passed(self.opponent) | Drew(self.opponent, Draw.STOCK) if self.top is not None:
                self.unwanted(self.top)
            case Discarded(seat, card):
                self.top = card
                if seat == self.opponent:
                    self.unwanted(card)

    def unwanted(self, card: Card) -> None:
        """The opponent had no use for the card, so it hardly holds those that go with it."""
        for other in DECK:
            if other.rank == card.rank or (other.suit == card.suit and abs(other - card) <= 2):
                self.belief[other] *= LEAVES

    def choose_draw(self, view: View) -> Draw:
        """The upcard if it becomes part of a meld and lowers deadwood."""
        card = view.upcard
        if card and Draw.UPCARD in view.legal and view.would_meld(card) and view.deadwood_taking(card) < view.deadwood:
            return Draw.UPCARD
        return Draw.PASS if Draw.PASS in view.legal else Draw.STOCK

    def choose_discard(self, view: View) -> Discard:
        """Gin or a knock that pays, else the card that costs least: to lose it, and to let the opponent have it."""
        chances = self.chances(view)
        for knock in view.knock_options[:1]:
            deadwood = view.deadwood_after(knock.card)
            if deadwood == 0 or self.gain(view, deadwood, chances) > WORTH:
                return knock
        live = [card.mask for card, chance in chances.items() if chance < 1]

        def loss(card: Card) -> float:
            hand = view.mask & ~card.mask
            now = least_deadwood(hand)
            saved = sum(max(0, now - least_deadwood(hand | other)) for other in live)
            return now - HOPE * saved / max(1, len(live)) + FEAR * danger(card, chances)

        return Discard(min(sorted(view.legal_discards, key=view.deadwood_after)[:6], key=loss))

    def chances(self, view: View) -> dict[Card, float]:
        """How likely the opponent holds each card that is not seen elsewhere."""
        seen = view.mask | mask_of(view.discard_pile) | mask_of(view.known_opponent_cards)
        unseen = [card for card in DECK if not seen & card.mask]
        scale = (10 - len(view.known_opponent_cards)) / sum(self.belief[card] for card in unseen)
        likely = {card: min(0.99, self.belief[card] * scale) for card in unseen}
        return likely | dict.fromkeys(view.known_opponent_cards, 1.0)

    def gain(self, view: View, deadwood: int, chances: dict[Card, float]) -> float:
        """The points that a knock is expected to score, over hands that the opponent may hold."""
        total = 0.0
        for _ in range(GUESSES):
            order = sorted(chances, key=lambda card: self.random.random() ** (1 / chances[card]), reverse=True)
            lead = least_deadwood(mask_of(order[:10])) - deadwood
            total += lead if lead > 0 else lead - view.rules.undercut_bonus
        return total / GUESSES


def danger(card: Card, chances: dict[Card, float]) -> float:
    """How likely the opponent can meld the card at once: some pair that goes with it is in its hand."""
    a, b, c = (chances.get(other, 0.0) for other in DECK if other.rank == card.rank and other != card)
    suit = [chances.get(other, 0.0) for other in DECK[13 * card.suit : 13 * card.suit + 13]]
    low2, low, _, high, high2 = [0.0, 0.0, *suit, 0.0, 0.0][card.rank - 1 : card.rank + 4]
    safe = 1.0
    for pair in (a * b, a * c, b * c, low2 * low, low * high, high * high2):
        safe *= 1 - pair
    return 1 - safe
