from random import choice

POINTS = [min(10, number % 13 + 1) for number in range(52)]


def runs_and_sets(hand):
    found = [[n, n + 1, n + 2] for n in hand if n % 13 < 11 and n + 1 in hand and n + 2 in hand]
    for rank in range(13):
        same = [n for n in hand if n % 13 == rank]
        if len(same) >= 3:
            found.append(same)
    return found


def greedy_melds(hand):
    melds, left = [], list(hand)
    while options := runs_and_sets(left):
        meld = max(options, key=lambda cards: sum(POINTS[n] for n in cards))
        melds.append(meld)
        left = [n for n in left if n not in meld]
    return melds, sum(POINTS[n] for n in left)


class NumberPlayer:
    """Knows cards as numbers alone, melds greedily, keeps state from game to game, and uses Python's own randomness."""

    opponentTook = set()

    def startGame(self, playerNum, startingPlayerNum, cards):
        self.me, self.hand, self.over = playerNum, sorted(cards), False
        self.opponentTook.clear()
        self.untouchable = None

    def willDrawFaceUpCard(self, card):
        self.upcard = card
        return any(card in meld for meld in runs_and_sets([*self.hand, card]))

    def reportDraw(self, playerNum, drawnCard):
        if playerNum == self.me:
            self.untouchable = drawnCard if drawnCard == getattr(self, "upcard", None) else None
            self.hand.append(drawnCard)
        elif drawnCard is not None:
            self.opponentTook.add(drawnCard)

    def getDiscard(self):
        melds, _ = greedy_melds(self.hand)
        loose = [n for n in self.hand if n != self.untouchable and not any(n in meld for meld in melds)]
        options = loose or [n for n in self.hand if n != self.untouchable]
        dear = max(POINTS[n] for n in options)
        return int(choice([n for n in options if POINTS[n] == dear]))

    def reportDiscard(self, playerNum, discardedCard):
        if playerNum == self.me:
            self.hand.remove(discardedCard)
        self.upcard = discardedCard

    def getFinalMelds(self):
        melds, deadwood = greedy_melds(self.hand)
        return melds if self.over or deadwood <= 10 else None

    def reportFinalMelds(self, playerNum, melds):
        self.over = True

    def reportScores(self, scores):
        self.scores = scores

    def reportLayoff(self, playerNum, layoffCard, opponentMeld):
        print("layoff", layoffCard)

    def reportFinalHand(self, playerNum, hand):
        pass
