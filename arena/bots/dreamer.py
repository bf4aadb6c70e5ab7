"""A Monte Carlo player: before it knocks it deals the unseen cards many times, and plays each deal to its end."""

from arena import (
    DECK,
    Bot,
    Card,
    Discard,
    Draw,
    View,
    best_arrangement,
    best_defence,
    deadwood_after_discard,
    least_deadwood,
    mask_of,
)

HOPE = 2.0
"""How many draws' worth of expected saving is set against the deadwood of now."""
FEAR = 8.0
"""What it costs, in points, to throw a card that the opponent surely melds."""
DREAMS = 20
"""How many deals it imagines for each knock it thinks about."""
MARGIN = 20.0
"""How many points better a knock must dream: it plays on with more skill than it dreams of."""
SPARE = 1.0
"""With fewer seconds on its clock it stops dreaming and knocks."""


class Dreamer(Bot):
    """Keeps cards that may still meld, starves the opponent, and knocks when playing on dreams no better."""

    def choose_draw(self, view: View) -> Draw:
        """The upcard if it becomes part of a meld and lowers deadwood."""
        card = view.upcard
        if card and Draw.UPCARD in view.legal and view.would_meld(card) and view.deadwood_taking(card) < view.deadwood:
            return Draw.UPCARD
        return Draw.PASS if Draw.PASS in view.legal else Draw.STOCK

    def choose_discard(self, view: View) -> Discard:
        """Gin, or a knock that dreams better than playing on, else the card that costs least to lose."""
        gone = view.mask | mask_of(view.discard_pile) | mask_of(view.known_opponent_cards)
        unseen = [card for card in DECK if not gone & card.mask]
        card = min(
            sorted(view.legal_discards, key=view.deadwood_after)[:6], key=lambda card: self.loss(card, view, unseen)
        )
        for knock in view.knock_options[:1]:
            if view.deadwood_after(knock.card) == 0 or self.should_knock(view, knock.card, card, unseen):
                return knock
        return Discard(card)

    def loss(self, card: Card, view: View, unseen: list[Card]) -> float:
        """The deadwood without the card, less what the next draws may save, and what the opponent gains by it."""
        hand = view.mask & ~card.mask
        now = least_deadwood(hand)
        saved = sum(max(0, now - least_deadwood(hand | other.mask)) for other in unseen)
        held = (10 - len(view.known_opponent_cards)) / len(unseen)
        danger = 0.0
        for pair in partners(card):
            chances = [
                1.0 if other in view.known_opponent_cards else held if other in unseen else 0.0 for other in pair
            ]
            danger += chances[0] * chances[1]
        return now - HOPE * saved / len(unseen) + FEAR * min(1.0, danger)

    def should_knock(self, view: View, knock: Card, keep: Card, unseen: list[Card]) -> bool:
        """Whether the knock scores more than playing on, over the same imagined deals."""
        if view.time_left is not None and view.time_left < SPARE:
            return True
        knocked = view.mask & ~knock.mask
        melds = best_arrangement(tuple(card for card in view.hand if card != knock)).melds
        deadwood = least_deadwood(knocked)
        known = len(view.known_opponent_cards)
        better = 0.0
        for _ in range(DREAMS):
            cards = self.random.sample(unseen, len(unseen))
            theirs = (*view.known_opponent_cards, *cards[: 10 - known])
            lead = best_defence(melds, theirs).points - deadwood
            better += lead if lead > 0 else lead - view.rules.undercut_bonus
            better -= self.play_on(view, view.mask & ~keep.mask, mask_of(theirs), keep, cards[10 - known :])
        return better >= MARGIN * DREAMS

    def play_on(self, view: View, mine: int, theirs: int, pile: Card, stock: list[Card]) -> float:
        """The points that playing on scores in one deal: this bot waits for gin, the opponent knocks when it may."""
        hands = [theirs, mine]
        for turn, card in enumerate(stock[: max(0, view.stock_size - 2)]):
            me = turn % 2 == 1
            hand = hands[me] | card.mask
            least = deadwood_after_discard(hand)
            discard = min(least, key=lambda card: (least[card], -card))
            hands[me] = hand & ~discard.mask
            if least[discard] == 0:
                points = least_deadwood(hands[not me]) + view.rules.gin_bonus
                return points if me else -points
            if not me and least[discard] <= view.knock_limit:
                lead = least_deadwood(hands[1]) - least[discard]
                return view.rules.undercut_bonus - lead if lead <= 0 else -lead
        return 0.0


def partners(card: Card) -> list[tuple[Card, Card]]:
    """The pairs of cards that make a meld of three with the card."""
    a, b, c = (other for other in DECK if other.rank == card.rank and other != card)
    pairs = [(a, b), (a, c), (b, c)]
    for below, above in ((-2, -1), (-1, 1), (1, 2)):
        if card.rank + below >= 1 and card.rank + above <= 13:
            pairs.append((DECK[card + below], DECK[card + above]))
    return pairs
