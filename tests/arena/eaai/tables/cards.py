class Card:
    """No __eq__: two cards are the same only if they are one object."""

    allCards = []

    def __init__(self, rank, suit):
        self.rank = rank
        self.suit = suit

    def getId(self):
        return self.suit * 13 + self.rank

    def __repr__(self):
        return "A23456789TJQK"[self.rank] + "CHSD"[self.suit]


for suit in range(4):
    for rank in range(13):
        Card.allCards.append(Card(rank, suit))
