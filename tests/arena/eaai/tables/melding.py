from itertools import combinations

from cards import Card


def points(card):
    return min(10, card.rank + 1)


def melds_of(cards):
    held = set(cards)
    found = []
    for rank in range(13):
        same = [card for card in cards if card.rank == rank]
        for size in (3, 4):
            found += [list(some) for some in combinations(same, size)]
    for suit in range(4):
        for low in range(11):
            run = []
            for rank in range(low, 13):
                card = Card.allCards[suit * 13 + rank]
                if card not in held:
                    break
                run.append(card)
                if len(run) >= 3:
                    found.append(list(run))
    return found


def best(cards):
    """The melds that leave the least deadwood, and what they leave."""
    least, chosen = sum(map(points, cards)), []
    for meld in melds_of(cards):
        rest = [card for card in cards if card not in meld]
        others, left = best(rest)
        if left < least:
            least, chosen = left, [meld, *others]
    return chosen, least
