import melding
from cards import Card


class TablePlayer:
    """Compares cards by identity, keeps everything in fields, and refuses to be called out of turn."""

    def __init__(self):
        self.games = 0
        self.cards = None

    def startGame(self, playerNum, startingPlayerNum, cards):
        self.games += 1
        self.me = playerNum
        self.cards = list(cards)
        assert len(cards) == 10 and all(card is Card.allCards[card.getId()] for card in cards)
        self.turn = startingPlayerNum
        self.faceUp = self.drawn = None
        self.opponentKnocked = self.knocked = False
        self.reported = []
        self.drawDiscards = []

    def willDrawFaceUpCard(self, card):
        assert len(self.cards) == 10
        self.faceUp = card
        return any(card in meld for meld in melding.melds_of([*self.cards, card]))

    def reportDraw(self, playerNum, drawnCard):
        if playerNum == self.me:
            self.drawn = drawnCard
            self.cards.append(drawnCard)
        else:
            assert drawnCard is None or drawnCard not in self.cards

    def getDiscard(self):
        assert len(self.cards) == 11
        options = [card for card in self.cards if not (card is self.drawn and self.drawn is self.faceUp)]
        fresh = [card for card in options if (self.drawn, card) not in self.drawDiscards]
        choice = min(fresh or options, key=lambda card: melding.best([c for c in self.cards if c is not card])[1])
        self.drawDiscards.append((self.drawn, choice))
        return choice

    def reportDiscard(self, playerNum, discardedCard):
        if playerNum == self.me:
            self.cards.remove(discardedCard)
        assert discardedCard not in self.cards

    def getFinalMelds(self):
        assert len(self.cards) == 10
        melds, deadwood = melding.best(self.cards)
        if not self.opponentKnocked and deadwood > 10:
            return None
        self.knocked = not self.opponentKnocked
        return melds

    def reportFinalMelds(self, playerNum, melds):
        self.reported.append(playerNum)
        if playerNum == self.me:
            assert all(card in self.cards for meld in melds for card in meld)
        else:
            assert not any(card in self.cards for meld in melds for card in meld)
            self.opponentKnocked = self.opponentKnocked or not self.knocked

    def reportLayoff(self, playerNum, layoffCard, opponentMeld):
        assert len(self.reported) == 2 and playerNum == self.reported[1]
        assert layoffCard not in opponentMeld
        assert layoffCard in self.cards or playerNum != self.me
        assert any(layoffCard in meld for meld in melding.melds_of([*opponentMeld, layoffCard]))

    def reportFinalHand(self, playerNum, hand):
        if playerNum == self.me:
            assert set(hand) == set(self.cards)

    def reportScores(self, scores):
        assert len(scores) == 2
        assert len(set(self.reported)) == len(self.reported)
        assert len(self.reported) in (0, 2)
