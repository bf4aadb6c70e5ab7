"""The strongest house bot: it weighs deadwood against the cards that may still come, and plays for gin.

Every choice compares hands of ten cards by `cost`: the deadwood, less what draws are expected to save. Discards
are also dear when the opponent is likely to meld them. It knocks in the first turns only, while the opponent has
had no time to arrange its hand; after that it waits for gin, which cannot be undercut and pays a bonus, and
undercuts those who knock.
"""

from arena import Bot, Card, Discard, Draw, HandStarted, View, deadwood_after_discard, least_deadwood, mask_of

HOPE = 2.0
"""How many draws' worth of expected saving is set against deadwood."""
FEED = 8.0
"""What it costs, in points of deadwood, to give the opponent a card that it surely melds."""
TAKE = 1.0
"""How much better than the hand as it is the upcard must make it, in points."""
EARLY = 4
"""The number of completed turns up to which a knock without gin is worth it."""
CHOICES = 6
"""How many discards are thought about."""

SUIT = (1 << 13) - 1
DECK = (1 << 52) - 1
ACES = 1 | 1 << 13 | 1 << 26 | 1 << 39


class Sharp(Bot):
    """Keeps cards that are likely to meld, starves the opponent, knocks early or plays on for gin."""

    def __init__(self) -> None:
        self.played: set[tuple[Card | None, Card]] = set()
        """Pairs of a drawn and a discarded card in this hand, never repeated: that could go on for ever."""

    def start_hand(self, start: HandStarted) -> None:
        """Forget the last hand."""
        self.played.clear()

    def choose_draw(self, view: View) -> Draw:
        """The upcard if it becomes part of a meld and makes the hand clearly better."""
        otherwise = Draw.PASS if Draw.PASS in view.legal else Draw.STOCK
        card = view.upcard
        if card is None or Draw.UPCARD not in view.legal or not outs(view.mask) & card.mask:
            return otherwise
        unseen = unseen_by(view)
        taking = view.mask | card.mask
        best = min(cost(taking ^ discard.mask, unseen) for discard in shortlist(taking, card))
        return Draw.UPCARD if best + TAKE < cost(view.mask, unseen) else otherwise

    def choose_discard(self, view: View) -> Discard:
        """Gin or an early knock, else the card that costs least to lose."""
        for knock in view.knock_options[:1]:
            if view.turns <= EARLY or view.deadwood_after(knock.card) == 0:
                return knock
        unseen = unseen_by(view)
        known = mask_of(view.known_opponent_cards)

        def loss(card: Card) -> float:
            return cost(view.mask ^ card.mask, unseen) + FEED * danger(card, unseen, known)

        cards = [card for card in shortlist(view.mask, view.taken) if (view.drawn, card) not in self.played]
        card = min(cards or view.legal_discards, key=loss)
        self.played.add((view.drawn, card))
        return Discard(card)


def cost(hand: int, unseen: int) -> float:
    """The deadwood of ten cards, less what drawing from the unseen cards is expected to save."""
    now = least_deadwood(hand)
    saved = 0
    coming = outs(hand) & unseen
    while coming:
        card = coming & -coming
        coming ^= card
        saved += now - least_deadwood(hand | card)
    return now - HOPE * saved / max(1, unseen.bit_count())


def outs(hand: int) -> int:
    """The cards, as a mask, that would be part of a meld with cards of the hand."""
    clubs, hearts, spades, diamonds = suits = hand & SUIT, hand >> 13 & SUIT, hand >> 26 & SUIT, hand >> 39
    pairs = clubs & hearts | spades & diamonds | (clubs | hearts) & (spades | diamonds)
    found = pairs * ACES
    for number, suit in enumerate(suits):
        below, above = suit << 1, suit >> 1
        runs = below & below << 1 | below & above | above & above >> 1
        found |= (runs & SUIT) << 13 * number
    return found & ~hand


def unseen_by(view: View) -> int:
    """The cards, as a mask, that are in the stock or unknown in the opponent's hand."""
    return DECK & ~(view.mask | mask_of(view.discard_pile) | mask_of(view.known_opponent_cards))


def shortlist(hand: int, banned: Card | None) -> list[Card]:
    """The discards worth thinking about, those that leave the least deadwood."""
    after = deadwood_after_discard(hand)
    return sorted((card for card in after if card != banned), key=after.__getitem__)[:CHOICES]


def danger(card: Card, unseen: int, known: int) -> float:
    """About how likely the opponent is to meld the card: it must hold one of the pairs that fit."""
    chance = (10 - known.bit_count()) / max(1, unseen.bit_count())

    def held(number: int) -> float:
        return 1.0 if known >> number & 1 else chance if unseen >> number & 1 else 0.0

    first = card - card % 13
    two_below, below, _, above, two_above = (
        held(number) if first <= number < first + 13 else 0.0 for number in range(card - 2, card + 3)
    )
    a, b, c = (held((card + step) % 52) for step in (13, 26, 39))
    return min(1.0, two_below * below + below * above + above * two_above + a * b + b * c + a * c)
